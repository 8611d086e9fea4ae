package io.tidemark.dbt.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.run.SnapshotCase.Run;
import io.tidemark.dbt.run.SnapshotResult.Status;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** All cases of {@code cases.txt}, each in a table of its own. */
class SnapshotCasesTest {
    /** Numbers of the cases that were executed with dbt; 102 does not exist. */
    private static final int LAST = 111;

    @TempDir
    private static Path folder;

    private static @Nullable SnapshotLake open;

    @BeforeAll
    static void open() {
        open = new SnapshotLake(folder);
    }

    @AfterAll
    static void close() {
        lake().close();
    }

    private static SnapshotLake lake() {
        return Objects.requireNonNull(open);
    }

    private static List<SnapshotCase> cases() throws IOException {
        try (InputStream in = Objects.requireNonNull(SnapshotCasesTest.class.getResourceAsStream("cases.txt"))) {
            return SnapshotCase.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList());
        }
    }

    @Test
    void allCasesAreThere() throws IOException {
        List<String> numbers =
                cases().stream().map(each -> each.name().split(" ")[0]).toList();
        for (int i = 1; i <= LAST; i++) {
            if (i != 102) {
                assertThat(numbers).contains(Integer.toString(i));
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> cases110() throws IOException {
        return cases().stream().map(each -> DynamicTest.dynamicTest(each.name(), () -> check(each)));
    }

    private static void check(SnapshotCase theCase) {
        String table = "case_" + theCase.name().split(" ")[0];
        for (int i = 0; i < theCase.runs().size(); i++) {
            Run run = theCase.runs().get(i);
            boolean last = i == theCase.runs().size() - 1;
            if (last && theCase.error().isPresent()) {
                long version = version(table);
                Optional<String> error = failure(table, run);
                assertThat(error).isEqualTo(theCase.error());
                assertThat(version(table)).as("nothing is committed").isEqualTo(version);
                continue;
            }
            SnapshotResult result = lake().run(table, run.settings(), run.query(), run.time());
            if (last && theCase.missed().isPresent()) {
                assertThat(result.counts().missedChanges())
                        .isEqualTo(theCase.missed().get());
            }
        }
        if (!lake().table(table).exists()) {
            assertThat(theCase.expected()).isEmpty();
            return;
        }
        assertThat(lake().rows(table)).isEqualTo(theCase.expected());
        assertThat(lake().sql("SELECT dbt_scd_id FROM " + table).stream()
                        .distinct()
                        .count())
                .as("ids are unique")
                .isEqualTo(theCase.expected().size());
        theCase.valueType()
                .ifPresent(type -> assertThat(lake().table(table)
                                .snapshot()
                                .schema()
                                .field("v")
                                .orElseThrow()
                                .type()
                                .sql())
                        .isEqualTo(type));
        if (theCase.error().isEmpty()) {
            Run run = theCase.runs().get(theCase.runs().size() - 1);
            SnapshotResult again =
                    lake().run(table, run.settings(), run.query(), run.time().plusSeconds(86_400));
            assertThat(again.status()).as("the same source changes nothing").isEqualTo(Status.UNCHANGED);
        }
    }

    private static long version(String table) {
        return lake().table(table).exists() ? lake().table(table).latestVersion() : -1;
    }

    private static Optional<String> failure(String table, Run run) {
        try {
            lake().run(table, run.settings(), run.query(), run.time());
            return Optional.empty();
        } catch (TidemarkException e) {
            return Optional.of(e.code().name());
        }
    }
}
