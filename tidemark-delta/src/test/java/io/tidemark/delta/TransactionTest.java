package io.tidemark.delta;

import static io.tidemark.delta.TableFixture.definition;
import static io.tidemark.delta.TableFixture.file;
import static io.tidemark.delta.TableFixture.paths;
import static io.tidemark.delta.TableFixture.stageAppend;
import static io.tidemark.delta.TableFixture.stageDelete;
import static io.tidemark.delta.TableFixture.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.Protocol;
import io.tidemark.delta.log.RemoveFile;
import io.tidemark.delta.vector.RowPositions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransactionTest {
    @TempDir
    Path folder;

    private TableFixture fixture;
    private DeltaTable table;

    @BeforeEach
    void prepare() {
        fixture = TableFixture.in(folder);
        table = fixture.table;
    }

    @Test
    void makesATable() {
        assertThat(table.exists()).isFalse();
        assertThat(table.latest()).isEmpty();
        assertCode(() -> table.snapshot(), ErrorCode.TABLE_NOT_FOUND);
        assertCode(() -> table.latestVersion(), ErrorCode.TABLE_NOT_FOUND);
        fixture.create(definition().commented("hello").with("delta.checkpointInterval", "5"));
        Snapshot snapshot = table.snapshot();
        assertThat(snapshot.version()).isZero();
        assertThat(snapshot.schema()).isEqualTo(TableFixture.SCHEMA);
        assertThat(snapshot.description()).contains("hello");
        assertThat(snapshot.properties())
                .isEqualTo(Map.of("delta.enableDeletionVectors", "true", "delta.checkpointInterval", "5"));
        assertThat(snapshot.protocol())
                .isEqualTo(new Protocol(
                        3, 7, Set.of("deletionVectors"), Set.of("appendOnly", "deletionVectors", "invariants")));
        assertThat(snapshot.files()).isEmpty();
        assertCode(() -> table.create(definition()), ErrorCode.TABLE_EXISTS);
    }

    @Test
    void aPlainTableNeedsNoFeatures() {
        fixture.create(TableDefinition.of(TableFixture.SCHEMA));
        assertThat(table.snapshot().protocol()).isEqualTo(new Protocol(1, 2, Set.of(), Set.of()));
    }

    @Test
    void listsTheFeaturesThatSchemaAndPropertiesNeed() {
        StructType schema = StructType.of(
                StructField.of("id", ScalarType.LONG),
                StructField.of("s", StructType.of(StructField.of("t", ScalarType.TIMESTAMP_NTZ))),
                StructField.of("v", ScalarType.VARIANT));
        fixture.create(TableDefinition.of(schema)
                .clusteredBy("id")
                .with("delta.enableChangeDataFeed", "true")
                .with("delta.feature.vacuumProtocolCheck", "supported"));
        Snapshot snapshot = table.snapshot();
        assertThat(snapshot.protocol().readerFeatures())
                .containsExactlyInAnyOrder("timestampNtz", "variantType", "vacuumProtocolCheck");
        assertThat(snapshot.protocol().writerFeatures())
                .contains("timestampNtz", "variantType", "vacuumProtocolCheck", "changeDataFeed", "clustering")
                .contains("domainMetadata");
        assertThat(snapshot.properties()).containsOnlyKeys("delta.enableChangeDataFeed");
        assertThat(snapshot.domain("delta.clustering"))
                .contains("{\"clusteringColumns\":[[\"id\"]],\"domainName\":\"delta.clustering\"}");
    }

    @Test
    void refusesTablesThatCannotBe() {
        assertCode(() -> table.create(definition().partitionedBy("x")), ErrorCode.TABLE_SCHEMA_INVALID);
        assertCode(() -> table.create(definition().partitionedBy("id", "name")), ErrorCode.TABLE_SCHEMA_INVALID);
        assertCode(() -> table.create(TableDefinition.of(StructType.of())), ErrorCode.TABLE_SCHEMA_INVALID);
        assertCode(
                () -> table.create(TableDefinition.of(
                        StructType.of(StructField.of("a", ScalarType.LONG), StructField.of("A", ScalarType.LONG)))),
                ErrorCode.TABLE_SCHEMA_INVALID);
        assertCode(() -> table.create(definition().with("delta.appendOnly", "yes")), ErrorCode.INVALID_SETTING);
        assertCode(
                () -> table.create(definition().with("delta.columnMapping.mode", "name")),
                ErrorCode.TABLE_FEATURE_UNSUPPORTED);
        assertCode(
                () -> table.create(definition().with("delta.enableRowTracking", "true")),
                ErrorCode.TABLE_FEATURE_UNSUPPORTED);
        assertCode(
                () -> table.create(definition().with("delta.constraints.c", "id > 0")),
                ErrorCode.TABLE_FEATURE_UNSUPPORTED);
        assertThat(table.exists()).isFalse();
    }

    @Test
    void appendsFilesWithWhatBelongsToThem() {
        fixture.create(definition().partitionedBy("name"));
        Map<String, String> partition = new HashMap<>();
        partition.put("name", "a b");
        table.snapshot()
                .begin("WRITE")
                .parameter("mode", "Append")
                .metric("numOutputRows", 10)
                .userMetadata("by hand")
                .add("name=a b/f 1%.parquet", partition, 123, stats())
                .setTransaction("app", 7)
                .setDomain("tidemark.x", "{\"a\":1}")
                .commit();
        Snapshot snapshot = table.snapshot();
        DataFile file = snapshot.files().get(0);
        assertThat(file.path()).isEqualTo("name=a%20b/f%201%25.parquet");
        assertThat(file.location()).isEqualTo(table.location() + "/name=a b/f 1%.parquet");
        assertThat(file.size()).isEqualTo(123);
        assertThat(file.partitionValues()).isEqualTo(partition);
        assertThat(file.liveRecords()).hasValue(10);
        assertThat(file.statistics().max("id")).contains(9L);
        assertThat(snapshot.transactionVersion("app")).hasValue(7);
        assertThat(snapshot.transactionVersion("other")).isEmpty();
        assertThat(snapshot.domains()).isEqualTo(Map.of("tidemark.x", "{\"a\":1}"));
        assertThat(snapshot.protocol().writerFeatures()).contains("domainMetadata", "deletionVectors");
        CommitInfo info = table.history(1).get(0).info();
        assertThat(info.operation()).contains("WRITE");
        assertThat(info.operationParameters()).containsEntry("mode", "Append");
        assertThat(info.operationMetrics()).containsEntry("numOutputRows", "10");
        assertThat(info.userMetadata()).contains("by hand");
        assertThat(info.isBlindAppend()).contains(true);
        assertThat(info.isolationLevel()).contains("WriteSerializable");
        assertThat(info.engineInfo().orElseThrow()).matches("Tidemark/\\d.*");
        assertThat(table.actions(1).get(0)).isInstanceOf(CommitInfo.class);
    }

    @Test
    void deletesRowsByVectors() {
        fixture.create();
        fixture.append("f1");
        fixture.append("f2");
        stageDelete(table.snapshot(), "f1", 3, 5).commit().version();
        Snapshot first = table.snapshot();
        assertThat(first.deletedRows(file(first, "f1"))).isEqualTo(RowPositions.of(3, 5));
        assertThat(file(first, "f1").statistics().tightBounds()).isFalse();
        assertThat(file(first, "f1").statistics().numRecords()).hasValue(10);
        assertThat(file(first, "f1").liveRecords()).hasValue(8);
        assertThat(first.deletedRows(file(first, "f2")).isEmpty()).isTrue();

        stageDelete(first, "f1", 0).commit().version();
        List<Action> actions = table.actions(4);
        RemoveFile remove = first(actions, RemoveFile.class);
        AddFile add = first(actions, AddFile.class);
        assertThat(remove.deletionVector()).isEqualTo(file(first, "f1").add().deletionVector());
        assertThat(add.deletionVector()).isNotNull().isNotEqualTo(remove.deletionVector());
        assertThat(first(actions, CommitInfo.class).isBlindAppend()).contains(false);
        Snapshot second = table.snapshot();
        assertThat(second.deletedRows(file(second, "f1"))).isEqualTo(RowPositions.of(0, 3, 5));
        assertThat(paths(second)).containsExactly("f1", "f2");
        Snapshot past = table.at(3);
        assertThat(past.deletedRows(file(past, "f1"))).isEqualTo(RowPositions.of(3, 5));
    }

    @Test
    void removesFilesThatHaveNoRowsLeft() {
        fixture.create();
        fixture.append("f1");
        stageDelete(table.snapshot(), "f1", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
                .commit()
                .version();
        assertThat(table.snapshot().files()).isEmpty();
        assertThat(binaries()).isZero();
    }

    @Test
    void refusesVectorsThatCannotBe() {
        fixture.create(TableDefinition.of(TableFixture.SCHEMA));
        fixture.append("f1");
        assertCode(() -> stageDelete(table.snapshot(), "f1", 1), ErrorCode.TABLE_FEATURE_UNSUPPORTED);
        table.snapshot()
                .begin("SET TBLPROPERTIES")
                .setProperties(Map.of("delta.enableDeletionVectors", "true"), List.of())
                .commit()
                .version();
        assertThat(table.snapshot().protocol().readerFeatures()).containsExactly("deletionVectors");
        assertCode(() -> stageDelete(table.snapshot(), "f1", 10), ErrorCode.INTERNAL);
        stageDelete(table.snapshot(), "f1", 9).commit().version();
    }

    @Test
    void keepsAppendOnlyTables() {
        fixture.create(definition().with("delta.appendOnly", "true"));
        fixture.append("f1");
        assertCode(() -> stageDelete(table.snapshot(), "f1", 1).commit(), ErrorCode.TABLE_FEATURE_UNSUPPORTED);
        Snapshot snapshot = table.snapshot();
        snapshot.begin("OPTIMIZE")
                .rearrangesOnly()
                .readFile(file(snapshot, "f1"))
                .remove(file(snapshot, "f1"))
                .add("f2", Map.of(), 1, stats())
                .commit()
                .version();
        assertThat(paths(table.snapshot())).containsExactly("f2");
        assertThat(table.history(1).get(0).info().isolationLevel()).contains("SnapshotIsolation");
        assertThat(first(table.actions(2), AddFile.class).dataChange()).isFalse();
        assertThat(first(table.actions(2), RemoveFile.class).dataChange()).isFalse();
    }

    @Test
    void changesSchemaPropertiesAndComment() {
        fixture.create();
        List<StructField> fields = new ArrayList<>(TableFixture.SCHEMA.fields());
        fields.add(StructField.of("at", ScalarType.TIMESTAMP_NTZ));
        table.snapshot()
                .begin("ADD COLUMNS")
                .setSchema(new StructType(fields))
                .setProperties(Map.of("a", "1"), List.of("delta.enableDeletionVectors"))
                .setComment("new")
                .commit()
                .version();
        Snapshot snapshot = table.snapshot();
        assertThat(snapshot.schema().names()).containsExactly("id", "name", "at");
        assertThat(snapshot.properties()).isEqualTo(Map.of("a", "1"));
        assertThat(snapshot.description()).contains("new");
        assertThat(snapshot.protocol().readerFeatures()).containsExactlyInAnyOrder("deletionVectors", "timestampNtz");
        assertThat(snapshot.tableId()).isEqualTo(table.at(0).tableId());
    }

    @Test
    void travelsInTimeAndTellsHistory() {
        fixture.create();
        for (int i = 1; i <= 4; i++) {
            fixture.append("f" + i);
        }
        assertThat(paths(table.at(2))).containsExactly("f1", "f2");
        assertCode(() -> table.at(5), ErrorCode.VERSION_NOT_FOUND);
        assertCode(() -> table.at(-1), ErrorCode.VERSION_NOT_FOUND);
        List<CommitRecord> history = table.history();
        assertThat(history).extracting(CommitRecord::version).containsExactly(4L, 3L, 2L, 1L, 0L);
        assertThat(table.history(2)).isEqualTo(history.subList(0, 2));
        for (CommitRecord record : history) {
            assertThat(table.asOf(record.timestamp()).version()).isEqualTo(record.version());
        }
        assertCode(() -> table.asOf(history.get(4).timestamp().minusSeconds(60)), ErrorCode.TIMESTAMP_OUT_OF_RANGE);
        assertCode(() -> table.asOf(history.get(0).timestamp().plusSeconds(60)), ErrorCode.TIMESTAMP_OUT_OF_RANGE);
        assertCode(() -> table.actions(9), ErrorCode.VERSION_NOT_FOUND);
    }

    @Test
    void keepsTimesInTheLogAscending() {
        fixture.create(definition().with("delta.enableInCommitTimestamps", "true"));
        for (int i = 1; i <= 3; i++) {
            fixture.append("f" + i);
        }
        List<CommitRecord> history = table.history();
        for (int i = 0; i + 1 < history.size(); i++) {
            assertThat(history.get(i).timestamp()).isAfter(history.get(i + 1).timestamp());
            assertThat(history.get(i).info().inCommitTimestamp()).isPresent();
        }
        Snapshot stale = table.at(1);
        long version = stageAppend(stale, "f9").commit().version();
        assertThat(version).isEqualTo(4);
        assertThat(table.snapshot().timestamp())
                .isAfter(table.at(3).timestamp())
                .isEqualTo(table.history(1).get(0).timestamp());
    }

    @Test
    void beginsToKeepTimesInTheLog() {
        fixture.create();
        fixture.append("f1");
        table.snapshot()
                .begin("SET TBLPROPERTIES")
                .setProperties(Map.of("delta.enableInCommitTimestamps", "true"), List.of())
                .commit()
                .version();
        Snapshot snapshot = table.snapshot();
        assertThat(snapshot.properties())
                .containsEntry("delta.inCommitTimestampEnablementVersion", "2")
                .containsEntry(
                        "delta.inCommitTimestampEnablementTimestamp",
                        Long.toString(snapshot.timestamp().toEpochMilli()));
        fixture.append("f2");
        for (CommitRecord record : table.history()) {
            assertThat(table.asOf(record.timestamp()).version()).isEqualTo(record.version());
        }
    }

    @Test
    void timesOfFilesThatStandStillOrGoBackFindTheirVersions() throws IOException {
        fixture.create();
        for (int i = 1; i <= 5; i++) {
            fixture.append("f" + i);
        }
        long now = System.currentTimeMillis();
        long[][] cases = {
            {0, 0, 0, 0, 0, 0}, {0, 0, 0, 9, 9, 9}, {0, 5, 3, 3, 9, 1}, {9, 8, 7, 6, 5, 4}, {0, 1, 1, 1, 1, 2}
        };
        for (long[] times : cases) {
            for (int version = 0; version < times.length; version++) {
                Files.setLastModifiedTime(
                        folder.resolve("t/_delta_log/" + String.format("%020d.json", version)),
                        FileTime.fromMillis(now + times[version]));
            }
            List<CommitRecord> history = table.history();
            assertThat(history).hasSize(times.length);
            for (CommitRecord record : history) {
                assertThat(table.asOf(record.timestamp()).version())
                        .as("%s of %s", record.timestamp(), Arrays.toString(times))
                        .isEqualTo(record.version());
            }
            assertCode(() -> table.asOf(history.get(0).timestamp().plusMillis(1)), ErrorCode.TIMESTAMP_OUT_OF_RANGE);
        }
    }

    @Test
    void timesInTheLogFollowTimesOfFilesThatStandStill() throws IOException {
        fixture.create();
        fixture.append("f1");
        fixture.append("f2");
        FileTime same = FileTime.fromMillis(System.currentTimeMillis() + 60_000);
        for (int version = 0; version <= 2; version++) {
            Files.setLastModifiedTime(folder.resolve("t/_delta_log/" + String.format("%020d.json", version)), same);
        }
        table.snapshot()
                .begin("SET TBLPROPERTIES")
                .setProperties(Map.of("delta.enableInCommitTimestamps", "true"), List.of())
                .commit()
                .version();
        List<CommitRecord> history = table.history();
        assertThat(history).hasSize(4);
        for (CommitRecord record : history) {
            assertThat(table.asOf(record.timestamp()).version()).isEqualTo(record.version());
        }
    }

    @Test
    void independentCommitsFromOneSnapshotBothSucceed() {
        fixture.create();
        fixture.append("f1");
        fixture.append("f2");
        Snapshot snapshot = table.snapshot();
        assertThat(stageAppend(snapshot, "f3").commit().version()).isEqualTo(3);
        assertThat(stageAppend(snapshot, "f4").commit().version()).isEqualTo(4);
        assertThat(stageDelete(snapshot, "f1", 1).commit().version()).isEqualTo(5);
        assertThat(stageDelete(snapshot, "f2", 1).commit().version()).isEqualTo(6);
        assertThat(paths(table.snapshot())).containsExactly("f1", "f2", "f3", "f4");
    }

    @Test
    void rejectsCommitsThatDependOnWhatChanged() {
        fixture.create();
        fixture.append("f1");
        Snapshot snapshot = table.snapshot();
        stageDelete(snapshot, "f1", 1).commit().version();
        CommitOutcome outcome = stageDelete(snapshot, "f1", 2).commit();
        assertThat(outcome).isInstanceOfSatisfying(CommitOutcome.Rejected.class, rejected -> {
            assertThat(rejected.conflict().code()).isEqualTo(ErrorCode.CONCURRENT_APPEND);
            assertThat(rejected.conflict().winningVersion()).isEqualTo(2);
            assertThat(rejected.conflict().winningOperation()).isEqualTo("DELETE");
        });
        assertCode(outcome::version, ErrorCode.CONCURRENT_APPEND);
        assertThat(binaries())
                .as("the loser's vector is gone, the winner's stays")
                .isEqualTo(1);
        assertThat(table.latestVersion()).isEqualTo(2);
        assertThat(table.snapshot().deletedRows(file(table.snapshot(), "f1"))).isEqualTo(RowPositions.of(1));
    }

    @Test
    void removalWithoutDeclaredReadsDependsOnAll() {
        fixture.create();
        fixture.append("f1");
        Snapshot snapshot = table.snapshot();
        stageDelete(snapshot, "f1", 1).commit().version();
        fixture.append("f2");
        Snapshot other = table.snapshot();
        Transaction undeclared = other.begin("DELETE").remove(file(other, "f2"));
        Transaction declared = other.begin("DELETE").readNothing().remove(file(other, "f2"));
        stageDelete(other, "f1", 2).commit().version();
        assertCode(() -> undeclared.commit().version(), ErrorCode.CONCURRENT_APPEND);
        assertThat(declared.commit().version()).isEqualTo(5);
    }

    @Test
    void progressOfApplicationsOnlyAscends() {
        fixture.create();
        table.snapshot().begin("W").setTransaction("a", 5).commit().version();
        Snapshot snapshot = table.snapshot();
        assertCode(() -> snapshot.begin("W").setTransaction("a", 5), ErrorCode.ALREADY_APPLIED);
        snapshot.begin("W").setTransaction("a", 6).commit().version();
        assertCode(
                () -> snapshot.begin("W").setTransaction("a", 7).commit().version(), ErrorCode.CONCURRENT_TRANSACTION);
        assertThat(snapshot.begin("W").setTransaction("b", 1).commit().version())
                .isEqualTo(3);
    }

    @Test
    void domainsComeAndGo() {
        fixture.create();
        table.snapshot()
                .begin("W")
                .setDomain("a", "1")
                .setDomain("b", "2")
                .commit()
                .version();
        Snapshot snapshot = table.snapshot();
        snapshot.begin("W").removeDomain("a").commit().version();
        assertThat(table.snapshot().domains()).isEqualTo(Map.of("b", "2"));
        assertCode(() -> snapshot.begin("W").setDomain("a", "3").commit().version(), ErrorCode.CONCURRENT_TRANSACTION);
        assertCode(() -> snapshot.begin("W").setDomain("delta.x", "3"), ErrorCode.INTERNAL);
    }

    @Test
    void onlyOneOfTwoMakesTheTable() {
        Transaction first = table.create(definition());
        Transaction second = table.create(definition());
        assertThat(first.commit().version()).isZero();
        assertCode(() -> second.commit().version(), ErrorCode.PROTOCOL_CHANGED);
    }

    @Test
    void writesCheckpointsAndReadsThemBack() {
        fixture.create(definition().with("delta.checkpointInterval", "3"));
        fixture.append("f1");
        table.snapshot()
                .begin("W")
                .setDomain("d", "{}")
                .setTransaction("app", 4)
                .add("f2", Map.of(), 5, stats())
                .commit()
                .version();
        stageDelete(table.snapshot(), "f1", 4).commit().version();
        fixture.append("f3");
        assertThat(log())
                .contains("00000000000000000003.checkpoint.parquet", "_last_checkpoint")
                .contains("00000000000000000003.crc");
        Snapshot before = table.snapshot();
        for (int version = 0; version < 3; version++) {
            assertThat(fixture.storage.delete(table.location() + "/_delta_log/" + "%020d.json".formatted(version)))
                    .isTrue();
        }
        Snapshot after = table.snapshot();
        assertThat(Set.copyOf(after.files()))
                .isEqualTo(Set.copyOf(before.files()))
                .hasSize(3);
        assertThat(after.schema()).isEqualTo(TableFixture.SCHEMA);
        assertThat(after.domains()).isEqualTo(Map.of("d", "{}"));
        assertThat(after.transactionVersion("app")).hasValue(4);
        assertThat(after.deletedRows(file(after, "f1"))).isEqualTo(RowPositions.of(4));
        assertCode(() -> table.at(1), ErrorCode.VERSION_NOT_FOUND);
        assertThat(fixture.append("f4")).isEqualTo(5);
        assertThat(fixture.append("f5")).isEqualTo(6);
        assertThat(log()).contains("00000000000000000006.checkpoint.parquet");
        assertThat(paths(table.snapshot())).containsExactly("f1", "f2", "f3", "f4", "f5");
    }

    @Test
    void aTransactionEndsOnce() {
        fixture.create();
        Transaction transaction = stageAppend(table.snapshot(), "f1");
        transaction.commit().version();
        assertCode(transaction::commit, ErrorCode.INTERNAL);
        assertCode(() -> transaction.add("f2", Map.of(), 1, null), ErrorCode.INTERNAL);
    }

    private List<String> log() {
        return names(Path.of(table.location(), "_delta_log"));
    }

    private long binaries() {
        return names(Path.of(table.location())).stream()
                .filter(name -> name.endsWith(".bin"))
                .count();
    }

    private static List<String> names(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static <A extends Action> A first(List<Action> actions, Class<A> kind) {
        return actions.stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .findFirst()
                .orElseThrow();
    }

    static void assertCode(Runnable work, ErrorCode code) {
        assertThatThrownBy(work::run)
                .isInstanceOfSatisfying(
                        TidemarkException.class,
                        error -> assertThat(error.code()).as(error.render()).isEqualTo(code));
    }
}
