// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Applies events by LSN and, at equal LSN, by position. A placeholder for an unchanged long value is filled from the
 * older row: that of the same key, or, when the event creates the row, that of the key deleted at the same LSN.
 */
final class TableReplay {

    static final String UNAVAILABLE = "__debezium_unavailable_value";

    private final Map<JsonNode, ObjectNode> rows = new HashMap<>();
    private ObjectNode lastDeleted;
    private long lastDeletedLsn = -1;
    private int filledFromOlder;
    private int filledAcrossKeys;
    private int keyChanges;
    private int recreated;
    private int lsnStepsBack;

    Map<JsonNode, ObjectNode> replay(List<FeedEvent> stream) {
        long previous = 0;
        for (FeedEvent event : stream) {
            if (event.lsn() != 0) {
                lsnStepsBack += event.lsn() < previous ? 1 : 0;
                previous = event.lsn();
            }
        }
        checkTombstones(stream);
        List<FeedEvent> ordered = new ArrayList<>(stream);
        ordered.removeIf(event -> event.op().equals(FeedCounts.TOMBSTONE));
        ordered.sort(Comparator.comparingLong(FeedEvent::lsn).thenComparingInt(FeedEvent::position));
        Set<JsonNode> everDeleted = new HashSet<>();
        for (FeedEvent event : ordered) {
            if (event.op().equals("c") && everDeleted.contains(event.key())) {
                recreated++;
            }
            apply(event);
            if (event.op().equals("d")) {
                everDeleted.add(event.key());
            }
        }
        return rows;
    }

    private void apply(FeedEvent event) {
        switch (event.op()) {
            case "c" -> create(event);
            case "u" -> {
                ObjectNode older = rows.get(event.key());
                if (older == null) {
                    throw new IllegalStateException("update of a row that does not exist: " + event);
                }
                filledFromOlder += fill((ObjectNode) event.after(), older);
                rows.put(event.key(), (ObjectNode) event.after());
            }
            case "d" -> {
                lastDeleted = rows.remove(event.key());
                lastDeletedLsn = event.lsn();
                if (lastDeleted == null) {
                    throw new IllegalStateException("delete of a row that does not exist: " + event);
                }
            }
            case "t" -> rows.clear();
            default -> throw new IllegalStateException("unknown operation: " + event);
        }
    }

    private void create(FeedEvent event) {
        ObjectNode row = (ObjectNode) event.after();
        if (lastDeletedLsn == event.lsn()) {
            keyChanges++;
            filledAcrossKeys += fill(row, lastDeleted);
        }
        if (row.toString().contains(UNAVAILABLE)) {
            throw new IllegalStateException("a placeholder without an older row: " + event.key());
        }
        if (rows.put(event.key(), row) != null) {
            throw new IllegalStateException("create of a row that exists: " + event.key());
        }
    }

    private static int fill(ObjectNode row, ObjectNode older) {
        int filled = 0;
        for (String name : (Iterable<String>) row::fieldNames) {
            if (row.get(name).isTextual() && row.get(name).textValue().equals(UNAVAILABLE)) {
                row.set(name, older.get(name));
                filled++;
            }
        }
        return filled;
    }

    /** Each delete is followed at once by a tombstone of its key, and there are no other tombstones. */
    private static void checkTombstones(List<FeedEvent> stream) {
        for (int i = 0; i < stream.size(); i++) {
            boolean tombstone = stream.get(i).op().equals(FeedCounts.TOMBSTONE);
            boolean due = i > 0 && stream.get(i - 1).op().equals("d");
            if (tombstone != due || tombstone && !stream.get(i).key().equals(stream.get(i - 1).key())) {
                throw new IllegalStateException("a tombstone is missing or unexpected at position " + i);
            }
        }
    }

    String summary() {
        return keyChanges + " key changes, " + recreated + " creations of a key deleted before, placeholders: "
                + filledFromOlder + " in updates, " + filledAcrossKeys + " in key changes, LSN goes back "
                + lsnStepsBack + " times";
    }
}
