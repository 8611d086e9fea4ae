package io.tidemark.delta;

import static io.tidemark.core.error.ErrorCode.CONCURRENT_APPEND;
import static io.tidemark.core.error.ErrorCode.CONCURRENT_DELETE_DELETE;
import static io.tidemark.core.error.ErrorCode.CONCURRENT_DELETE_READ;
import static io.tidemark.core.error.ErrorCode.CONCURRENT_TRANSACTION;
import static io.tidemark.core.error.ErrorCode.METADATA_CHANGED;
import static io.tidemark.core.error.ErrorCode.PROTOCOL_CHANGED;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.conflict.Rearrangement;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.skipping.FileCondition;
import io.tidemark.delta.skipping.FileCondition.Comparison;
import io.tidemark.delta.skipping.FileCondition.Operator;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.vector.RowPositions;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What happens to two transactions that read the same version, for each pair of a table of 73 and both isolation
 * levels: B commits first, A second. The transactions are reads and actions by hand on data files that are only named;
 * the same pairs as statements are tested where statements are.
 *
 * <p>Table U has the files f1 (id 0 to 9), f2 (10 to 19) and f3 (20 to 29); table P is partitioned by p and has a1 and
 * a2 (p = 1, id 0 to 9 and 10 to 19), b1 (p = 2, 20 to 29) and c1 (p = 3, 30 to 39). In each file the row at position n
 * has the n-th id.
 */
@SuppressWarnings("UnnecessaryLambda") // operations are values of the table below
class InterleavingsTest {
    private static final @Nullable ErrorCode OK = null;
    private static final ErrorCode CAE = CONCURRENT_APPEND;
    private static final ErrorCode CDR = CONCURRENT_DELETE_READ;
    private static final ErrorCode CDD = CONCURRENT_DELETE_DELETE;
    private static final ErrorCode MCE = METADATA_CHANGED;
    private static final ErrorCode PCE = PROTOCOL_CHANGED;
    private static final ErrorCode CTE = CONCURRENT_TRANSACTION;
    private static final StructType SCHEMA =
            StructType.of(StructField.of("id", ScalarType.LONG), StructField.of("p", ScalarType.INTEGER));

    @TempDir
    Path folder;

    /** One statement: its reads and actions on a snapshot. */
    private interface Operation extends Function<Snapshot, Transaction> {}

    // ---- unpartitioned

    private static final Operation INSERT = insert("f9", 0, 39);
    private static final Operation INSERT_ELSEWHERE = insert("f9", 30, 39);
    private static final Operation DELETE_F1 = deleteFile("f1", below(10));
    private static final Operation DELETE_F2 = deleteFile("f2", and(atLeast(10), below(20)));
    private static final Operation DELETE_5 = deleteRow("f1", 5, 5);
    private static final Operation DELETE_7 = deleteRow("f1", 7, 7);
    private static final Operation DELETE_15 = deleteRow("f2", 5, 15);
    private static final Operation UPDATE_5 = rewrite("f1", 5, is("id", 5), "f1n", 0, 9);
    private static final Operation UPDATE_15 = rewrite("f2", 5, is("id", 15), "f2n", 10, 19);
    /** An update whose new rows may have any id. */
    private static final Operation UPDATE_15_WIDELY = rewrite("f2", 5, is("id", 15), "f2n", 0, 39);

    private static final Operation DELETE_NOTHING =
            snapshot -> begin(snapshot, "DELETE", is("id", 1000)).parameter("predicate", "id = 1000");
    private static final Operation OPTIMIZE = compaction(true, "f12", List.of("f1", "f2"), List.of("f3"));
    /** A compaction that does not tell where its rows come from, as other engines do it. */
    private static final Operation OPTIMIZE_SILENTLY = compaction(false, "f12", List.of("f1", "f2"), List.of("f3"));

    private static final Operation OPTIMIZE_F3 = compaction(true, "f33", List.of("f3"), List.of());
    private static final Operation REMOVE_F1 =
            snapshot -> snapshot.begin("REMOVE").readNothing().remove(file(snapshot, "f1"));
    private static final Operation REMOVE_F2 =
            snapshot -> snapshot.begin("REMOVE").readNothing().remove(file(snapshot, "f2"));
    private static final Operation INSERT_FROM_SELF =
            snapshot -> add(snapshot.begin("WRITE").readWholeTable(), "f7");
    private static final Operation READ_ALL_AND_ADD =
            snapshot -> add(snapshot.begin("WRITE").readWholeTable(), "f4");
    private static final Operation MERGE_NEW_KEYS =
            snapshot -> add(snapshot.begin("MERGE").readWholeTable().dependsOnAbsentKeys(), "f6");
    private static final Operation OVERWRITE = snapshot -> {
        Transaction transaction = snapshot.begin("WRITE").readWholeTable();
        snapshot.files().forEach(transaction::remove);
        return add(transaction, "f5");
    };
    private static final Operation ALTER =
            snapshot -> snapshot.begin("SET TBLPROPERTIES").setProperties(Map.of("owner", "somebody"), List.of());
    private static final Operation ALTER_AND_READ =
            snapshot -> ALTER.apply(snapshot).readWholeTable();
    private static final Operation UPGRADE = snapshot -> snapshot.begin("UPGRADE PROTOCOL")
            .setProperties(Map.of("delta.feature.vacuumProtocolCheck", "supported"), List.of());

    // ---- partitioned

    private static final FileCondition P1 = is("p", 1);
    private static final Operation UPDATE_A1 = rewrite("a1", 5, and(P1, is("id", 5)), "a1n", 0, 9);
    private static final Operation UPDATE_A1_BY_ID = rewrite("a1", 5, is("id", 5), "a1n", 0, 9);
    private static final Operation UPDATE_A2 = rewrite("a2", 5, and(P1, is("id", 15)), "a2n", 10, 19);
    private static final Operation UPDATE_A2_WIDELY = rewrite("a2", 5, and(P1, is("id", 15)), "a2n", 0, 39);
    private static final Operation UPDATE_P2 = rewrite("b1", 3, is("p", 2), "b1n", 20, 29);
    private static final Operation UPDATE_P2_WIDELY = rewrite("b1", 3, is("p", 2), "b1n", 0, 39);
    private static final Operation DELETE_A2 = deleteFile("a2", and(P1, atLeast(10), below(20)));
    private static final Operation DELETE_P2 = deleteFile("b1", is("p", 2));
    private static final Operation OPTIMIZE_P1 = compaction(true, "a12", List.of("a1", "a2"), List.of());
    private static final Operation OPTIMIZE_P2 = compaction(true, "b11", List.of("b1"), List.of());
    private static final Operation MERGE_A1 = snapshot -> {
        Transaction transaction = snapshot.begin("MERGE").readWholeTable().dependsOnAbsentKeys();
        return add(transaction.remove(file(snapshot, "a1")), "a1n", 1, 0, 9);
    };
    private static final Operation INSERT_READING_P4 =
            snapshot -> add(begin(snapshot, "WRITE", is("p", 4)), "c9", 3, 30, 39);

    @TestFactory
    Stream<DynamicTest> unpartitioned() {
        return Stream.of(
                        // a long DELETE against an INSERT is the example of the documentation
                        row("1", DELETE_F1, INSERT, CAE, OK),
                        row("1 elsewhere", DELETE_F1, INSERT_ELSEWHERE, OK, OK),
                        row("2", DELETE_5, INSERT, CAE, OK),
                        row("2 elsewhere", DELETE_5, INSERT_ELSEWHERE, OK, OK),
                        row("3", DELETE_NOTHING, INSERT, OK, OK),
                        row("4", DELETE_NOTHING, UPDATE_5, OK, OK),
                        row("5", REMOVE_F1, INSERT, OK, OK),
                        row("6", REMOVE_F1, REMOVE_F2, OK, OK),
                        row("7", DELETE_5, DELETE_7, OK, OK),
                        row("7 same row", DELETE_5, DELETE_5, CAE, CAE),
                        row("8", DELETE_5, DELETE_15, OK, OK),
                        row("9", DELETE_F1, DELETE_F2, OK, OK),
                        row("10", DELETE_5, DELETE_F2, OK, OK),
                        row("11", UPDATE_5, UPDATE_15, OK, OK),
                        row("11 anywhere", UPDATE_5, UPDATE_15_WIDELY, CAE, CAE),
                        row("12", UPDATE_5, DELETE_F2, OK, OK),
                        row("13", OPTIMIZE, INSERT, OK, OK),
                        row("14", OPTIMIZE, UPDATE_5, CDR, CDR),
                        row("15", OPTIMIZE, DELETE_5, OK, OK),
                        row("15 silently", OPTIMIZE_SILENTLY, DELETE_5, CDR, CDR),
                        row("16", UPDATE_5, OPTIMIZE, CDR, CDR),
                        row("17", UPDATE_5, OPTIMIZE_F3, OK, OK),
                        row("18", INSERT_FROM_SELF, OPTIMIZE, OK, OK),
                        row("19", READ_ALL_AND_ADD, OPTIMIZE_F3, OK, OK),
                        row("20", OPTIMIZE, OPTIMIZE, CDR, CDR),
                        row("21", OPTIMIZE, OPTIMIZE_F3, CDR, CDR),
                        row("22", OPTIMIZE_F3, UPDATE_5, OK, OK),
                        row("23", ALTER, INSERT, OK, OK),
                        row("24", ALTER_AND_READ, INSERT, CAE, CAE),
                        row("25", UPDATE_5, ALTER, MCE, MCE),
                        row("26", UPDATE_5, UPGRADE, OK, OK),
                        row("27", UPGRADE, UPGRADE, PCE, PCE),
                        row("28", UPGRADE, INSERT, OK, OK),
                        row("29", ALTER, ALTER, MCE, MCE),
                        row("30", progress("A", 1, true), progress("A", 2, false), CTE, CTE),
                        row("31", progress("A", 1, false), progress("A", 2, false), CTE, CTE),
                        row("32", progress("A", 1, true), progress("B", 1, false), OK, OK),
                        row("33", domain("d1", "1"), domain("d1", "2"), CTE, CTE),
                        row("34", domain("d1", "1"), domain("d2", "1"), OK, OK),
                        row("35", domainAfterReadingAll(), INSERT, CAE, OK),
                        row("52", INSERT_FROM_SELF, INSERT, CAE, OK),
                        row("53", INSERT_FROM_SELF, DELETE_F1, CDR, CDR),
                        row("54", INSERT_FROM_SELF, UPDATE_5, CAE, CAE),
                        row("55", UPDATE_5, INSERT, CAE, OK),
                        row("55 elsewhere", UPDATE_5, INSERT_ELSEWHERE, OK, OK),
                        row("56", MERGE_NEW_KEYS, INSERT, CAE, CAE),
                        row("56 other keys", mergeNewKeys(50, 59), INSERT, OK, OK),
                        row("56 same keys", mergeNewKeys(35, 59), INSERT, CAE, CAE),
                        row("57", MERGE_NEW_KEYS, MERGE_NEW_KEYS, CAE, CAE),
                        row("58", MERGE_NEW_KEYS, DELETE_F1, CDR, CDR),
                        row("59", OVERWRITE, INSERT, CAE, OK),
                        row("60", READ_ALL_AND_ADD, INSERT, CAE, OK),
                        row("61", DELETE_F1, DELETE_F1, CDR, CDR),
                        row("62", UPDATE_5, DELETE_5, CAE, CAE),
                        row("63", REMOVE_F1, REMOVE_F1, CDD, CDD),
                        row("64", REMOVE_F1, UPDATE_15, OK, OK),
                        row("65", DELETE_5, OPTIMIZE, OK, OK),
                        row("65 silently", DELETE_5, OPTIMIZE_SILENTLY, CDR, CDR),
                        row("66", MERGE_NEW_KEYS, OPTIMIZE_F3, OK, OK),
                        row("67", INSERT, DELETE_F1, OK, OK),
                        row("68", INSERT, UPDATE_5, OK, OK),
                        row("69", INSERT, OPTIMIZE, OK, OK),
                        row("70", INSERT, OVERWRITE, OK, OK),
                        row("71", INSERT, ALTER, MCE, MCE),
                        row("72", INSERT, UPGRADE, OK, OK))
                .flatMap(row -> tests(row, false));
    }

    @TestFactory
    Stream<DynamicTest> partitioned() {
        return Stream.of(
                        row("36", UPDATE_A1, insert("a9", 1, 0, 39), CAE, OK),
                        row("37", UPDATE_A1, insert("b9", 2, 0, 39), OK, OK),
                        row("38", UPDATE_A1, UPDATE_P2_WIDELY, OK, OK),
                        row("39", UPDATE_A1, UPDATE_A2, OK, OK),
                        row("39 anywhere", UPDATE_A1, UPDATE_A2_WIDELY, CAE, CAE),
                        row("40", UPDATE_A1, DELETE_A2, OK, OK),
                        row("41", UPDATE_A1_BY_ID, UPDATE_P2, OK, OK),
                        row("41 anywhere", UPDATE_A1_BY_ID, UPDATE_P2_WIDELY, CAE, CAE),
                        row("42", UPDATE_A1_BY_ID, insert("b9", 2, 0, 39), CAE, OK),
                        row("43", UPDATE_A1_BY_ID, DELETE_P2, OK, OK),
                        row("44", MERGE_A1, UPDATE_P2, CAE, CAE),
                        row("45", MERGE_A1, DELETE_P2, CDR, CDR),
                        row("46", UPDATE_A1, OPTIMIZE_P1, CDR, CDR),
                        row("47", UPDATE_A1, OPTIMIZE_P2, OK, OK),
                        row("48", OPTIMIZE_P1, UPDATE_A1, CDR, CDR),
                        row("49", OPTIMIZE_P1, insert("a9", 1, 0, 39), OK, OK),
                        row("50", DELETE_P2, insert("b9", 2, 0, 39), CAE, OK),
                        row("51", INSERT_READING_P4, insert("a9", 1, 0, 39), OK, OK),
                        row("73", OPTIMIZE_P1, UPDATE_P2, OK, OK))
                .flatMap(row -> tests(row, true));
    }

    private record Row(
            String name,
            Operation second,
            Operation first,
            @Nullable ErrorCode serializable,
            @Nullable ErrorCode writeSerializable) {}

    private static Row row(
            String name,
            Operation second,
            Operation first,
            @Nullable ErrorCode serializable,
            @Nullable ErrorCode writeSerializable) {
        return new Row(name, second, first, serializable, writeSerializable);
    }

    private Stream<DynamicTest> tests(Row row, boolean partitioned) {
        return Stream.of("Serializable", "WriteSerializable")
                .map(level -> DynamicTest.dynamicTest(
                        row.name() + " " + level,
                        () -> check(
                                row,
                                partitioned,
                                level,
                                level.startsWith("W") ? row.writeSerializable() : row.serializable())));
    }

    private void check(Row row, boolean partitioned, String level, @Nullable ErrorCode expected) {
        DeltaTable table = DeltaTable.at(
                new LocalStorage(), folder.resolve(row.name() + level).toString());
        create(table, partitioned, level);
        Snapshot read = table.snapshot();
        Transaction second = row.second().apply(read);
        Transaction first = row.first().apply(read);
        long version = first.commit().version();
        CommitOutcome outcome = second.commit();
        if (expected != null) {
            assertThat(outcome).isInstanceOfSatisfying(CommitOutcome.Rejected.class, rejected -> {
                assertThat(rejected.conflict().code()).isEqualTo(expected);
                assertThat(rejected.conflict().winningVersion()).isEqualTo(version);
            });
            assertThat(table.latestVersion()).isEqualTo(version);
            return;
        }
        assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class);
        checkTogether(table.snapshot(), read, row);
    }

    /** What both did is in the table: no file twice, and deleted rows stay deleted. */
    private void checkTogether(Snapshot after, Snapshot before, Row row) {
        assertThat(after.version()).isEqualTo(before.version() + 2);
        List<String> paths = after.files().stream().map(DataFile::path).toList();
        assertThat(paths).doesNotHaveDuplicates();
        switch (row.name()) {
            case "7" -> assertThat(after.deletedRows(file(after, "f1"))).isEqualTo(RowPositions.of(5, 7));
            case "8" -> {
                assertThat(after.deletedRows(file(after, "f1"))).isEqualTo(RowPositions.of(5));
                assertThat(after.deletedRows(file(after, "f2"))).isEqualTo(RowPositions.of(5));
            }
            case "15", "65" -> {
                assertThat(paths).containsExactlyInAnyOrder("f12", "f3");
                assertThat(after.deletedRows(file(after, "f12"))).isEqualTo(RowPositions.of(5));
            }
            case "1" -> assertThat(paths).containsExactlyInAnyOrder("f2", "f3", "f9");
            case "70" -> assertThat(paths).containsExactlyInAnyOrder("f5", "f9");
            default -> assertThat(paths).isNotEmpty();
        }
    }

    private static void create(DeltaTable table, boolean partitioned, String level) {
        TableDefinition definition = new TableDefinition(
                SCHEMA,
                partitioned ? List.of("p") : List.of(),
                List.of(),
                Map.of(
                        "delta.enableDeletionVectors",
                        "true",
                        "delta.isolationLevel",
                        level,
                        "delta.feature.domainMetadata",
                        "supported"),
                null);
        table.create(definition).commit().version();
        Transaction rows = table.snapshot().begin("WRITE");
        if (partitioned) {
            add(rows, "a1", 1, 0, 9);
            add(rows, "a2", 1, 10, 19);
            add(rows, "b1", 2, 20, 29);
            add(rows, "c1", 3, 30, 39);
        } else {
            add(rows, "f1", null, 0, 9);
            add(rows, "f2", null, 10, 19);
            add(rows, "f3", null, 20, 29);
        }
        rows.commit().version();
    }

    // ---- operations

    private static Operation insert(String file, long from, long to) {
        return snapshot -> add(snapshot.begin("WRITE"), file, null, from, to);
    }

    private static Operation insert(String file, int partition, long from, long to) {
        return snapshot -> add(snapshot.begin("WRITE"), file, partition, from, to);
    }

    private static Operation deleteFile(String file, FileCondition where) {
        return snapshot -> begin(snapshot, "DELETE", where)
                .readRows(file(snapshot, file), RowPositions.of(LongStream.range(0, 10)))
                .remove(file(snapshot, file));
    }

    private static Operation deleteRow(String file, long position, long id) {
        return snapshot -> begin(snapshot, "DELETE", is("id", id))
                .readRows(file(snapshot, file), RowPositions.of(position))
                .deleteRows(file(snapshot, file), RowPositions.of(position));
    }

    private static Operation rewrite(
            String file, long position, FileCondition where, String image, long imageFrom, long imageTo) {
        return snapshot -> {
            DataFile target = file(snapshot, file);
            String partition = target.partitionValues().get("p");
            Transaction transaction = begin(snapshot, "UPDATE", where)
                    .readRows(target, RowPositions.of(position))
                    .remove(target);
            return add(transaction, image, partition == null ? null : Integer.valueOf(partition), imageFrom, imageTo);
        };
    }

    private static Operation compaction(boolean tagged, String output, List<String> sources, List<String> alsoRead) {
        return snapshot -> {
            Transaction transaction = snapshot.begin("OPTIMIZE").rearrangesOnly();
            alsoRead.forEach(name -> transaction.readFile(file(snapshot, name)));
            List<Rearrangement.Source> origins = new ArrayList<>();
            Map<String, @Nullable String> partition = Map.of();
            for (String name : sources) {
                DataFile source = file(snapshot, name);
                partition = source.partitionValues();
                transaction.readFile(source).remove(source);
                origins.add(new Rearrangement.Source(
                        source.add().path(), source.add().deletionVector(), 10));
            }
            Map<String, @Nullable String> tags =
                    tagged ? Map.of(Rearrangement.TAG, Rearrangement.tag(origins)) : Map.of();
            return transaction.add(new AddFile(
                    output,
                    partition,
                    100,
                    1,
                    false,
                    stats(0, 39, 10L * sources.size()),
                    tags,
                    null,
                    null,
                    null,
                    null));
        };
    }

    private static Operation progress(String application, long version, boolean checked) {
        return snapshot -> {
            Transaction transaction = add(snapshot.begin("WRITE"), "f-" + application + version);
            if (checked) {
                transaction.readTransaction(application);
            }
            return transaction.setTransaction(application, version);
        };
    }

    private static Operation domain(String name, String value) {
        return snapshot -> add(snapshot.begin("WRITE"), "f-" + name + value).setDomain(name, value);
    }

    private static Operation domainAfterReadingAll() {
        return snapshot -> snapshot.begin("WRITE").readWholeTable().setDomain("d1", "1");
    }

    private static Operation mergeNewKeys(long from, long to) {
        return snapshot -> add(
                begin(snapshot, "MERGE", and(atLeast(from), below(to + 1))).dependsOnAbsentKeys(),
                "f6",
                null,
                from,
                to);
    }

    private static Transaction begin(Snapshot snapshot, String operation, FileCondition where) {
        return snapshot.begin(operation).readFilesMatching(snapshot.filter(where));
    }

    private static Transaction add(Transaction transaction, String file) {
        return add(transaction, file, null, 0, 39);
    }

    private static Transaction add(
            Transaction transaction, String file, @Nullable Integer partition, long from, long to) {
        Map<String, @Nullable String> values = partition == null ? Map.of() : Map.of("p", partition.toString());
        return transaction.add(file, values, 100, stats(from, to, 10));
    }

    private static String stats(long from, long to, long records) {
        return "{\"numRecords\":" + records + ",\"minValues\":{\"id\":" + from + "},\"maxValues\":{\"id\":" + to
                + "},\"nullCount\":{\"id\":0}}";
    }

    private static DataFile file(Snapshot snapshot, String path) {
        return TableFixture.file(snapshot, path);
    }

    // ---- conditions

    private static FileCondition is(String column, long value) {
        return new Comparison(column, Operator.EQUAL, BigDecimal.valueOf(value));
    }

    private static FileCondition below(long value) {
        return new Comparison("id", Operator.LESS, BigDecimal.valueOf(value));
    }

    private static FileCondition atLeast(long value) {
        return new Comparison("id", Operator.GREATER_OR_EQUAL, BigDecimal.valueOf(value));
    }

    private static FileCondition and(FileCondition... conditions) {
        return new FileCondition.And(List.of(conditions));
    }
}
