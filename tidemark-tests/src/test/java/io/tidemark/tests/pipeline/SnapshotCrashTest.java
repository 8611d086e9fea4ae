package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.delta.CrashPoints;
import io.tidemark.pipeline.run.RunOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The process is killed in the middle of several snapshots, at each named step; those that were applied stay, and a rerun
 * goes on with the others. Two runs at once apply each snapshot once.
 */
class SnapshotCrashTest {
    private static final int KILLED = 137;
    private static final int SNAPSHOTS = 3;
    private static final String PIPELINE = """
            CREATE OR REFRESH STREAMING TABLE history;
            CREATE FLOW history AS AUTO CDC INTO history
            FROM SNAPSHOT (SELECT id, name FROM read_files('snapshots.csv', format => 'csv',
              schema => 'v BIGINT, id BIGINT, name STRING') WHERE v = current_snapshot_version())
            WITH VERSION (SELECT min(v) FROM read_files('snapshots.csv', format => 'csv',
              schema => 'v BIGINT, id BIGINT, name STRING') WHERE v > coalesce(last_snapshot_version(), 0)
              HAVING min(v) IS NOT NULL)
            KEYS (id) STORED AS SCD TYPE 2;

            CREATE OR REFRESH STREAMING TABLE latest;
            CREATE FLOW latest AS AUTO CDC INTO latest
            FROM SNAPSHOT (SELECT id, name FROM history WHERE __END_AT IS NULL) KEYS (id);
            """;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pipeline.after-staging",
                "pipeline.after-manifest",
                "pipeline.after-data-files",
                CrashPoints.AFTER_LOG_WRITE,
                "pipeline.after-commit"
            })
    void aKilledUpdateGoesOnWithTheNextSnapshot(String point) throws IOException {
        prepare(1);
        try (Lake lake = new Lake(folder)) {
            lake.run(PIPELINE, RunOptions.of("pipeline"));
        }
        prepare(SNAPSHOTS);
        for (int i = 0; i < 2; i++) {
            Program killed = Program.start(folder, List.of("tidemark.crashAt=" + point), "run", "pipeline.sql");
            assertThat(killed.exitCode()).as(killed.text()).isEqualTo(KILLED);
        }
        try (Lake lake = new Lake(folder)) {
            lake.run(PIPELINE, RunOptions.of("pipeline"));
            check(lake);
        }
    }

    @Test
    void twoRunsAtOnceApplyEachSnapshotOnce() throws IOException {
        prepare(SNAPSHOTS);
        List<Program> programs = Stream.of(1, 2)
                .map(number -> Program.start(folder, List.of(), "run", "pipeline.sql"))
                .toList();
        for (Program program : programs) {
            assertThat(program.exitCode()).as(program.text()).isZero();
        }
        try (Lake lake = new Lake(folder)) {
            check(lake);
        }
    }

    private static void check(Lake lake) {
        assertThat(lake.rows("history"))
                .containsExactly(
                        "1|name 1|1|2",
                        "1|name 2|2|3",
                        "1|name 3|3|null",
                        "2|same|1|null",
                        "3|in 2|2|3",
                        "4|in 3|3|null");
        assertThat(lake.rows("latest")).containsExactly("1|name 3", "2|same", "4|in 3");
        assertThat(lake.sql("DESCRIBE HISTORY history").stream().filter(line -> line.contains("AUTO CDC")))
                .as("one commit for each snapshot")
                .hasSize(SNAPSHOTS);
    }

    private void prepare(int snapshots) throws IOException {
        Files.writeString(folder.resolve("pipeline.sql"), PIPELINE);
        StringBuilder text = new StringBuilder("v,id,name\n");
        for (int version = 1; version <= snapshots; version++) {
            text.append(version).append(",1,name ").append(version).append("\n");
            text.append(version).append(",2,same\n");
            if (version > 1) {
                text.append(version)
                        .append(",")
                        .append(version + 1)
                        .append(",in ")
                        .append(version)
                        .append("\n");
            }
        }
        Files.writeString(folder.resolve("snapshots.csv"), text);
    }
}
