package io.tidemark.delta;

import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.vector.RowPositions;
import java.nio.file.Path;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Small tables for tests. Their data files are only named, not written: the log does not look into them. */
final class TableFixture {
    static final StructType SCHEMA =
            StructType.of(StructField.of("id", ScalarType.LONG), StructField.of("name", ScalarType.STRING));
    static final long RECORDS = 10;

    final Storage storage;
    final DeltaTable table;

    TableFixture(Storage storage, String location) {
        this.storage = storage;
        this.table = DeltaTable.at(storage, location);
    }

    static TableFixture in(Path folder) {
        return new TableFixture(new LocalStorage(), folder.resolve("t").toString());
    }

    static TableDefinition definition() {
        return TableDefinition.of(SCHEMA).with("delta.enableDeletionVectors", "true");
    }

    TableFixture create() {
        return create(definition());
    }

    TableFixture create(TableDefinition definition) {
        table.create(definition).commit().version();
        return this;
    }

    long append(String file) {
        return stageAppend(table.snapshot(), file).commit().version();
    }

    static Transaction stageAppend(Snapshot snapshot, String file) {
        return snapshot.begin("WRITE").add(file, Map.of(), 100, stats());
    }

    static Transaction stageDelete(Snapshot snapshot, String file, long... rows) {
        DataFile target = file(snapshot, file);
        return snapshot.begin("DELETE").readFile(target).deleteRows(target, RowPositions.of(rows));
    }

    static DataFile file(Snapshot snapshot, String path) {
        return snapshot.files().stream()
                .filter(file -> file.path().equals(path))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no file " + path + " in " + snapshot));
    }

    static NavigableSet<String> paths(Snapshot snapshot) {
        return snapshot.files().stream().map(DataFile::path).collect(Collectors.toCollection(TreeSet::new));
    }

    static String stats() {
        return "{\"numRecords\":" + RECORDS
                + ",\"minValues\":{\"id\":0},\"maxValues\":{\"id\":9},\"nullCount\":{\"id\":0}}";
    }
}
