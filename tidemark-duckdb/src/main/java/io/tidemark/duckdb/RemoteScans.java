package io.tidemark.duckdb;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.FileScan.DataFile;
import io.tidemark.core.engine.RemoteFiles;
import io.tidemark.core.engine.RemoteFiles.LocalCopies;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.duckdb.session.Session;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The relations whose files are elsewhere. DuckDB binds a query without opening its files, so a relation's files are
 * copied only when a query that reads it, directly or through views, is about to run.
 */
final class RemoteScans implements AutoCloseable {
    private final Session session;
    private final RemoteFiles files;
    /** Copies by the relation's key. */
    private final Map<String, LocalCopies> scans = new HashMap<>();
    /** The text of views by key. */
    private final Map<String, String> definitions = new HashMap<>();

    RemoteScans(Session session, RemoteFiles files) {
        this.session = session;
        this.files = files;
    }

    /** The scan as DuckDB can run it, once its files were fetched. */
    FileScan register(String key, FileScan scan) {
        if (scan.files().stream().noneMatch(file -> files.isRemote(file.location()))) {
            return scan;
        }
        LocalCopies copies = files.copies(scan.files());
        scans.put(key, copies);
        List<DataFile> local = new ArrayList<>();
        for (int i = 0; i < scan.files().size(); i++) {
            DataFile file = scan.files().get(i);
            String path = copies.paths().get(i);
            session.files().addCopy(path, file.location());
            local.add(file.at(path));
        }
        return scan.of(local);
    }

    /** Whether a registered relation has files that are elsewhere. */
    boolean hasCopies(String key) {
        return scans.containsKey(key);
    }

    /** Notes what a view reads. */
    void define(String key, String sql) {
        definitions.put(key, sql);
    }

    void drop(String key) {
        definitions.remove(key);
        LocalCopies copies = scans.remove(key);
        if (copies != null) {
            copies.close();
            copies.paths().forEach(session.files()::removeCopy);
        }
    }

    void fetchRelation(String key) {
        LocalCopies copies = scans.get(key);
        if (copies != null) {
            copies.fetch(session::checkCancelled);
        }
    }

    /** Fetches the files of all relations whose names stand in a text: at least those that it reads. */
    void fetch(String sql) {
        if (scans.isEmpty()) {
            return;
        }
        Set<String> seen = new HashSet<>();
        Deque<String> texts = new ArrayDeque<>();
        texts.add(sql.toLowerCase(Locale.ROOT));
        while (!texts.isEmpty()) {
            String text = texts.remove();
            for (String key : scans.keySet()) {
                if (mentions(text, key) && seen.add(key)) {
                    fetchRelation(key);
                }
            }
            definitions.forEach((key, definition) -> {
                if (mentions(text, key) && seen.add(key)) {
                    texts.add(definition.toLowerCase(Locale.ROOT));
                }
            });
        }
    }

    private static boolean mentions(String text, String key) {
        return text.contains(key) || text.contains(key.replace("\"", "\"\""));
    }

    /** Runs a write into a folder that may be elsewhere. */
    List<WrittenFile> write(WriteSpec spec, Function<WriteSpec, List<WrittenFile>> writer) {
        if (!files.isRemote(spec.directory())) {
            return writer.apply(spec);
        }
        String staging = files.stagingFolder();
        List<WrittenFile> written = List.of();
        try {
            written = writer.apply(spec.in(staging));
        } finally {
            // Takes the folder away, also if nothing was written.
            files.store(staging, written.stream().map(WrittenFile::name).toList(), spec.directory());
        }
        return written;
    }

    @Override
    public void close() {
        scans.values().forEach(LocalCopies::close);
        scans.clear();
    }
}
