// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** Replays the recorded feed and compares the result with the recorded final content, row by row, value by value. */
final class Verifier {

    private static final int SHOWN_DIFFERENCES = 10;

    private final Path data;
    private final PrintStream out;
    private final ObjectMapper json = new ObjectMapper();
    private int differences;

    Verifier(Path data, PrintStream out) {
        this.data = data;
        this.out = out;
    }

    /** Checks every table and tells whether all is equal. */
    boolean run() throws IOException {
        FeedCounts counts = new FeedCounts();
        for (ShopTable table : ShopTable.values()) {
            check(table, counts);
        }
        if (!counts.lines().equals(Files.readAllLines(data.resolve(FeedCounts.FILE)))) {
            differ(FeedCounts.FILE + " does not have the feed's counts");
        }
        counts.print(out);
        out.println(differences == 0 ? "feed and expected content agree" : differences + " differences");
        return differences == 0;
    }

    private void check(ShopTable table, FeedCounts counts) throws IOException {
        FeedReader reader = new FeedReader();
        List<FeedEvent> events = reader.read(data.resolve("feed"), table.tableName(), counts);
        TableReplay replay = new TableReplay();
        Map<JsonNode, ObjectNode> rows = replay.replay(events);
        int compared = 0;
        Path file = data.resolve("expected").resolve(table.tableName() + ".csv.gz");
        try (BufferedReader text = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            CsvReader csv = new CsvReader(text);
            List<String> header = table.columns().stream().map(ShopTable.Column::name).toList();
            if (!header.equals(csv.read())) {
                differ(table.tableName() + ": the header is not " + header);
            }
            for (List<String> values = csv.read(); values != null; values = csv.read()) {
                compare(table, values, rows);
                compared++;
            }
        }
        rows.keySet().forEach(key -> differ(table.tableName() + ": only in the feed: " + key));
        out.println(table.tableName() + ": " + reader.files() + " files, " + events.size() + " events, " + compared
                + " rows compared; " + replay.summary());
    }

    private void compare(ShopTable table, List<String> values, Map<JsonNode, ObjectNode> rows) {
        ObjectNode key = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < table.keyColumns().size(); i++) {
            long number = Long.parseLong(values.get(i));
            key.set(table.keyColumns().get(i).name(), smallest(number));
        }
        ObjectNode row = rows.remove(key);
        if (row == null || row.size() != values.size()) {
            differ(table.tableName() + ": not in the feed, or with other columns: " + key);
            return;
        }
        for (int i = 0; i < values.size(); i++) {
            ShopTable.Column column = table.columns().get(i);
            if (!ValueComparison.equal(column.kind(), row.get(column.name()), values.get(i), json)) {
                differ(table.tableName() + " " + key + " " + column.name() + ": feed " + row.get(column.name())
                        + ", expected " + values.get(i));
            }
        }
    }

    /** The node that the JSON parser makes of the number, so that keys can be compared. */
    private static JsonNode smallest(long number) {
        return number == (int) number ? JsonNodeFactory.instance.numberNode((int) number)
                : JsonNodeFactory.instance.numberNode(number);
    }

    private void differ(String text) {
        differences++;
        if (differences <= SHOWN_DIFFERENCES) {
            out.println("DIFFERENT " + text);
        }
    }
}
