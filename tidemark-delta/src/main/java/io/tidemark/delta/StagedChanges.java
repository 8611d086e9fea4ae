package io.tidemark.delta;

import io.tidemark.delta.conflict.Attempt;
import io.tidemark.delta.conflict.Rearrangement;
import io.tidemark.delta.conflict.TouchedFile;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.CdcFile;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.DomainMetadata;
import io.tidemark.delta.log.FileStatistics;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.SetTransaction;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.vector.DeletionVectors;
import io.tidemark.delta.vector.RowPositions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a transaction would change, as far as it does not depend on the version that it will get. */
final class StagedChanges {
    final String transactionId;
    final Map<String, String> parameters = new LinkedHashMap<>();
    final Map<String, String> metrics = new LinkedHashMap<>();
    final Map<String, DomainMetadata> domains = new LinkedHashMap<>();
    final Map<String, SetTransaction> transactions = new LinkedHashMap<>();
    final List<CdcFile> changeFiles = new ArrayList<>();
    final Set<String> requestedFeatures = new TreeSet<>();
    String operation;

    @Nullable
    String userMetadata;

    @Nullable
    Metadata metadata;

    boolean dataChange = true;

    private final Map<String, AddFile> adds = new LinkedHashMap<>();
    private final Map<String, TouchedFile> touched = new LinkedHashMap<>();
    private final long timestamp = System.currentTimeMillis();

    StagedChanges(String operation, String transactionId) {
        this.operation = operation;
        this.transactionId = transactionId;
    }

    void add(AddFile file) {
        if (touched.containsKey(file.path()) || adds.put(file.path(), file) != null) {
            throw new IllegalArgumentException("file " + file.path() + " is changed twice in one transaction");
        }
    }

    void touch(TouchedFile file) {
        String path = file.base().path();
        if (adds.containsKey(path) || touched.put(path, file) != null) {
            throw new IllegalArgumentException("file " + path + " is changed twice in one transaction");
        }
    }

    boolean removesRows() {
        return !touched.isEmpty();
    }

    boolean touchesFiles() {
        return removesRows() || !adds.isEmpty();
    }

    boolean onlyTouchesFiles() {
        return domains.isEmpty() && transactions.isEmpty() && metadata == null && changeFiles.isEmpty();
    }

    Map<String, TouchedFile> touched() {
        return touched;
    }

    /** The files of rearranged rows that are to be added. */
    List<Rearrangement> rearranged() {
        if (dataChange) {
            return List.of();
        }
        Map<String, Optional<DeletionVectorDescriptor>> removed = new LinkedHashMap<>();
        touched.forEach((path, file) ->
                removed.put(path, Optional.ofNullable(file.base().deletionVector())));
        return adds.values().stream()
                .flatMap(add -> Rearrangement.of(add, removed).stream())
                .toList();
    }

    /**
     * Writes the new deletion vectors, all into one file.
     *
     * @return the vector of each file, by the file's path
     */
    Map<String, DeletionVectorDescriptor> writeVectors(Storage storage, String table, Attempt attempt) {
        Map<String, RowPositions> vectors = new LinkedHashMap<>();
        attempt.touched().forEach((path, file) -> {
            if (file instanceof TouchedFile.RowsDeleted rows && !isEmptied(rows)) {
                vectors.put(path, rows.allDeleted());
            }
        });
        attempt.deletedFromOutputs().forEach((path, rows) -> {
            if (!rows.isEmpty()) {
                vectors.put(path, rows);
            }
        });
        if (vectors.isEmpty()) {
            return Map.of();
        }
        List<DeletionVectorDescriptor> descriptors =
                DeletionVectors.write(storage, table, List.copyOf(vectors.values()));
        Map<String, DeletionVectorDescriptor> byPath = new LinkedHashMap<>();
        int next = 0;
        for (String path : vectors.keySet()) {
            byPath.put(path, descriptors.get(next++));
        }
        return byPath;
    }

    /** A commit promises that its rows are there after a loss of power too, whoever wrote their files. */
    void makeDurable(Storage storage, String table) {
        adds.keySet().stream().map(path -> storage.resolve(table, path)).forEach(storage::makeDurable);
        changeFiles.forEach(file -> storage.makeDurable(storage.resolve(table, file.path())));
    }

    /** The actions on files, in an order that never depends on chance. */
    List<Action> fileActions(Attempt attempt, Map<String, DeletionVectorDescriptor> vectors) {
        List<Action> actions = new ArrayList<>();
        attempt.touched().forEach((path, file) -> {
            actions.add(file.base().toRemove(timestamp, dataChange));
            if (file instanceof TouchedFile.Replaced replaced) {
                actions.add(replaced.replacement().withDataChange(dataChange));
            }
            if (file instanceof TouchedFile.RowsDeleted rows && !isEmptied(rows)) {
                actions.add(withVector(rows.base(), vectors.get(path)).withDataChange(dataChange));
            }
        });
        adds.values().forEach(add -> {
            DeletionVectorDescriptor vector = vectors.get(add.path());
            AddFile added = vector == null ? add : withVector(add, vector);
            actions.add(added.withDataChange(dataChange && add.dataChange()));
        });
        actions.addAll(changeFiles);
        return actions;
    }

    /** A file without remaining rows goes as a whole. */
    private static boolean isEmptied(TouchedFile.RowsDeleted rows) {
        return rows.allDeleted().cardinality() == records(rows.base());
    }

    private static long records(AddFile file) {
        return FileStatistics.parse(file.stats())
                .numRecords()
                .orElseThrow(() -> new IllegalStateException("no number of records of " + file.path()));
    }

    private static AddFile withVector(AddFile file, @Nullable DeletionVectorDescriptor vector) {
        return file.withDeletionVector(vector, loosened(file.stats(), records(file)));
    }

    private static String loosened(@Nullable String stats, long records) {
        try {
            return FileStatistics.loosened(stats, records);
        } catch (IOException e) {
            throw new IllegalStateException("statistics that were read before cannot be read", e);
        }
    }
}
