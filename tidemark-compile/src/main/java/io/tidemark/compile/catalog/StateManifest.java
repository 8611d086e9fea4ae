package io.tidemark.compile.catalog;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.PinnedState;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.JsonValues;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.Storage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which files the state of a catalog version consists of. Pinned by the version's commit as {@link PinnedState} says, so
 * that VACUUM keeps what a version needs and takes the rest.
 *
 * @param relations files by the name of their relation, oldest first
 */
record StateManifest(Map<String, List<StateFile>> relations) {
    static final StateManifest EMPTY = new StateManifest(Map.of());

    private static final long FORMAT_VERSION = 1;

    StateManifest {
        Map<String, List<StateFile>> copy = new TreeMap<>();
        relations.forEach((name, files) -> copy.put(name, List.copyOf(files)));
        relations = Collections.unmodifiableMap(copy);
    }

    List<StateFile> files(String name) {
        return relations.getOrDefault(name, List.of());
    }

    /**
     * Reads a manifest and checks that its files are there.
     *
     * @throws TidemarkException {@code STATE_MISSING}, {@code STATE_CORRUPT}
     */
    static StateManifest load(Storage storage, Snapshot snapshot, String id) {
        String folder = PinnedState.folder(storage, snapshot);
        String path = storage.child(folder, PinnedState.manifestFile(id));
        if (!storage.exists(path)) {
            throw missing(snapshot, path);
        }
        StateManifest manifest;
        try {
            Json json = Json.parse(new String(storage.read(path), StandardCharsets.UTF_8), path)
                    .checkFormat(FORMAT_VERSION);
            manifest = new StateManifest(json.map("relations", list -> files(list, path)));
        } catch (TidemarkException e) {
            throw e.code() == ErrorCode.CATALOG_INVALID ? corrupt(snapshot, path, e.primary()) : e;
        }
        for (List<StateFile> files : manifest.relations().values()) {
            files.forEach(file -> check(storage, snapshot, storage.child(folder, file.path()), file));
        }
        return manifest;
    }

    private static List<StateFile> files(@Nullable Object list, String path) {
        List<StateFile> files = new ArrayList<>();
        for (Object each : list instanceof List<?> entries ? entries : List.of()) {
            if (each instanceof Map<?, ?> file
                    && file.get("path") instanceof String name
                    && file.get("bytes") instanceof Long bytes
                    && file.get("rows") instanceof Long rows) {
                files.add(new StateFile(name, bytes, rows));
            } else {
                throw Json.invalid(path, "one of its files lacks a name, size or number of rows", null);
            }
        }
        return files;
    }

    private static void check(Storage storage, Snapshot snapshot, String path, StateFile file) {
        Optional<FileInfo> found = storage.info(path);
        if (found.isEmpty()) {
            throw missing(snapshot, path);
        }
        if (found.get().size() != file.sizeBytes()) {
            throw corrupt(snapshot, path, "it has " + found.get().size() + " bytes instead of " + file.sizeBytes());
        }
    }

    /**
     * Writes the manifest, which no commit pins yet; it and the files that it names are durable then.
     *
     * @param before the manifest that the base pins, whose files are durable already
     */
    void write(Storage storage, Snapshot snapshot, String id, StateManifest before) {
        String folder = PinnedState.folder(storage, snapshot);
        storage.createFolders(folder);
        relations.forEach((name, files) -> files.stream()
                .filter(file -> !before.files(name).contains(file))
                .forEach(file -> storage.makeDurable(storage.child(folder, file.path()))));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("formatVersion", FORMAT_VERSION);
        json.put("id", id);
        json.put("tableId", snapshot.tableId());
        Map<String, Object> lists = new LinkedHashMap<>();
        relations.forEach((name, files) -> {
            List<Object> list = new ArrayList<>();
            for (StateFile file : files) {
                Map<String, Object> entry = new LinkedHashMap<>();
                entry.put("path", file.path());
                entry.put("bytes", file.sizeBytes());
                entry.put("rows", file.rowCount());
                list.add(entry);
            }
            lists.put(name, list);
        });
        json.put("relations", lists);
        storage.write(
                storage.child(folder, PinnedState.manifestFile(id)),
                JsonValues.write(json).getBytes(StandardCharsets.UTF_8));
    }

    private static TidemarkException missing(Snapshot snapshot, String path) {
        return TidemarkException.of(
                        ErrorCode.STATE_MISSING, "the state of catalog " + snapshot.location() + " is not complete")
                .detail("File " + path + " is not there, but the catalog's version needs it. Another program may have "
                        + "cleaned up the folder.")
                .hint("restore the file from a copy, or compile everything anew")
                .build();
    }

    private static TidemarkException corrupt(Snapshot snapshot, String path, String what) {
        return TidemarkException.of(
                        ErrorCode.STATE_CORRUPT, "the state of catalog " + snapshot.location() + " is damaged")
                .detail("File " + path + ": " + what + ".")
                .hint("restore the file from a copy, or compile everything anew")
                .build();
    }
}
