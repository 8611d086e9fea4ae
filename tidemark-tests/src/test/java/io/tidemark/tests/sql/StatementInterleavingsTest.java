package io.tidemark.tests.sql;

import static io.tidemark.core.error.ErrorCode.CONCURRENT_APPEND;
import static io.tidemark.core.error.ErrorCode.CONCURRENT_DELETE_READ;
import static io.tidemark.core.error.ErrorCode.METADATA_CHANGED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.Reruns;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.tests.pipeline.Lake;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two statements that read the same version of a table: the first commits while the second holds its files ready. The
 * numbers are those of the table of interleavings in {@code docs/spec/transactions.md}'s tests of the transaction layer,
 * of which these are the pairs that statements can express. Where both commit, the rows must be those of one after the
 * other.
 *
 * <p>Table u has the ids 0 to 9, 10 to 19 and 20 to 29 in three files; table p is partitioned by p: ids 0 to 9 and 10 to
 * 19 with p = 1, 20 to 29 with p = 2 and 30 to 39 with p = 3.
 */
class StatementInterleavingsTest {
    private static final @Nullable ErrorCode OK = null;
    private static final ErrorCode CAE = CONCURRENT_APPEND;
    private static final ErrorCode CDR = CONCURRENT_DELETE_READ;
    private static final ErrorCode MCE = METADATA_CHANGED;

    private static final String INSERT_5 = "INSERT INTO t VALUES (5, 1, 0)";
    private static final String INSERT_35 = "INSERT INTO t VALUES (35, 1, 0)";
    private static final String DELETE_F1 = "DELETE FROM t WHERE id < 10";
    private static final String DELETE_F2 = "DELETE FROM t WHERE id >= 10 AND id < 20";
    private static final String DELETE_5 = "DELETE FROM t WHERE id = 5";
    private static final String UPDATE_5 = "UPDATE t SET v = v + 1 WHERE id = 5";
    private static final String UPDATE_15 = "UPDATE t SET v = v + 1 WHERE id = 15";
    private static final String FROM_SELF = "INSERT INTO t SELECT id + 1000, p, v FROM t";
    private static final String ALTER = "ALTER TABLE t SET TBLPROPERTIES ('owner' = 'me')";
    private static final String OVERWRITE = "INSERT OVERWRITE t SELECT id, p, v + 1 FROM t";
    private static final String OPTIMIZE = "OPTIMIZE t";

    @TempDir
    Path folder;

    private Lake second;
    private Lake first;
    private int tables;

    @BeforeEach
    void open() {
        second = new Lake(folder);
        first = new Lake(folder);
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    private static String merge(long... ids) {
        String rows = LongStream.of(ids).mapToObj(id -> "(" + id + ", 1, 0)").collect(Collectors.joining(", "));
        return "MERGE INTO t USING (SELECT * FROM VALUES " + rows + " AS s(id, p, v)) AS s ON t.id = s.id "
                + "WHEN NOT MATCHED THEN INSERT *";
    }

    private record Pair(
            String name,
            String second,
            String first,
            @Nullable ErrorCode serializable,
            @Nullable ErrorCode writeSerializable) {}

    private static Pair pair(
            String name,
            String second,
            String first,
            @Nullable ErrorCode serializable,
            @Nullable ErrorCode writeSerializable) {
        return new Pair(name, second, first, serializable, writeSerializable);
    }

    @TestFactory
    Stream<DynamicTest> unpartitioned() {
        return Stream.of(
                        pair("1", DELETE_F1, INSERT_5, CAE, OK),
                        pair("1 elsewhere", DELETE_F1, INSERT_35, OK, OK),
                        pair("2", DELETE_5, INSERT_5, CAE, OK),
                        pair("2 elsewhere", DELETE_5, INSERT_35, OK, OK),
                        pair("3", "DELETE FROM t WHERE id = 1000", INSERT_5, OK, OK),
                        pair("4", "DELETE FROM t WHERE id = 1000", UPDATE_5, OK, OK),
                        pair("7", DELETE_5, "DELETE FROM t WHERE id = 7", OK, OK),
                        pair("7 same row", DELETE_5, DELETE_5, CAE, CAE),
                        pair("8", DELETE_5, "DELETE FROM t WHERE id = 15", OK, OK),
                        pair("9", DELETE_F1, DELETE_F2, OK, OK),
                        pair("10", DELETE_5, DELETE_F2, OK, OK),
                        pair("11", UPDATE_5, UPDATE_15, OK, OK),
                        pair("11 into the way", UPDATE_5, "UPDATE t SET id = 5 WHERE id = 15", CAE, CAE),
                        pair("12", UPDATE_5, DELETE_F2, OK, OK),
                        pair("13", OPTIMIZE, INSERT_5, OK, OK),
                        pair("14 by vector", OPTIMIZE, UPDATE_5, OK, OK),
                        pair("15", OPTIMIZE, DELETE_5, OK, OK),
                        pair("16 by vector", UPDATE_5, OPTIMIZE, OK, OK),
                        pair("18", FROM_SELF, OPTIMIZE, OK, OK),
                        pair("20", OPTIMIZE, OPTIMIZE, CDR, CDR),
                        pair("23", ALTER, INSERT_5, OK, OK),
                        pair("25", UPDATE_5, ALTER, MCE, MCE),
                        pair("29", ALTER, "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')", MCE, MCE),
                        pair("52", FROM_SELF, INSERT_5, CAE, OK),
                        pair("53", FROM_SELF, DELETE_F1, CDR, CDR),
                        pair("54", FROM_SELF, UPDATE_5, CAE, CAE),
                        pair("55", UPDATE_5, INSERT_5, CAE, OK),
                        pair("55 elsewhere", UPDATE_5, INSERT_35, OK, OK),
                        pair("56 same key", merge(35), INSERT_35, CAE, CAE),
                        pair("56 other key", merge(50), INSERT_35, OK, OK),
                        pair("57", merge(35), merge(35), CAE, CAE),
                        pair("58", merge(5, 50), DELETE_F1, CDR, CDR),
                        pair("59", OVERWRITE, INSERT_5, CAE, OK),
                        pair("61", DELETE_F1, DELETE_F1, CDR, CDR),
                        pair("62", UPDATE_5, DELETE_5, CAE, CAE),
                        pair("65", DELETE_5, OPTIMIZE, OK, OK),
                        pair("66", merge(50), OPTIMIZE, OK, OK),
                        pair("67", INSERT_5, DELETE_F1, OK, OK),
                        pair("68", INSERT_5, UPDATE_5, OK, OK),
                        pair("69", INSERT_5, OPTIMIZE, OK, OK),
                        pair("70", INSERT_5, OVERWRITE, OK, OK),
                        pair("71", INSERT_5, ALTER, MCE, MCE))
                .flatMap(pair -> tests(pair, false, true));
    }

    @TestFactory
    Stream<DynamicTest> withoutVectors() {
        return Stream.of(
                        pair("14", OPTIMIZE, UPDATE_5, CDR, CDR),
                        pair("16", UPDATE_5, OPTIMIZE, CDR, CDR),
                        pair("11 rewritten", UPDATE_5, UPDATE_15, OK, OK))
                .flatMap(pair -> tests(pair, false, false));
    }

    @TestFactory
    Stream<DynamicTest> partitioned() {
        String update = "UPDATE t SET v = v + 1 WHERE p = 1 AND id = 5";
        return Stream.of(
                        pair("36", update, "INSERT INTO t VALUES (5, 1, 0)", CAE, OK),
                        pair("37", update, "INSERT INTO t VALUES (5, 2, 0)", OK, OK),
                        pair("38", update, "UPDATE t SET v = v + 1 WHERE p = 2", OK, OK),
                        pair("39", update, "UPDATE t SET v = v + 1 WHERE p = 1 AND id = 15", OK, OK),
                        pair("40", update, "DELETE FROM t WHERE p = 1 AND id BETWEEN 10 AND 19", OK, OK),
                        pair("41", UPDATE_5, "UPDATE t SET v = v + 1 WHERE p = 2", OK, OK),
                        pair("42", UPDATE_5, "INSERT INTO t VALUES (5, 2, 0)", CAE, OK),
                        pair("43", UPDATE_5, "DELETE FROM t WHERE p = 2", OK, OK),
                        pair("47", update, "OPTIMIZE t WHERE p = 2", OK, OK),
                        pair("49", "OPTIMIZE t WHERE p = 1", "INSERT INTO t VALUES (5, 1, 0)", OK, OK),
                        pair("50", "DELETE FROM t WHERE p = 2", "INSERT INTO t VALUES (5, 2, 0)", CAE, OK),
                        pair("73", "OPTIMIZE t WHERE p = 1", "UPDATE t SET v = v + 1 WHERE p = 2", OK, OK))
                .flatMap(pair -> tests(pair, true, true));
    }

    private Stream<DynamicTest> tests(Pair pair, boolean partitioned, boolean vectors) {
        return Stream.of("Serializable", "WriteSerializable")
                .map(level -> DynamicTest.dynamicTest(
                        pair.name() + " " + level,
                        () -> check(
                                pair,
                                partitioned,
                                vectors,
                                level,
                                level.startsWith("W") ? pair.writeSerializable() : pair.serializable())));
    }

    private void check(Pair pair, boolean partitioned, boolean vectors, String level, @Nullable ErrorCode expected) {
        String table = "t" + tables++;
        create(table, partitioned, vectors, level);
        TidemarkException conflict = catchThrowableOfType(
                TidemarkException.class, () -> interleave(on(table, pair.second()), on(table, pair.first())));
        if (expected != null) {
            assertThat(conflict).as("a conflict was expected").isNotNull();
            assertThat(conflict.code()).as(conflict.render()).isEqualTo(expected);
            return;
        }
        assertThat(conflict).as(conflict == null ? "" : conflict.render()).isNull();
        List<List<String>> serial = new ArrayList<>();
        serial.add(oneAfterTheOther(partitioned, vectors, level, pair.first(), pair.second()));
        if (level.startsWith("W")) {
            serial.add(oneAfterTheOther(partitioned, vectors, level, pair.second(), pair.first()));
        }
        assertThat(serial).contains(second.rows(table));
    }

    private void interleave(String late, String early) {
        AtomicBoolean done = new AtomicBoolean();
        new Session(second.warehouse(), second.engine(), folder)
                .reruns(new Reruns.Limits(1, 0))
                .beforeCommit(() -> {
                    if (!done.getAndSet(true)) {
                        first.sql(early);
                    }
                })
                .execute(new SourceText("late.sql", late), result -> {});
        if (!done.get()) {
            // a statement that has nothing to commit
            first.sql(early);
        }
    }

    private List<String> oneAfterTheOther(
            boolean partitioned, boolean vectors, String level, String one, String other) {
        String table = "t" + tables++;
        create(table, partitioned, vectors, level);
        first.sql(on(table, one));
        first.sql(on(table, other));
        return first.rows(table);
    }

    private static String on(String table, String statement) {
        return statement.replaceAll("\\bt\\b", table);
    }

    private void create(String table, boolean partitioned, boolean vectors, String level) {
        first.sql("CREATE TABLE " + table + " (id INT, p INT, v INT)" + (partitioned ? " PARTITIONED BY (p)" : "")
                + " TBLPROPERTIES ('delta.isolationLevel' = '" + level + "', 'delta.enableDeletionVectors' = '"
                + vectors + "')");
        for (int file = 0; file < (partitioned ? 4 : 3); file++) {
            List<String> rows = new ArrayList<>();
            for (int id = 10 * file; id < 10 * (file + 1); id++) {
                rows.add("(" + id + ", " + (partitioned ? Math.max(1, file) : 1) + ", 0)");
            }
            first.sql("INSERT INTO " + table + " VALUES " + String.join(", ", rows));
        }
    }

    @Test
    void otherLevelsAreRefusedAndTheLevelCanBeTakenBack() {
        first.sql("CREATE TABLE t (id INT)");
        TidemarkException error = catchThrowableOfType(
                TidemarkException.class,
                () -> first.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'SnapshotIsolation')"));
        assertThat(error.render()).contains("INVALID_SETTING", "Serializable or WriteSerializable");
        first.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable')");
        first.sql("INSERT INTO t VALUES (1)");
        first.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.isolationLevel')");
        first.sql("INSERT INTO t VALUES (1)");
        assertThat(first.table("t").history(3))
                .extracting(record -> record.info().isolationLevel().orElse(""))
                .containsExactly("WriteSerializable", "WriteSerializable", "Serializable");
    }

    @Test
    void statementsThatLoseRunAgain() {
        create("t", false, true, "Serializable");
        AtomicBoolean done = new AtomicBoolean();
        new Session(second.warehouse(), second.engine(), folder)
                .beforeCommit(() -> {
                    if (!done.getAndSet(true)) {
                        first.sql("INSERT INTO t VALUES (5, 1, 7)");
                    }
                })
                .execute(new SourceText("late.sql", "UPDATE t SET v = v + 1 WHERE id = 5"), result -> {});
        assertThat(first.sql("SELECT v FROM t WHERE id = 5 ORDER BY v")).containsExactly("1", "8");
    }
}
