// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerificationTest {

    private static final String LONG = "\"" + TableReplay.UNAVAILABLE + "\"";

    private final ObjectMapper json = new ObjectMapper();

    @Test
    void csvKeepsNullMarkerEmptyTextAndLineBreaksApart() throws IOException {
        CsvReader csv = new CsvReader(new StringReader("a,\\N,\"\\N\",,\"x \"\"y\"\"\nz\"\nb,,,,\n"));
        assertArrayEquals(new String[] {"a", null, "\\N", "", "x \"y\"\nz"}, csv.read().toArray());
        assertArrayEquals(new String[] {"b", "", "", "", ""}, csv.read().toArray());
        assertNull(csv.read());
    }

    @Test
    void csvRefusesAnUnfinishedLine() throws IOException {
        CsvReader quoted = new CsvReader(new StringReader("\"a"));
        assertThrows(IOException.class, quoted::read);
        CsvReader plain = new CsvReader(new StringReader("a"));
        assertThrows(IOException.class, plain::read);
    }

    @Test
    void replayFillsPlaceholdersFromTheOlderRowAndAcrossAKeyChange() throws IOException {
        List<FeedEvent> stream = new ArrayList<>();
        stream.add(event(0, 10, "c", 1, "\"deep\""));
        stream.add(event(1, 20, "u", 1, LONG));
        stream.add(event(2, 30, "d", 1, null));
        stream.add(new FeedEvent(3, 0, FeedCounts.TOMBSTONE, key(1), null));
        stream.add(event(4, 30, "c", 2, LONG));
        Map<JsonNode, ObjectNode> rows = new TableReplay().replay(stream);
        assertEquals(List.of(key(2)), List.copyOf(rows.keySet()));
        assertEquals("deep", rows.get(key(2)).get("notes").textValue());
    }

    @Test
    void replayOrdersByLsnAndEmptiesTheTableAtATruncate() throws IOException {
        List<FeedEvent> stream = new ArrayList<>();
        stream.add(event(0, 30, "c", 3, null));
        stream.add(event(1, 10, "c", 1, null));
        stream.add(new FeedEvent(2, 20, "t", json.nullNode(), null));
        assertEquals(List.of(key(3)), List.copyOf(new TableReplay().replay(stream).keySet()));
    }

    @Test
    void replayRefusesADeleteWithoutTombstoneAndAPlaceholderWithoutOlderRow() throws IOException {
        List<FeedEvent> noTombstone = List.of(event(0, 1, "c", 1, null), event(1, 2, "d", 1, null),
                event(2, 3, "c", 1, null));
        assertThrows(IllegalStateException.class, () -> new TableReplay().replay(noTombstone));
        List<FeedEvent> noOlderRow = List.of(event(0, 1, "c", 1, LONG));
        assertThrows(IllegalStateException.class, () -> new TableReplay().replay(noOlderRow));
    }

    @Test
    void valuesAreComparedByMeaning() throws IOException {
        assertTrue(equal(ShopTable.Kind.INSTANT, "\"2024-02-29T18:29:59.9Z\"", "2024-02-29 18:29:59.9+00"));
        assertFalse(equal(ShopTable.Kind.INSTANT, "\"2024-02-29T18:29:59.9Z\"", "2024-02-29 18:29:59.9+01"));
        assertTrue(equal(ShopTable.Kind.TIMESTAMP, "\"1969-07-20T20:17:40.000001Z\"", "1969-07-20 20:17:40.000001"));
        assertTrue(equal(ShopTable.Kind.DATE, "\"1899-12-31Z\"", "1899-12-31"));
        assertFalse(equal(ShopTable.Kind.DECIMAL, "\"1.10\"", "1.1"));
        assertTrue(equal(ShopTable.Kind.ARRAY, "[\"a\",null]", "[\"a\", null]"));
        assertFalse(equal(ShopTable.Kind.TEXT, "\"\"", null));
        assertFalse(equal(ShopTable.Kind.TEXT, "null", ""));
        assertTrue(equal(ShopTable.Kind.BOOLEAN, "true", "t"));
    }

    @Test
    void writerRollsFilesAndFlushedLinesAreReadable(@TempDir Path folder) throws IOException {
        try (FeedWriter writer = new FeedWriter(folder, 2)) {
            for (int i = 0; i < 3; i++) {
                writer.write("t", "{\"id\":" + i + "}", i == 2 ? null : "{\"op\":\"c\"}");
            }
            writer.flush();
            Path second = folder.resolve("t/00002.json.gz");
            try (GZIPInputStream stream = new GZIPInputStream(Files.newInputStream(second))) {
                String line = "{\"key\":{\"id\":2},\"value\":null}\n";
                assertEquals(line, new String(stream.readNBytes(line.length()), StandardCharsets.UTF_8));
            }
            assertEquals(List.of("table,op,events", "t,c,2", "t,tombstone,1"), writer.counts().lines());
        }
    }

    private boolean equal(ShopTable.Kind kind, String feed, String csv) throws IOException {
        return ValueComparison.equal(kind, json.readTree(feed), csv, json);
    }

    private JsonNode key(int id) throws IOException {
        return json.readTree("{\"id\":" + id + "}");
    }

    private FeedEvent event(int position, long lsn, String op, int id, String notes) throws IOException {
        JsonNode after = op.equals("d") ? json.nullNode() : json.readTree("{\"id\":" + id + ",\"notes\":" + notes + "}");
        return new FeedEvent(position, lsn, op, key(id), after);
    }
}
