// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Reads one table's events in stream order: files by name, then lines. */
final class FeedReader {

    private final ObjectMapper json = new ObjectMapper();
    private int files;

    List<FeedEvent> read(Path folder, String table, FeedCounts counts) throws IOException {
        List<Path> paths;
        try (Stream<Path> found = Files.list(folder.resolve(table))) {
            paths = found.filter(path -> path.toString().endsWith(".json.gz")).sorted().toList();
        }
        files = paths.size();
        List<FeedEvent> events = new ArrayList<>();
        for (Path path : paths) {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                    new GZIPInputStream(Files.newInputStream(path)), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    events.add(event(json.readTree(line), events.size(), table, counts));
                }
            }
        }
        return events;
    }

    int files() {
        return files;
    }

    private static FeedEvent event(JsonNode line, int position, String table, FeedCounts counts) {
        JsonNode key = line.path("key");
        JsonNode value = line.path("value");
        if (value.isNull()) {
            counts.add(table, FeedCounts.TOMBSTONE);
            return new FeedEvent(position, 0, FeedCounts.TOMBSTONE, key, null);
        }
        String op = value.path("op").asText();
        counts.add(table, op);
        JsonNode source = value.path("source");
        if (!source.path("table").asText().equals(table)) {
            throw new IllegalStateException("an event of another table is in the feed of " + table);
        }
        return new FeedEvent(position, source.path("lsn").asLong(), op, key, value.path("after"));
    }
}
