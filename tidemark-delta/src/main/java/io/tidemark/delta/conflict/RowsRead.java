package io.tidemark.delta.conflict;

import io.tidemark.delta.vector.RowPositions;
import org.jspecify.annotations.Nullable;

/**
 * Which rows of a file a transaction depends on.
 *
 * @param rows the rows; null if all of them count
 */
public record RowsRead(@Nullable RowPositions rows) {
    /** Every row. */
    public static final RowsRead ALL = new RowsRead(null);

    /** Exactly the given rows. */
    public static RowsRead of(RowPositions rows) {
        return new RowsRead(rows);
    }

    /** Whether some of the given rows were read. */
    boolean overlaps(RowPositions others) {
        return rows == null ? !others.isEmpty() : rows.intersects(others);
    }

    /** Whether no row was read: the file was looked at, and nothing in it mattered. */
    boolean isNone() {
        return rows != null && rows.isEmpty();
    }

    RowsRead union(RowsRead other) {
        return rows == null || other.rows == null ? ALL : new RowsRead(rows.union(other.rows));
    }
}
