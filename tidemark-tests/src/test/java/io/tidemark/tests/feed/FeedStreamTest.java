package io.tidemark.tests.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.tests.pipeline.Lake;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Change data feeds as streaming sources of flows. */
class FeedStreamTest {
    private static final String COPY = """
            CREATE OR REFRESH STREAMING TABLE copy AS
            SELECT id, _change_type AS kind, _commit_version AS v FROM STREAM table_changes('t');
            """;

    @TempDir
    Path folder;

    private Lake lake;

    @BeforeEach
    void open() {
        lake = new Lake(folder);
        lake.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')");
        lake.sql("INSERT INTO t VALUES (1)");
        lake.sql("INSERT INTO t VALUES (2)");
    }

    @AfterEach
    void close() {
        lake.close();
    }

    private void refused(String pipeline, ErrorCode code) {
        assertThatThrownBy(() -> lake.run(pipeline)).isInstanceOfSatisfying(TidemarkException.class, fault -> {
            assertThat(fault.code()).as(fault.render()).isEqualTo(code);
            assertThat(fault.hint()).isPresent();
            assertThat(fault.location()).isPresent();
        });
    }

    @Test
    void rowsComeFirstAndThenChangesExactlyOnce() {
        lake.run(COPY);
        assertThat(lake.rows("copy")).containsExactly("1|insert|2", "2|insert|2");
        assertThat(lake.run(COPY)).allMatch(result -> result.status() != FlowResult.Status.UPDATED);
        lake.sql("INSERT INTO t VALUES (3)");
        lake.sql("INSERT INTO t VALUES (4)");
        lake.run(COPY);
        assertThat(lake.rows("copy")).containsExactly("1|insert|2", "2|insert|2", "3|insert|3", "4|insert|4");
        lake.run(COPY.replace("STREAM table_changes('t')", "stream(table_changes('t'))"));
        assertThat(lake.rows("copy")).hasSize(4);
    }

    @Test
    void aStartGivesChangesAndNoRows() {
        lake.run(COPY.replace("'t'", "'t', 2"));
        assertThat(lake.rows("copy")).containsExactly("2|insert|2");
        lake.sql("INSERT INTO t VALUES (3)");
        lake.run(COPY.replace("'t'", "'t', 2"));
        assertThat(lake.rows("copy")).containsExactly("2|insert|2", "3|insert|3");
        refused(COPY.replace("'t'", "'t', 2, 3"), ErrorCode.UNSUPPORTED_FEATURE);
    }

    @Test
    void materializedViewsReadRangesOfTheFeed() {
        String view = "CREATE MATERIALIZED VIEW counts AS SELECT _commit_version AS v, count(*) AS n"
                + " FROM table_changes('t', 0) GROUP BY _commit_version;";
        lake.run(view);
        lake.sql("INSERT INTO t VALUES (3), (4)");
        lake.run(view);
        assertThat(lake.rows("counts")).containsExactly("1|1", "2|1", "3|2");
    }

    @Test
    void gapsStopTheFlow() throws IOException {
        lake.run(COPY);
        lake.sql("INSERT INTO t VALUES (3)");
        lake.sql("INSERT INTO t VALUES (4)");
        Files.delete(folder.resolve("warehouse/default/t/_delta_log/%020d.json".formatted(3)));
        assertThatThrownBy(() -> lake.run(COPY)).isInstanceOf(TidemarkException.class);
    }

    @Test
    void aFeedThatIsOffStopsTheFlow() {
        lake.run(COPY);
        lake.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'false')");
        lake.sql("INSERT INTO t VALUES (3)");
        refused(COPY, ErrorCode.CHANGE_FEED_OFF);
        refused(COPY.replace("copy", "other"), ErrorCode.CHANGE_FEED_OFF);
    }

    @Test
    void aTableThatWasPutBackAndWentOnIsNoticed() {
        String append = "CREATE OR REFRESH STREAMING TABLE appended AS SELECT * FROM STREAM(t);";
        copy(folder.resolve("warehouse/default/t"), folder.resolve("backup"));
        lake.sql("INSERT INTO t VALUES (3)");
        lake.run(COPY + append);
        delete(folder.resolve("warehouse/default/t"));
        copy(folder.resolve("backup"), folder.resolve("warehouse/default/t"));
        lake.sql("INSERT INTO t VALUES (4)");
        lake.sql("INSERT INTO t VALUES (5)");
        refused(COPY, ErrorCode.SOURCE_START_GONE);
        refused(append, ErrorCode.SOURCE_START_GONE);
    }

    private static void copy(Path from, Path to) {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path tree) {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
