package io.tidemark.dbt.project;

import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Descriptions that become comments of a snapshot's table, as {@code persist_docs} wants it.
 *
 * @param table the table's comment, if it is to be set
 * @param columns comments by name of the column, without regard to case
 */
public record PersistedDocs(Optional<String> table, Map<String, String> columns) {
    /** No comments: those that a table has stay. */
    public static final PersistedDocs NONE = new PersistedDocs(Optional.empty(), Map.of());

    private static final String COMMENT = "comment";

    /** Takes names of columns in lower case. */
    public PersistedDocs {
        Map<String, String> byName = new LinkedHashMap<>();
        columns.forEach((name, text) -> byName.put(name.toLowerCase(Locale.ROOT), text));
        columns = Map.copyOf(byName);
    }

    /** Columns with their comments; others keep theirs. */
    public StructType on(StructType schema) {
        return new StructType(schema.fields().stream().map(this::commented).toList());
    }

    private StructField commented(StructField field) {
        String text = columns.get(field.name().toLowerCase(Locale.ROOT));
        if (text == null) {
            return field;
        }
        Map<String, Object> metadata = new LinkedHashMap<>(field.metadata());
        metadata.put(COMMENT, text);
        return new StructField(field.name(), field.type(), field.nullable(), metadata);
    }

    /** Columns that are described and that a table does not have, sorted. */
    public List<String> missingIn(StructType schema) {
        return columns.keySet().stream()
                .filter(name -> !schema.has(name))
                .sorted()
                .toList();
    }
}
