package io.tidemark.pipeline.state;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.RowPositions;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which source files a flow has read. The lists grow by one small Parquet file an update and are merged like remembered
 * events.
 */
public final class ProcessedFiles {
    private static final StructType SCHEMA =
            StructType.of(StructField.of("source", ScalarType.STRING), StructField.of("path", ScalarType.STRING));
    private static final int SIZE_RATIO = 4;
    /** Paths of so many files are read at once; more are streamed. */
    private static final long ROWS_AT_ONCE_MAX = 10_000;

    private static final int LITERALS_PER_STATEMENT_MAX = 500;

    private final StateFolder folder;
    private final Engine engine;

    /** The processed files of a target's flows. */
    public ProcessedFiles(StateFolder folder, Engine engine) {
        this.folder = folder;
        this.engine = engine;
    }

    /** The paths that a flow has read from one source. */
    public Set<String> read(Manifest manifest, String flow, String source, String relation) {
        List<Manifest.StateFile> files = manifest.processed().getOrDefault(key(flow), List.of());
        Set<String> paths = new HashSet<>();
        if (files.isEmpty()) {
            return paths;
        }
        register(files, relation);
        String sql = "SELECT path FROM " + relation + " WHERE source = "
                + engine.dialect().string(source);
        long rows = files.stream().mapToLong(Manifest.StateFile::rowCount).sum();
        if (rows <= ROWS_AT_ONCE_MAX) {
            engine.rows(sql).forEach(row -> paths.add(String.valueOf(row.get(0))));
        } else {
            engine.stream(sql, row -> {
                paths.add(String.valueOf(row.get(0)));
                return true;
            });
        }
        engine.drop(relation);
        return paths;
    }

    /**
     * Writes what one update has read.
     *
     * @param manifest the state before
     * @param flow the flow
     * @param entries source and path of each file; not empty
     * @param prefix start of names for relations
     * @return the flow's lists afterwards
     */
    public List<Manifest.StateFile> write(Manifest manifest, String flow, List<Entry> entries, String prefix) {
        folder.create();
        List<Manifest.StateFile> files = manifest.processed().getOrDefault(key(flow), List.of());
        int keep = files.size();
        long rows = entries.size();
        while (keep > 0 && files.get(keep - 1).rowCount() <= SIZE_RATIO * rows) {
            rows += files.get(--keep).rowCount();
        }
        List<Manifest.StateFile> merged = files.subList(keep, files.size());
        List<String> temporary = new ArrayList<>();
        String added = literals(entries, prefix, temporary);
        String sql = added;
        if (!merged.isEmpty()) {
            String old = prefix + "old_files";
            register(merged, old);
            temporary.add(old);
            sql = "SELECT source, path FROM " + old + " UNION ALL " + added;
        }
        List<WrittenFile> written = engine.write(
                sql, new WriteSpec(folder.path(), "files", SCHEMA, List.of("source", "path"), Long.MAX_VALUE, 0));
        engine.drop(temporary);
        List<Manifest.StateFile> result = new ArrayList<>(files.subList(0, keep));
        written.forEach(file -> result.add(new Manifest.StateFile(file.name(), file.sizeBytes(), file.rowCount())));
        return result;
    }

    /** The key of a flow in a manifest. */
    public static String key(String flow) {
        return flow.toLowerCase(java.util.Locale.ROOT);
    }

    private String literals(List<Entry> entries, String prefix, List<String> temporary) {
        List<String> parts = new ArrayList<>();
        for (int from = 0; from < entries.size(); from += LITERALS_PER_STATEMENT_MAX) {
            int to = Math.min(entries.size(), from + LITERALS_PER_STATEMENT_MAX);
            List<String> rows = entries.subList(from, to).stream()
                    .map(entry -> "SELECT " + engine.dialect().string(entry.source()) + " AS source, "
                            + engine.dialect().string(entry.path()) + " AS path")
                    .toList();
            if (entries.size() <= LITERALS_PER_STATEMENT_MAX) {
                return String.join(" UNION ALL ", rows);
            }
            String relation = prefix + "new_files_" + from;
            engine.materialize(relation, String.join(" UNION ALL ", rows), Optional.empty());
            temporary.add(relation);
            parts.add("SELECT source, path FROM " + relation);
        }
        return String.join(" UNION ALL ", parts);
    }

    private void register(List<Manifest.StateFile> files, String relation) {
        List<FileScan.DataFile> scanned = files.stream()
                .map(file -> new FileScan.DataFile(folder.path(file), file.sizeBytes(), Map.of(), RowPositions.NONE))
                .toList();
        engine.registerFiles(relation, FileScan.asWritten(SCHEMA, scanned, Optional.empty()));
    }

    /**
     * One file that was read.
     *
     * @param source name of the source in the flow
     * @param path absolute path
     */
    public record Entry(String source, String path) {}
}
