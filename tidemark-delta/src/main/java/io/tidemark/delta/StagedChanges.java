package io.tidemark.delta;

import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.CdcFile;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.DomainMetadata;
import io.tidemark.delta.log.FileStatistics;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.RemoveFile;
import io.tidemark.delta.log.SetTransaction;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.vector.DeletionVectors;
import io.tidemark.delta.vector.RowPositions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    private final Map<String, RemoveFile> removes = new LinkedHashMap<>();
    private final Map<String, VectorUpdate> vectorUpdates = new LinkedHashMap<>();

    /** A file that keeps its rows and gets another deletion vector. */
    private record VectorUpdate(AddFile file, RowPositions deleted, long records, long timestamp) {}

    StagedChanges(String operation, String transactionId) {
        this.operation = operation;
        this.transactionId = transactionId;
    }

    void add(AddFile file) {
        if (removes.containsKey(file.path())
                || vectorUpdates.containsKey(file.path())
                || adds.put(file.path(), file) != null) {
            throw new IllegalArgumentException("file " + file.path() + " is changed twice in one transaction");
        }
    }

    void remove(AddFile file, long timestamp) {
        checkUntouched(file);
        removes.put(file.path(), file.toRemove(timestamp, true));
    }

    void updateVector(AddFile file, RowPositions deleted, long records, long timestamp) {
        checkUntouched(file);
        vectorUpdates.put(file.path(), new VectorUpdate(file, deleted, records, timestamp));
    }

    boolean removesRows() {
        return !removes.isEmpty() || !vectorUpdates.isEmpty();
    }

    boolean hasVectorUpdates() {
        return !vectorUpdates.isEmpty();
    }

    boolean touchesFiles() {
        return removesRows() || !adds.isEmpty();
    }

    boolean onlyTouchesFiles() {
        return domains.isEmpty() && transactions.isEmpty() && metadata == null && changeFiles.isEmpty();
    }

    /**
     * Writes the new deletion vectors, all into one file.
     *
     * @return the vector of each file, by the file's path
     */
    Map<String, DeletionVectorDescriptor> writeVectors(Storage storage, String table) {
        List<String> paths = new ArrayList<>(vectorUpdates.keySet());
        List<DeletionVectorDescriptor> descriptors = DeletionVectors.write(
                storage,
                table,
                vectorUpdates.values().stream().map(VectorUpdate::deleted).toList());
        Map<String, DeletionVectorDescriptor> byPath = new LinkedHashMap<>();
        for (int i = 0; i < paths.size(); i++) {
            byPath.put(paths.get(i), descriptors.get(i));
        }
        return byPath;
    }

    /** The actions on files, in an order that never depends on chance. */
    List<Action> fileActions(Map<String, DeletionVectorDescriptor> vectors) {
        List<Action> actions = new ArrayList<>();
        removes.values().forEach(remove -> actions.add(withDataChange(remove)));
        vectorUpdates.forEach((path, update) -> {
            actions.add(update.file().toRemove(update.timestamp(), dataChange));
            actions.add(update.file()
                    .withDeletionVector(
                            vectors.get(path), loosened(update.file().stats(), update.records()))
                    .withDataChange(dataChange));
        });
        adds.values().forEach(add -> actions.add(add.withDataChange(dataChange && add.dataChange())));
        actions.addAll(changeFiles);
        return actions;
    }

    private RemoveFile withDataChange(RemoveFile remove) {
        return new RemoveFile(
                remove.path(),
                remove.deletionTimestamp(),
                dataChange,
                remove.extendedFileMetadata(),
                remove.partitionValues(),
                remove.size(),
                remove.tags(),
                remove.deletionVector(),
                remove.baseRowId(),
                remove.defaultRowCommitVersion(),
                remove.stats());
    }

    private static String loosened(@Nullable String stats, long records) {
        try {
            return FileStatistics.loosened(stats, records);
        } catch (IOException e) {
            throw new IllegalStateException("statistics that were read before cannot be read", e);
        }
    }

    private void checkUntouched(AddFile file) {
        if (removes.containsKey(file.path())
                || vectorUpdates.containsKey(file.path())
                || adds.containsKey(file.path())) {
            throw new IllegalArgumentException("file " + file.path() + " is changed twice in one transaction");
        }
    }
}
