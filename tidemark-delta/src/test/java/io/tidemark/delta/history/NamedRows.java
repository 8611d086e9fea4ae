package io.tidemark.delta.history;

import io.tidemark.delta.log.AddFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows without data files: a file's action lists them in a tag, so that thousands of transactions need no engine. A row
 * has an id of its own for ever and a key that conditions look at.
 */
final class NamedRows {
    private static final String TAG = "test.rows";

    private NamedRows() {}

    /** A row. */
    record Row(String id, long key) {}

    /** The rows of a file by position, deleted ones included. */
    static List<Row> of(Map<String, ?> tags) {
        String text = String.valueOf(tags.get(TAG));
        List<Row> rows = new ArrayList<>();
        for (String part : text.split(" ", -1)) {
            int colon = part.lastIndexOf(':');
            rows.add(new Row(part.substring(0, colon), Long.parseLong(part.substring(colon + 1))));
        }
        return rows;
    }

    /** A file with rows, at least one. */
    static AddFile file(String name, List<Row> rows, Map<String, String> otherTags) {
        StringBuilder text = new StringBuilder();
        long least = Long.MAX_VALUE;
        long greatest = Long.MIN_VALUE;
        for (Row row : rows) {
            text.append(text.isEmpty() ? "" : " ").append(row.id()).append(':').append(row.key());
            least = Math.min(least, row.key());
            greatest = Math.max(greatest, row.key());
        }
        String stats = "{\"numRecords\":" + rows.size() + ",\"minValues\":{\"key\":" + least
                + "},\"maxValues\":{\"key\":" + greatest + "},\"nullCount\":{\"key\":0}}";
        Map<String, String> tags = new HashMap<>(otherTags);
        tags.put(TAG, text.toString());
        return new AddFile(name, Map.of(), 100, 1, true, stats, Map.copyOf(tags), null, null, null, null);
    }
}
