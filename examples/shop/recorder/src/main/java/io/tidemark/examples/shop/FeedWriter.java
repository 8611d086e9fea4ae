// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Writes events as JSON lines, one folder a table, beginning a new numbered file whenever one is full. */
final class FeedWriter implements AutoCloseable {

    /** The file of one table that is being filled. */
    private static final class Current {
        private OutputStream stream;
        private int lines;
        private int files;
    }

    private final Path folder;
    private final int linesPerFile;
    private final Map<String, Current> tables = new TreeMap<>();
    private final FeedCounts counts = new FeedCounts();
    private final ObjectMapper json = new ObjectMapper();

    FeedWriter(Path folder, int linesPerFile) throws IOException {
        this.folder = Files.createDirectories(folder);
        this.linesPerFile = linesPerFile;
    }

    /** Appends one event; key and value are the converter's texts, unchanged. */
    void write(String table, String key, String value) throws IOException {
        Current current = tables.computeIfAbsent(table, name -> new Current());
        if (current.stream == null || current.lines == linesPerFile) {
            beginFile(table, current);
        }
        String line = "{\"key\":" + key + ",\"value\":" + value + "}\n";
        current.stream.write(line.getBytes(StandardCharsets.UTF_8));
        current.lines++;
        counts.add(table, value == null ? FeedCounts.TOMBSTONE : json.readTree(value).path("op").asText());
    }

    void flush() throws IOException {
        for (Current current : tables.values()) {
            current.stream.flush();
        }
    }

    FeedCounts counts() {
        return counts;
    }

    @Override
    public void close() throws IOException {
        for (Current current : tables.values()) {
            current.stream.close();
        }
    }

    private void beginFile(String table, Current current) throws IOException {
        if (current.stream != null) {
            current.stream.close();
        }
        Path target = Files.createDirectories(folder.resolve(table));
        current.files++;
        current.lines = 0;
        current.stream = BestGzipOutputStream.create(
                target.resolve(String.format(Locale.ROOT, "%05d.json.gz", current.files)));
    }
}
