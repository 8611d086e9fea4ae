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
 * The process is killed at each named step of an update. After a rerun the tables equal those of a run that nothing
 * disturbed: no row doubled, none lost.
 */
class CrashTest {
    private static final int KILLED = 137;
    private static final String PIPELINE = """
            CREATE OR REFRESH STREAMING TABLE raw TBLPROPERTIES ('delta.checkpointInterval' = '1');
            CREATE FLOW raw AS INSERT INTO raw BY NAME
            SELECT * FROM STREAM read_files('events/*.csv', format => 'csv',
              schema => 'op STRING, id BIGINT, name STRING, seq BIGINT');

            CREATE OR REFRESH STREAMING TABLE latest TBLPROPERTIES ('delta.checkpointInterval' = '1');
            CREATE FLOW latest AS AUTO CDC INTO latest FROM STREAM(raw)
            KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) STORED AS SCD TYPE 1;

            CREATE OR REFRESH STREAMING TABLE history TBLPROPERTIES ('delta.checkpointInterval' = '1');
            CREATE FLOW history AS AUTO CDC INTO history FROM STREAM(raw)
            KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) STORED AS SCD TYPE 2;

            CREATE OR REFRESH MATERIALIZED VIEW counts AS SELECT count(*) AS n FROM latest;
            """;
    private static final List<String> TABLES = List.of("raw", "latest", "history", "counts");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pipeline.after-staging",
                "pipeline.after-plan",
                "pipeline.after-state-files",
                "pipeline.before-manifest",
                "pipeline.after-manifest",
                "pipeline.after-data-files",
                CrashPoints.BEFORE_VECTOR_WRITE,
                CrashPoints.AFTER_VECTOR_WRITE,
                CrashPoints.BEFORE_LOG_WRITE,
                CrashPoints.AFTER_LOG_WRITE,
                CrashPoints.BEFORE_CHECKPOINT,
                CrashPoints.AFTER_CHECKPOINT,
                "pipeline.after-commit"
            })
    void aKilledUpdateIsMendedByARerun(String point) throws IOException {
        prepare(folder);
        Files.writeString(folder.resolve("events/2.csv"), secondFile());
        Program killed = Program.start(folder, List.of("tidemark.crashAt=" + point), "run", "pipeline.sql");
        assertThat(killed.exitCode()).as(killed.text()).isEqualTo(KILLED);
        // The rerun dies at the same step of the next table that reaches it.
        Program.start(folder, List.of("tidemark.crashAt=" + point), "run", "pipeline.sql")
                .exitCode();
        try (Lake lake = new Lake(folder)) {
            lake.run(PIPELINE, RunOptions.of("pipeline"));
            assertEqualsUndisturbed(lake);
        }
    }

    @Test
    void twoRunsAtOnceApplyTheInputOnce() throws IOException {
        prepare(folder);
        Files.writeString(folder.resolve("events/2.csv"), secondFile());
        List<Program> programs = Stream.of(1, 2)
                .map(number -> Program.start(folder, List.of(), "run", "pipeline.sql"))
                .toList();
        for (Program program : programs) {
            assertThat(program.exitCode()).as(program.text()).isZero();
        }
        try (Lake lake = new Lake(folder)) {
            assertEqualsUndisturbed(lake);
        }
    }

    private void assertEqualsUndisturbed(Lake lake) throws IOException {
        Path undisturbed = Files.createDirectories(folder.resolve("undisturbed"));
        prepare(undisturbed);
        Files.writeString(undisturbed.resolve("events/2.csv"), secondFile());
        try (Lake expected = new Lake(undisturbed)) {
            expected.run(PIPELINE, RunOptions.of("pipeline"));
            for (String table : TABLES) {
                assertThat(lake.rows(table)).as(table).containsExactlyElementsOf(expected.rows(table));
            }
        }
    }

    private static void prepare(Path folder) throws IOException {
        Files.createDirectories(folder.resolve("events"));
        Files.writeString(folder.resolve("pipeline.sql"), PIPELINE);
        Files.writeString(folder.resolve("events/1.csv"), firstFile());
        try (Lake lake = new Lake(folder)) {
            lake.run(PIPELINE, RunOptions.of("pipeline"));
        }
    }

    private static String firstFile() {
        StringBuilder text = new StringBuilder("op,id,name,seq\n");
        for (int id = 1; id <= 20; id++) {
            text.append("I,")
                    .append(id)
                    .append(",name")
                    .append(id)
                    .append(",")
                    .append(id)
                    .append("\n");
        }
        return text.toString();
    }

    private static String secondFile() {
        return """
                op,id,name,seq
                U,1,changed,50
                D,2,,50
                U,3,late,1
                I,21,new,51
                """;
    }
}
