package io.tidemark.delta;

import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import java.util.List;

/** The columns that a change data feed has beside those of its table. Tables with a feed have none of these names. */
public final class ChangeColumns {
    /** What happened to a row: {@code insert}, {@code update_preimage}, {@code update_postimage} or {@code delete}. */
    public static final String CHANGE_TYPE = "_change_type";

    /** The version that made the change. */
    public static final String COMMIT_VERSION = "_commit_version";

    /** When that version was committed. */
    public static final String COMMIT_TIMESTAMP = "_commit_timestamp";

    private ChangeColumns() {}

    /** The columns, in order. */
    public static List<StructField> fields() {
        return List.of(
                StructField.of(CHANGE_TYPE, ScalarType.STRING),
                StructField.of(COMMIT_VERSION, ScalarType.LONG),
                StructField.of(COMMIT_TIMESTAMP, ScalarType.TIMESTAMP));
    }

    /** Whether a column of a table with a change data feed cannot bear a name. */
    public static boolean isReserved(String name) {
        return fields().stream().anyMatch(field -> field.name().equalsIgnoreCase(name));
    }
}
