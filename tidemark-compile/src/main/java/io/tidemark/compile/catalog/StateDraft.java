package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.PinnedState;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.storage.Storage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The state of the next version in the making: named relations, each a list of immutable Parquet files, oldest first. It
 * begins with the relations of the base; files that no commit pins are garbage.
 */
public final class StateDraft {
    private static final String FILE_PREFIX = "state";

    private final Storage storage;
    private final Snapshot base;
    private final StateManifest before;
    private final Map<String, List<StateFile>> relations;

    StateDraft(Storage storage, Snapshot base, StateManifest before) {
        this.storage = storage;
        this.base = base;
        this.before = before;
        this.relations = new HashMap<>(before.relations());
    }

    /**
     * Adds a file with the rows of engine SQL behind the files that a relation has; none if there are no rows.
     *
     * @param sortBy columns by which the file is sorted
     */
    public void append(Engine engine, String name, String sql, StructType columns, List<String> sortBy) {
        replaceFrom(engine, name, files(name).size(), sql, columns, sortBy);
    }

    /** Puts the rows of engine SQL in place of all files that a relation has. */
    public void replace(Engine engine, String name, String sql, StructType columns, List<String> sortBy) {
        replaceFrom(engine, name, 0, sql, columns, sortBy);
    }

    /** Puts the rows of engine SQL in place of a relation's files from an index on; merges of young files need it. */
    public void replaceFrom(
            Engine engine, String name, int firstFile, String sql, StructType columns, List<String> sortBy) {
        String folder = PinnedState.folder(storage, base);
        storage.createFolders(folder);
        List<StateFile> files = new ArrayList<>(files(name).subList(0, firstFile));
        for (WrittenFile file :
                engine.write(sql, new WriteSpec(folder, FILE_PREFIX, columns, sortBy, Long.MAX_VALUE, 0))) {
            files.add(new StateFile(file.name(), file.sizeBytes(), file.rowCount()));
        }
        relations.put(name, files);
    }

    /** Takes a relation away. */
    public void remove(String name) {
        relations.remove(name);
    }

    /** The files that a relation has in this draft, oldest first. */
    public List<StateFile> files(String name) {
        return relations.getOrDefault(name, List.of());
    }

    /** The names of the relations. */
    public List<String> names() {
        return relations.keySet().stream().sorted().toList();
    }

    /** Writes the manifest under an id; see {@link StateManifest#write}. */
    void write(Snapshot snapshot, String id) {
        manifest().write(storage, snapshot, id, before);
    }

    private StateManifest manifest() {
        return new StateManifest(relations);
    }

    boolean differsFromBase() {
        return !manifest().equals(before);
    }

    /** Deletes the files that only this draft names. */
    void discard() {
        String folder = PinnedState.folder(storage, base);
        List<StateFile> known =
                before.relations().values().stream().flatMap(List::stream).toList();
        relations.values().stream()
                .flatMap(List::stream)
                .filter(file -> !known.contains(file))
                .forEach(file -> storage.delete(storage.child(folder, file.path())));
    }
}
