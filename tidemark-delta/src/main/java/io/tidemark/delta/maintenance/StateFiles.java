package io.tidemark.delta.maintenance;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.PinnedState;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.DomainMetadata;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.Storage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The files of the state of a flow target or a catalog. What a version pins that the log still holds is kept, so that
 * time travel and RESTORE work; the rest goes after the retention, since a run that is about to commit may still need it.
 */
public final class StateFiles {
    private final Storage storage;
    private final DeltaTable table;
    private final Snapshot snapshot;

    private StateFiles(Storage storage, DeltaTable table, Snapshot snapshot) {
        this.storage = storage;
        this.table = table;
        this.snapshot = snapshot;
    }

    /**
     * The files that no version pins which is in a table's log, and that were not changed since a time.
     *
     * @param snapshot the table's latest version
     * @param cutoff younger files are left out
     * @throws TidemarkException {@code STATE_CORRUPT} if a pinned manifest cannot be read
     */
    public static List<FileInfo> unpinned(Storage storage, DeltaTable table, Snapshot snapshot, Instant cutoff) {
        return new StateFiles(storage, table, snapshot).unpinned(cutoff);
    }

    private List<FileInfo> unpinned(Instant cutoff) {
        String folder = PinnedState.folder(storage, snapshot);
        List<FileInfo> files = storage.list(folder, "");
        if (files.isEmpty()) {
            return List.of();
        }
        Set<String> pinned = pinnedManifests();
        Set<String> needed = new HashSet<>();
        Map<String, FileInfo> unneeded = new HashMap<>();
        for (FileInfo file : files) {
            Optional<PinnedState.Manifest> manifest = manifest(file, pinned);
            if (manifest.isPresent()
                    && (pinned.contains(file.name())
                            || !file.modified().isBefore(cutoff)
                            || isForeign(manifest.get()))) {
                needed.add(file.name());
                needed.addAll(manifest.get().files());
            } else if (manifest.isPresent() || !PinnedState.isManifest(file.name())) {
                unneeded.put(file.name(), file);
            }
        }
        boolean shared = snapshot.properties().containsKey(PinnedState.LOCATION_PROPERTY);
        List<FileInfo> expired = new ArrayList<>();
        unneeded.forEach((name, file) -> {
            // In a folder of several tables a file without a manifest may be another table's.
            boolean mayGo = !shared || PinnedState.isManifest(name);
            if (mayGo && !needed.contains(name) && file.modified().isBefore(cutoff)) {
                expired.add(file);
            }
        });
        return expired;
    }

    private boolean isForeign(PinnedState.Manifest manifest) {
        return !manifest.tableId().equals(snapshot.tableId());
    }

    /** A broken manifest that a version pins is reported by those who need it; it is no reason to delete files. */
    private Optional<PinnedState.Manifest> manifest(FileInfo file, Set<String> pinned) {
        if (!PinnedState.isManifest(file.name())) {
            return Optional.empty();
        }
        Optional<PinnedState.Manifest> manifest = PinnedState.read(storage, file.path());
        if (manifest.isEmpty() && pinned.contains(file.name())) {
            throw TidemarkException.of(ErrorCode.STATE_CORRUPT, "the state manifest " + file.path() + " cannot be read")
                    .hint("restore the file from a copy, or rebuild the table with --full-refresh; then VACUUM again")
                    .build();
        }
        return manifest;
    }

    private Set<String> pinnedManifests() {
        Set<String> pinned = new HashSet<>();
        List<Long> versions = table.versions();
        snapshot.domain(PinnedState.DOMAIN).flatMap(PinnedState::manifestName).ifPresent(pinned::add);
        OptionalLong first = table.firstReadableVersion();
        if (first.isPresent() && first.getAsLong() > 0) {
            // What the oldest version pins may stand in a checkpoint only.
            table.at(first.getAsLong())
                    .domain(PinnedState.DOMAIN)
                    .flatMap(PinnedState::manifestName)
                    .ifPresent(pinned::add);
        }
        for (long version : versions) {
            for (Action action : table.actions(version)) {
                if (action instanceof DomainMetadata domain && domain.domain().equals(PinnedState.DOMAIN)) {
                    PinnedState.manifestName(domain.configuration()).ifPresent(pinned::add);
                }
            }
        }
        return pinned;
    }
}
