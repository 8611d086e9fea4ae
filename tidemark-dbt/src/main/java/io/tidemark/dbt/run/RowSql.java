package io.tidemark.dbt.run;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.dbt.project.SnapshotSettings.MetaColumns;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Select lists of the rows of a snapshot's table. */
final class RowSql {
    private final Dialect dialect;
    private final VersionSql versions;
    private final MetaColumns columns;
    private final StructType schema;
    private final Optional<String> sentinel;

    /**
     * Rows of one run.
     *
     * @param schema the table's columns after the run
     * @param sentinel the end of current rows, if it is not NULL
     */
    RowSql(Dialect dialect, VersionSql versions, MetaColumns columns, StructType schema, Optional<String> sentinel) {
        this.dialect = dialect;
        this.versions = versions;
        this.columns = columns;
        this.schema = schema;
        this.sentinel = sentinel;
    }

    /**
     * A new version of a row of the source.
     *
     * @param row alias of the row
     * @param types columns of the row, with those of its key
     * @param keys names of the key's columns
     * @param start when the version begins
     * @param updated the time of the row
     * @param present the source's columns
     */
    String version(
            String row, StructType types, List<String> keys, String start, String updated, List<String> present) {
        List<String> texts = keys.stream()
                .map(key -> versions.text(
                        row + "." + key, types.field(key).orElseThrow().type()))
                .toList();
        return select(column -> row + "." + name(column), present, versions.id(texts, start), start, updated, false);
    }

    /**
     * A row that says that a key is gone.
     *
     * @param row SQL of a column of the key's current row
     * @param start since when
     * @param present the source's columns; the others are NULL, as in each row that this run adds
     */
    String deletion(UnaryOperator<String> row, String start, List<String> present) {
        String old = row.apply(columns.scdId());
        return select(row, present, versions.deletionId(old, start), start, start, true);
    }

    /** A row of the table with another end. */
    String closed(UnaryOperator<String> row, String end) {
        List<String> parts = new ArrayList<>();
        for (StructField each : schema.fields()) {
            boolean last = each.name().equalsIgnoreCase(columns.validTo());
            parts.add((last ? end : row.apply(each.name())) + " AS " + name(each.name()));
        }
        return String.join(", ", parts);
    }

    private String select(
            UnaryOperator<String> row, List<String> present, String id, String start, String updated, boolean deleted) {
        List<String> parts = new ArrayList<>();
        for (StructField each : schema.fields()) {
            String value;
            if (is(each, columns.scdId())) {
                value = id;
            } else if (is(each, columns.updatedAt())) {
                value = updated;
            } else if (is(each, columns.validFrom())) {
                value = start;
            } else if (is(each, columns.validTo())) {
                value = sentinel.map(versions::time).orElse(dialect.nullOf(each.type()));
            } else if (is(each, columns.isDeleted())) {
                value = flag(each, deleted);
            } else if (present.stream().anyMatch(each.name()::equalsIgnoreCase)) {
                value = row.apply(each.name());
            } else {
                value = dialect.nullOf(each.type());
            }
            parts.add(value + " AS " + name(each.name()));
        }
        return String.join(", ", parts);
    }

    private String flag(StructField field, boolean deleted) {
        if (field.type() == ScalarType.BOOLEAN) {
            return deleted ? "TRUE" : "FALSE";
        }
        return dialect.string(deleted ? "True" : "False");
    }

    private static boolean is(StructField field, String column) {
        return field.name().equalsIgnoreCase(column);
    }

    private String name(String identifier) {
        return dialect.name(identifier);
    }
}
