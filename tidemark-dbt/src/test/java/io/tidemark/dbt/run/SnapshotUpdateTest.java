package io.tidemark.dbt.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCategory;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.dbt.project.SnapshotSettings.HardDeletes;
import io.tidemark.dbt.project.SnapshotSettings.MetaColumns;
import io.tidemark.dbt.project.SnapshotSettings.Strategy;
import io.tidemark.dbt.run.SnapshotResult.Status;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.RemoveFile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ids, files, tables that others made, and writers at the same time. */
class SnapshotUpdateTest {
    private static final Instant RUN = Instant.parse("2024-01-10T00:00:00Z");
    private static final long DAY = 86_400;

    @TempDir
    private Path folder;

    private @Nullable SnapshotLake opened;

    @BeforeEach
    void open() {
        opened = new SnapshotLake(folder);
    }

    @AfterEach
    void close() {
        lake().close();
    }

    private SnapshotLake lake() {
        return Objects.requireNonNull(opened);
    }

    private int tables;

    private static SnapshotSettings timestamp(List<String> key, HardDeletes deletes) {
        return new SnapshotSettings(
                Strategy.TIMESTAMP,
                key,
                Optional.of("upd"),
                List.of(),
                deletes,
                Optional.empty(),
                MetaColumns.DEFAULT,
                true,
                false,
                false,
                TextLocation.NONE);
    }

    private static SnapshotSettings check(HardDeletes deletes) {
        return new SnapshotSettings(
                Strategy.CHECK,
                List.of("id"),
                Optional.empty(),
                List.of(),
                deletes,
                Optional.empty(),
                MetaColumns.DEFAULT,
                true,
                false,
                false,
                TextLocation.NONE);
    }

    private String id(List<String> key, String query) {
        String table = "ids_" + tables++;
        lake().run(table, timestamp(key, HardDeletes.IGNORE), query, RUN);
        return String.valueOf(
                lake().sql("SELECT dbt_scd_id FROM " + table).get(0).get(0));
    }

    /** Values that dbt's own tests hold, and some more that were computed with MD5 by hand. */
    @Test
    void idsAreThoseOfDbt() {
        List<String> key = List.of("id");
        assertThat(id(key, "SELECT 1 AS id, TIMESTAMP '2016-07-01' AS upd"))
                .isEqualTo("0d73ad1b216ad884c9f7395d799c912c");
        assertThat(id(key, "SELECT 1 AS id, TIMESTAMP '2016-07-02' AS upd"))
                .isEqualTo("7df3783934a6a707d51254859260b9ff");
        assertThat(id(key, "SELECT 'a' AS id, TIMESTAMP '2016-07-01' AS upd"))
                .isEqualTo("927354aa091feffd9437ead0bdae7ae1");
        assertThat(id(key, "SELECT 'c' AS id, TIMESTAMP '2016-07-02' AS upd"))
                .isEqualTo("09d33d35101e788c152f65d0530b6837");
        assertThat(id(key, "SELECT 1 AS id, TIMESTAMP '2024-01-01' AS upd"))
                .isEqualTo("8bd6037542377309505ab720e545f24e");
        assertThat(id(key, "SELECT 1 AS id, TIMESTAMP '2024-01-01 10:00:00.123456' AS upd"))
                .isEqualTo("7708bd38524f6985a1108a5defe35d3e");
        assertThat(id(List.of("a", "b"), "SELECT 'a' AS a, 'x' AS b, TIMESTAMP '2024-01-01' AS upd"))
                .isEqualTo("3c0827c1ab336899b5b34f008f223c6b");
        // An instant has the same text in UTC.
        assertThat(id(key, "SELECT 1 AS id, TIMESTAMPTZ '2024-01-01 02:00:00+02' AS upd"))
                .isEqualTo("8bd6037542377309505ab720e545f24e");
        SnapshotSettings settings = timestamp(key, HardDeletes.NEW_RECORD);
        lake().run("gone", settings, "SELECT 2 AS id, TIMESTAMP '2024-01-01' AS upd", RUN);
        lake().run("gone", settings, "SELECT 2 AS id, TIMESTAMP '2024-01-01' AS upd WHERE false", RUN.plusSeconds(DAY));
        assertThat(lake().sql("SELECT dbt_scd_id FROM gone ORDER BY dbt_valid_from")
                        .toString())
                .isEqualTo("[[f8e4dcba7004839b9c5b44a77923cd0a], [17cfcc60984482a1f0f3dbaa0a5a91d5]]");
    }

    private static String rows(int from, int to, String value) {
        return "SELECT i::INTEGER AS id, '" + value + "' AS v FROM range(" + from + ", " + to + ") AS t(i)";
    }

    @Test
    void closedAndCurrentRowsLieInFilesOfTheirOwnAndClosedOnesAreNotReadAgain() {
        SnapshotSettings settings = check(HardDeletes.INVALIDATE);
        lake().run("t", settings, rows(0, 100, "a"), RUN);
        for (int day = 1; day <= 3; day++) {
            String source = rows(0, 10, "b" + day) + " UNION ALL " + rows(10, 100, "a");
            lake().run("t", settings, source, RUN.plusSeconds(day * DAY));
        }
        Snapshot snapshot = lake().table("t").snapshot();
        long closedFiles = snapshot.files().stream()
                .filter(file -> file.statistics().nullCount("dbt_valid_to").orElse(-1) == 0)
                .count();
        assertThat(closedFiles).isEqualTo(3);
        assertThat(snapshot.files()).allSatisfy(file -> {
            long nulls = file.statistics().nullCount("dbt_valid_to").orElse(-1);
            assertThat(nulls == 0 || nulls == file.statistics().numRecords().orElse(-2))
                    .as("a file holds closed rows or current ones")
                    .isTrue();
        });
        TargetTable target = new TargetTable("t", snapshot, settings);
        assertThat(target.filesOfCurrentRows(List.of()))
                .hasSize(snapshot.files().size() - 3);
        assertThat(target.filesThatEndFrom(java.time.LocalDateTime.parse("2024-01-14T00:00:00")))
                .as("a key that is new now needs no look into the past")
                .isEmpty();
    }

    @Test
    void oneCommitHoldsVectorsAndTwoFiles() {
        SnapshotSettings settings = check(HardDeletes.INVALIDATE);
        lake().run("t", settings, rows(0, 100, "a"), RUN);
        lake().run("t", settings, rows(0, 3, "b") + " UNION ALL " + rows(5, 101, "a"), RUN.plusSeconds(DAY));
        List<io.tidemark.delta.log.Action> actions = lake().table("t").actions(1);
        List<AddFile> added = actions.stream()
                .filter(AddFile.class::isInstance)
                .map(AddFile.class::cast)
                .toList();
        assertThat(added).hasSize(3);
        assertThat(added.stream().filter(file -> file.deletionVector() != null)).hasSize(1);
        assertThat(actions.stream().filter(RemoveFile.class::isInstance)).hasSize(1);
        assertThat(lake().sql("SELECT count(*), count(dbt_valid_to) FROM t").toString())
                .isEqualTo("[[104, 5]]");
    }

    @Test
    void tablesWithMoreColumnsThanHaveStatisticsKeepThoseOfTheEnds() {
        StringBuilder columns = new StringBuilder("SELECT 1 AS id");
        for (int i = 0; i < 40; i++) {
            columns.append(", ").append(i).append(" AS c").append(i);
        }
        lake().run("wide", check(HardDeletes.IGNORE), columns.toString(), RUN);
        assertThat(lake().table("wide").snapshot().files().get(0).statistics().nullCount("dbt_valid_to"))
                .hasValue(1);
    }

    @Test
    void aTableThatAnotherProgramMadeIsContinued() {
        lake().sql("CREATE TABLE t (id INT, v STRING, upd TIMESTAMP, DBT_SCD_ID STRING, dbt_updated_at TIMESTAMP,"
                + " dbt_valid_from TIMESTAMP, dbt_valid_to TIMESTAMP);"
                + "INSERT INTO t VALUES"
                + " (1, 'a', TIMESTAMP '2024-01-01', 'x1', TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-05'),"
                + " (1, 'b', TIMESTAMP '2024-01-05', 'x2', TIMESTAMP '2024-01-05', TIMESTAMP '2024-01-05', NULL),"
                + " (2, 'p', TIMESTAMP '2024-01-02', 'x3', TIMESTAMP '2024-01-02', TIMESTAMP '2024-01-02', TIMESTAMP '2024-01-08'),"
                + " (3, 'q', TIMESTAMP '2024-01-03', 'x4', TIMESTAMP '2024-01-03', TIMESTAMP '2024-01-03', NULL)");
        String source = "SELECT 1 AS id, 'c' AS v, TIMESTAMPTZ '2024-01-09 00:00:00+00' AS upd UNION ALL"
                + " SELECT 2, 'p', TIMESTAMPTZ '2024-01-02 00:00:00+00' UNION ALL"
                + " SELECT 3, 'q', TIMESTAMPTZ '2024-01-03 00:00:00+00'";
        lake().run("t", timestamp(List.of("id"), HardDeletes.INVALIDATE), source, RUN);
        assertThat(lake().sql("SELECT id, v, dbt_valid_from, dbt_valid_to FROM t ORDER BY id, dbt_valid_from").stream()
                        .map(Object::toString))
                .containsExactly(
                        "[1, a, 2024-01-01T00:00:00Z, 2024-01-05T00:00:00Z]",
                        "[1, b, 2024-01-05T00:00:00Z, 2024-01-09T00:00:00Z]",
                        "[1, c, 2024-01-09T00:00:00Z, null]",
                        "[2, p, 2024-01-02T00:00:00Z, 2024-01-08T00:00:00Z]",
                        "[2, p, 2024-01-10T00:00:00Z, null]",
                        "[3, q, 2024-01-03T00:00:00Z, null]");
    }

    @Test
    void aTableWithTwoCurrentRowsOfAKeyIsRefused() {
        lake().run("t", check(HardDeletes.IGNORE), rows(0, 2, "a"), RUN);
        lake().sql("INSERT INTO t SELECT * FROM t WHERE id = 1");
        TidemarkException error = catchThrowableOfType(
                TidemarkException.class,
                () -> lake().run("t", check(HardDeletes.IGNORE), rows(0, 2, "b"), RUN.plusSeconds(DAY)));
        assertThat(error.code()).isEqualTo(ErrorCode.TARGET_ROWS_INVALID);
        assertThat(error.render()).contains("1 key", "[1]: 2 rows");
    }

    @Test
    void aTableThatIsNoSnapshotIsRefused() {
        lake().sql("CREATE TABLE t (id INT, v STRING)");
        TidemarkException error = catchThrowableOfType(
                TidemarkException.class, () -> lake().run("t", check(HardDeletes.IGNORE), rows(0, 2, "b"), RUN));
        assertThat(error.code()).isEqualTo(ErrorCode.SCHEMA_MISMATCH);
        assertThat(error.render()).contains("dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to");
    }

    @Test
    void theHintForOldTablesMigratesThem() {
        lake().run("t", check(HardDeletes.IGNORE), rows(0, 2, "a"), RUN);
        TidemarkException error = catchThrowableOfType(
                TidemarkException.class,
                () -> lake().run("t", check(HardDeletes.NEW_RECORD), rows(0, 1, "a"), RUN.plusSeconds(DAY)));
        String hint = error.hint().orElseThrow();
        lake().sql(hint.substring(hint.indexOf("ALTER")).replace("default.t", "t"));
        lake().run("t", check(HardDeletes.NEW_RECORD), rows(0, 1, "a"), RUN.plusSeconds(DAY));
        assertThat(lake().rows("t")).containsExactly("(0,a) 01-10>", "(1,a) 01-10>01-11", "(1,a) 01-11> D");
    }

    @Test
    void otherNamesOfColumnsHold() {
        MetaColumns names = new MetaColumns("start_date", "end_date", "row_id", "seen_at", "is_gone");
        SnapshotSettings settings = new SnapshotSettings(
                Strategy.CHECK,
                List.of("id"),
                Optional.empty(),
                List.of("v"),
                HardDeletes.NEW_RECORD,
                Optional.of("TIMESTAMP '9999-12-31'"),
                names,
                true,
                false,
                false,
                TextLocation.NONE);
        lake().run("t", settings, rows(0, 2, "a"), RUN);
        lake().run("t", settings, rows(0, 1, "b"), RUN.plusSeconds(DAY));
        assertThat(lake().table("t").snapshot().schema().names())
                .containsExactly("id", "v", "row_id", "seen_at", "start_date", "end_date", "is_gone");
        assertThat(lake().sql("SELECT count(*) FROM t WHERE end_date = TIMESTAMP_NTZ '9999-12-31' AND is_gone = 'True'")
                        .toString())
                .isEqualTo("[[1]]");
        SnapshotResult again = lake().run("t", settings, rows(0, 1, "b"), RUN.plusSeconds(2 * DAY));
        assertThat(again.status()).isEqualTo(Status.UNCHANGED);
    }

    @Test
    void aBooleanMarkOfDeletesIsKept() {
        lake().run("t", check(HardDeletes.IGNORE), rows(0, 2, "a"), RUN);
        lake().sql("ALTER TABLE t ADD COLUMN dbt_is_deleted BOOLEAN; UPDATE t SET dbt_is_deleted = false");
        lake().run("t", check(HardDeletes.NEW_RECORD), rows(0, 1, "a"), RUN.plusSeconds(DAY));
        lake().run("t", check(HardDeletes.NEW_RECORD), rows(0, 2, "a"), RUN.plusSeconds(2 * DAY));
        assertThat(lake().sql("SELECT dbt_is_deleted FROM t WHERE id = 1 ORDER BY dbt_valid_from")
                        .toString())
                .isEqualTo("[[false], [true], [false]]");
    }

    @Test
    void theChangeFeedTellsThatRowsWereClosed() {
        lake().run("t", check(HardDeletes.INVALIDATE), rows(0, 3, "a"), RUN);
        lake().sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')");
        lake().run(
                        "t",
                        check(HardDeletes.INVALIDATE),
                        rows(0, 1, "b") + " UNION ALL " + rows(2, 3, "a"),
                        RUN.plusSeconds(DAY));
        assertThat(
                        lake()
                                .sql(
                                        "SELECT id, v, _change_type FROM table_changes('t', 2) ORDER BY id, v, _change_type")
                                .stream()
                                .map(Object::toString))
                .containsExactly(
                        "[0, a, update_postimage]",
                        "[0, a, update_preimage]",
                        "[0, b, insert]",
                        "[1, a, update_postimage]",
                        "[1, a, update_preimage]");
    }

    @Test
    void twoRunsAtOnceConflictAndTheSecondCanBeRepeated() {
        lake().run("t", check(HardDeletes.IGNORE), rows(0, 3, "a"), RUN);
        ProjectSql sql = new Interrupting(
                new EngineSql(lake().engine()),
                () -> lake().run("t", check(HardDeletes.IGNORE), rows(0, 4, "b"), RUN.plusSeconds(DAY)));
        SourceQuery query = new SourceQuery(rows(0, 5, "c"), TextLocation.NONE, "c", Optional.empty());
        TidemarkException error = catchThrowableOfType(
                TidemarkException.class,
                () -> new SnapshotUpdate(
                                lake().engine(),
                                "t",
                                io.tidemark.core.flow.TableName.of("t"),
                                lake().table("t"),
                                sql,
                                check(HardDeletes.IGNORE),
                                query,
                                RUN.plusSeconds(2 * DAY),
                                false)
                        .run(true));
        assertThat(error.code().category()).isEqualTo(ErrorCategory.CONFLICT);
        assertThat(lake().sql("SELECT count(*) FROM t WHERE dbt_valid_to IS NULL")
                        .toString())
                .isEqualTo("[[4]]");
        lake().run("t", check(HardDeletes.IGNORE), rows(0, 5, "c"), RUN.plusSeconds(2 * DAY));
        assertThat(lake().sql("SELECT count(*), count(DISTINCT id) FROM t WHERE dbt_valid_to IS NULL")
                        .toString())
                .isEqualTo("[[5, 5]]");
    }

    /** Lets somebody else run in the middle, when the table was read already. */
    private static final class Interrupting implements ProjectSql {
        private final ProjectSql sql;
        private @Nullable Runnable other;

        Interrupting(ProjectSql sql, Runnable other) {
            this.sql = sql;
            this.other = other;
        }

        @Override
        public String query(String text, TextLocation location) {
            return sql.query(text, location);
        }

        @Override
        public String with(String relation, List<String> expressions, List<String> names, TextLocation location) {
            Runnable waiting = other;
            other = null;
            if (waiting != null) {
                waiting.run();
            }
            return sql.with(relation, expressions, names, location);
        }

        @Override
        public String constant(String expression, TextLocation location) {
            return sql.constant(expression, location);
        }
    }
}
