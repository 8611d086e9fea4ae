package io.tidemark.delta.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.delta.DataFile;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.history.NamedRows.Row;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.RemoveFile;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.vector.DeletionVectors;
import io.tidemark.delta.vector.RowPositions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Replays a log one commit after the other and asks of each whether it could have run alone at its place: whether what
 * it saw is what was there, and whether it wrote what it had to. Under WriteSerializable a commit may have missed rows
 * that plain appends put before it.
 */
final class HistoryChecker {
    private final Storage storage;
    private final DeltaTable table;
    private final boolean serializable;
    private final Map<String, Row> state = new TreeMap<>();
    private final Map<Long, Set<String>> blindRows = new HashMap<>();
    private final Set<String> transactions = new HashSet<>();

    HistoryChecker(Storage storage, DeltaTable table, boolean serializable) {
        this.storage = storage;
        this.table = table;
        this.serializable = serializable;
    }

    /** Checks the whole history and returns the ids of its transactions. */
    Set<String> check() {
        List<Long> versions = table.versions();
        for (int i = 0; i < versions.size(); i++) {
            assertThat(versions.get(i)).isEqualTo(i);
            apply(versions.get(i), table.actions(versions.get(i)));
        }
        assertThat(liveRows(table.snapshot())).isEqualTo(state);
        return transactions;
    }

    private void apply(long version, List<Action> actions) {
        CommitInfo info = (CommitInfo) actions.get(0);
        assertThat(transactions.add(info.txnId().orElseThrow()))
                .as("version %s is committed twice", version)
                .isTrue();
        Map<String, Row> removed = new TreeMap<>();
        Map<String, Row> added = new TreeMap<>();
        for (Action action : actions) {
            if (action instanceof RemoveFile remove) {
                putAll(removed, live(remove.tags(), remove.deletionVector()));
            } else if (action instanceof AddFile add) {
                putAll(added, live(add.tags(), add.deletionVector()));
            }
        }
        assertThat(state).as("rows that version %s removes", version).containsAllEntriesOf(removed);
        String operation = info.operation().orElseThrow();
        Map<String, Row> deleted = without(removed, added);
        Map<String, Row> inserted = without(added, removed);
        if (operation.equals("OPTIMIZE")) {
            assertThat(deleted).as("rows lost by version %s", version).isEmpty();
            assertThat(inserted).as("rows made by version %s", version).isEmpty();
        }
        checkReads(version, info, operation, deleted, inserted);
        if (operation.equals("INSERT")) {
            blindRows.put(version, inserted.keySet());
        }
        state.keySet().removeAll(deleted.keySet());
        inserted.forEach((id, row) -> assertThat(state.put(id, row))
                .as("row %s of version %s", id, version)
                .isNull());
    }

    private void checkReads(
            long version, CommitInfo info, String operation, Map<String, Row> deleted, Map<String, Row> inserted) {
        Map<String, ?> parameters = info.operationParameters();
        if (!parameters.containsKey(RandomTransactions.SEEN)) {
            return;
        }
        long from = Long.parseLong(String.valueOf(parameters.get(RandomTransactions.FROM)));
        long to = Long.parseLong(String.valueOf(parameters.get(RandomTransactions.TO)));
        Set<String> seen = new TreeSet<>(
                List.of(String.valueOf(parameters.get(RandomTransactions.SEEN)).split(" ")));
        seen.remove("");
        Set<String> expected = new TreeSet<>();
        state.forEach((id, row) -> {
            if (row.key() >= from && row.key() <= to) {
                expected.add(id);
            }
        });
        if (!serializable && !operation.equals("MERGE")) {
            for (long missed = readVersion(info) + 1; missed < version; missed++) {
                expected.removeAll(blindRows.getOrDefault(missed, Set.of()));
            }
        }
        assertThat(seen).as("what version %s (%s) saw", version, operation).isEqualTo(expected);
        switch (operation) {
            case "DELETE" -> {
                assertThat(deleted.keySet()).isEqualTo(seen);
                assertThat(inserted).isEmpty();
            }
            case "UPDATE" -> {
                assertThat(deleted.keySet()).isEqualTo(seen);
                assertThat(inserted).hasSameSizeAs(seen);
            }
            case "COUNT" ->
                assertThat(inserted.values())
                        .extracting(Row::key)
                        .containsExactly(seen.size() % RandomTransactions.KEYS);
            default -> {
                assertThat(operation).isEqualTo("MERGE");
                assertThat(inserted.size()).isEqualTo(seen.isEmpty() ? 1 : 0);
            }
        }
    }

    private static long readVersion(CommitInfo info) {
        return Long.parseLong(String.valueOf(info.values().get("readVersion")));
    }

    private List<Row> live(Map<String, ?> tags, @Nullable DeletionVectorDescriptor vector) {
        RowPositions deleted =
                vector == null ? RowPositions.empty() : DeletionVectors.read(storage, table.location(), vector);
        List<Row> rows = new ArrayList<>();
        List<Row> all = NamedRows.of(tags);
        for (int i = 0; i < all.size(); i++) {
            if (!deleted.contains(i)) {
                rows.add(all.get(i));
            }
        }
        return rows;
    }

    private Map<String, Row> liveRows(Snapshot snapshot) {
        Map<String, Row> rows = new TreeMap<>();
        for (DataFile file : snapshot.files()) {
            putAll(rows, live(file.tags(), file.add().deletionVector()));
        }
        return rows;
    }

    private static void putAll(Map<String, Row> rows, List<Row> more) {
        more.forEach(row ->
                assertThat(rows.put(row.id(), row)).as("row %s", row.id()).isNull());
    }

    private static Map<String, Row> without(Map<String, Row> rows, Map<String, Row> others) {
        Map<String, Row> rest = new TreeMap<>(rows);
        rest.keySet().removeAll(others.keySet());
        return rest;
    }
}
