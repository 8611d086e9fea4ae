package io.tidemark.pipeline.state;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.CrashPoints;
import io.tidemark.delta.PinnedState;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.Storage;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The folder that holds a target's state. Files in it are written once and never changed. */
public final class StateFolder {
    /** Crash point: the state's files are written, the manifest is not. */
    public static final String BEFORE_MANIFEST = "pipeline.before-manifest";
    /** Crash point: the manifest is written, no commit pins it. */
    public static final String AFTER_MANIFEST = "pipeline.after-manifest";

    private final Storage storage;
    private final String folder;

    private StateFolder(Storage storage, String folder) {
        this.storage = storage;
        this.folder = folder;
    }

    /** The state folder of a table. */
    public static StateFolder of(Storage storage, Snapshot table) {
        return new StateFolder(storage, PinnedState.folder(storage, table));
    }

    /** The folder's path. */
    public String path() {
        return folder;
    }

    /** The path of a file of the state. */
    public String path(Manifest.StateFile file) {
        return storage.child(folder, file.path());
    }

    /** Makes the folder if it is missing. */
    public void create() {
        storage.createFolders(folder);
    }

    /**
     * Reads a pinned manifest and checks that its files are there.
     *
     * @throws TidemarkException {@code STATE_MISSING} if the manifest or a file of it is gone, {@code STATE_CORRUPT}
     */
    public Manifest load(String id, String table) {
        String path = storage.child(folder, PinnedState.manifestFile(id));
        if (!storage.exists(path)) {
            throw missing(table, path);
        }
        Manifest manifest;
        try {
            manifest = Manifest.parse(id, new String(storage.read(path), StandardCharsets.UTF_8));
        } catch (TidemarkException e) {
            throw e.code() == ErrorCode.STATE_CORRUPT ? corrupt(table, path, e.primary(), e) : e;
        }
        files(manifest).forEach(file -> require(table, file));
        return manifest;
    }

    /**
     * Writes a manifest that no commit pins yet. It and the files that it names are durable then.
     *
     * @param before a manifest that a commit pins, whose files are durable already; nothing if there is none
     */
    public void write(Manifest manifest, Optional<Manifest> before) {
        CrashPoints.reach(BEFORE_MANIFEST);
        Set<Manifest.StateFile> durable = new HashSet<>();
        before.ifPresent(pinned -> files(pinned).forEach(durable::add));
        files(manifest).filter(file -> !durable.contains(file)).forEach(file -> storage.makeDurable(path(file)));
        boolean created = storage.createIfAbsent(
                storage.child(folder, PinnedState.manifestFile(manifest.id())),
                manifest.json().getBytes(StandardCharsets.UTF_8));
        if (!created) {
            throw TidemarkException.of(ErrorCode.INTERNAL, "state manifest " + manifest.id() + " is there already")
                    .build();
        }
        CrashPoints.reach(AFTER_MANIFEST);
    }

    private static Stream<Manifest.StateFile> files(Manifest manifest) {
        return Stream.concat(
                manifest.remembered().stream(),
                manifest.processed().values().stream().flatMap(List::stream));
    }

    /** A fresh id. */
    public static String freshId() {
        return UUID.randomUUID().toString();
    }

    private void require(String table, Manifest.StateFile file) {
        Optional<FileInfo> found = storage.info(path(file));
        if (found.isEmpty()) {
            throw missing(table, path(file));
        }
        if (found.get().size() != file.sizeBytes()) {
            String what = "it has " + found.get().size() + " bytes instead of " + file.sizeBytes();
            throw corrupt(table, path(file), what, null);
        }
    }

    private static TidemarkException corrupt(
            String table, String path, String what, @Nullable TidemarkException cause) {
        TidemarkException.Builder error = TidemarkException.of(
                        ErrorCode.STATE_CORRUPT, "the state of table " + table + " is damaged")
                .detail("File " + path + ": " + what + ".")
                .hint("restore the file from a copy, or rebuild the table with --full-refresh=" + table);
        return cause == null ? error.build() : error.cause(cause).build();
    }

    private static TidemarkException missing(String table, String path) {
        return TidemarkException.of(ErrorCode.STATE_MISSING, "the state of table " + table + " is not complete")
                .detail("File " + path
                        + " is not there, but the table's last update needs it. Another program may have "
                        + "cleaned up the folder.")
                .hint("restore the file from a copy, or rebuild the table with --full-refresh=" + table)
                .build();
    }
}
