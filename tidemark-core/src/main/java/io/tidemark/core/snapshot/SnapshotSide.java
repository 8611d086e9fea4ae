package io.tidemark.core.snapshot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One side of a comparison: the rows of a snapshot, or the current rows of a table. All expressions are engine SQL over
 * the columns of {@code sql}, whose rows bear the alias {@code r}.
 *
 * @param sql engine SQL that gives the rows
 * @param keys the key, part by part; both sides have as many, of types that can be compared with each other
 * @param compared what makes two rows of one key equal, in {@link io.tidemark.core.engine.Dialect#comparable} form and
 *     of the same types on both sides. Empty = nothing is compared
 * @param values further values by name: the conditions of a comparison see them, and its outcome has them. Names of both
 *     sides must differ from each other; none may be {@code k0 …}, {@code v0 …}, {@code there}, {@link
 *     SnapshotDifference#KIND} or {@link SnapshotDifference#ORDINAL}
 */
public record SnapshotSide(String sql, List<String> keys, List<String> compared, Map<String, String> values) {
    /** Copies the collections. */
    public SnapshotSide {
        keys = List.copyOf(keys);
        compared = List.copyOf(compared);
        values = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** A side without further values. */
    public SnapshotSide(String sql, List<String> keys, List<String> compared) {
        this(sql, keys, compared, Map.of());
    }
}
