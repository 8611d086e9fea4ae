package io.tidemark.delta.rows;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.ChangeColumns;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns deleted and added rows into the rows of a change data feed: a deleted and an added row of one identity are the
 * state before and after an update, the others are deleted and inserted rows.
 */
public final class ChangeImages {
    /** The column that says what happened to a row. */
    public static final String CHANGE_TYPE = ChangeColumns.CHANGE_TYPE;

    /** A row that was added. */
    public static final String INSERT = "insert";

    /** A row that was deleted. */
    public static final String DELETE = "delete";

    /** A row before its update. */
    public static final String BEFORE = "update_preimage";

    /** A row after its update. */
    public static final String AFTER = "update_postimage";

    private final Dialect dialect;
    private final List<String> columns;
    private final List<String> identity;

    /**
     * Images of rows.
     *
     * @param schema the rows' columns
     * @param identity engine SQL over the columns; equal values mean the same row
     */
    public ChangeImages(Dialect dialect, StructType schema, List<String> identity) {
        this.dialect = dialect;
        this.columns = schema.names().stream().map(dialect::name).toList();
        this.identity = List.copyOf(identity);
    }

    /**
     * Engine SQL of the changes between two states, of which rows that did not change may be part: they are left out.
     *
     * @param before engine SQL of rows with the columns, in order
     * @param after engine SQL of rows with the columns, in order
     */
    public String difference(String before, String after) {
        return sql(before + " EXCEPT ALL " + after, after + " EXCEPT ALL " + before);
    }

    /**
     * Engine SQL of the changes.
     *
     * @param deleted engine SQL of the deleted rows
     * @param added engine SQL of the added rows, none equal to a deleted one
     */
    public String sql(String deleted, String added) {
        return side(deleted, added, BEFORE, DELETE) + " UNION ALL " + side(added, deleted, AFTER, INSERT);
    }

    private String side(String rows, String others, String both, String alone) {
        List<String> own = new ArrayList<>();
        columns.forEach(column -> own.add("r." + column));
        List<String> keys = new ArrayList<>();
        List<String> same = new ArrayList<>();
        for (int i = 0; i < identity.size(); i++) {
            String key = dialect.name("__identity_" + i);
            keys.add(identity.get(i) + " AS " + key);
            same.add("r." + key + " IS NOT DISTINCT FROM o." + key);
        }
        String known = String.join(", ", keys);
        return "SELECT " + String.join(", ", own) + ", CASE WHEN o.__found IS NULL THEN " + dialect.string(alone)
                + " ELSE " + dialect.string(both) + " END AS " + dialect.name(CHANGE_TYPE) + " FROM (SELECT t.*, "
                + known + " FROM (" + rows + ") AS t) AS r LEFT JOIN (SELECT DISTINCT " + known
                + ", 1 AS __found FROM (" + others + ") AS t) AS o ON " + String.join(" AND ", same);
    }
}
