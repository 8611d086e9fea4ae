package io.tidemark.dbt.run;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.snapshot.SnapshotDifference;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.delta.WiderTypes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The rows of a snapshot's query in the types of its table. A value is cast into the column's type if nothing of it gets
 * lost; else the column becomes wider; else the run fails.
 */
final class SourceRows implements AutoCloseable {
    private final Engine engine;
    private final Dialect dialect;
    private final String relation;
    private final String raw;
    private final SnapshotSettings settings;
    private final StructType given;
    private final List<StructField> fields = new ArrayList<>();
    private final Map<String, StructField> widened = new LinkedHashMap<>();
    private final List<String> added = new ArrayList<>();

    /**
     * Reads the types of a query, and the rows too if they must be looked at.
     *
     * @param relation name of the relation of the rows
     * @param table the table's columns, if there is a table
     */
    SourceRows(
            Engine engine, String relation, SourceQuery query, SnapshotSettings settings, Optional<StructType> table) {
        this.engine = engine;
        this.dialect = engine.dialect();
        this.relation = relation;
        this.raw = relation + "_raw";
        this.settings = settings;
        this.given = described(query);
        checkNames();
        boolean same = table.isEmpty()
                || given.fields().stream()
                        .allMatch(field -> table.get()
                                .field(field.name())
                                .map(column -> Types.same(column.type(), field.type()))
                                .orElse(true));
        List<String> columns = new ArrayList<>();
        given.fields().forEach(field -> columns.add(cast("q." + name(field.name()), field.type(), field.name())));
        String sql = "SELECT " + String.join(", ", columns) + " FROM (" + query.sql() + ") AS q";
        if (same) {
            engine.createView(raw, sql);
        } else {
            // Values decide about types, and the source shall be read only once.
            engine.materialize(raw, sql, Optional.empty());
        }
        try {
            conform(table.orElseGet(() -> new StructType(List.of())));
        } catch (RuntimeException e) {
            engine.drop(raw);
            throw e;
        }
    }

    private StructType described(SourceQuery query) {
        try {
            return engine.describe(query.sql());
        } catch (TidemarkException e) {
            throw e.at(query.location());
        }
    }

    private void checkNames() {
        List<String> seen = new ArrayList<>();
        for (StructField field : given.fields()) {
            for (String reserved : settings.columns().all()) {
                if (field.name().equalsIgnoreCase(reserved)) {
                    throw TidemarkException.of(
                                    ErrorCode.RESERVED_COLUMN,
                                    "the query has a column " + field.name() + ", which a snapshot adds itself")
                            .at(settings.location())
                            .hint("give it another name in the query, as for a snapshot of a snapshot: " + field.name()
                                    + " AS source_" + field.name())
                            .build();
                }
            }
            if (seen.stream().anyMatch(field.name()::equalsIgnoreCase)) {
                throw TidemarkException.of(
                                ErrorCode.SCHEMA_MISMATCH, "the query has two columns called " + field.name())
                        .at(settings.location())
                        .hint("names are compared without regard to case; give one of them another name")
                        .build();
            }
            seen.add(field.name());
        }
    }

    private void conform(StructType table) {
        List<String> columns = new ArrayList<>();
        for (StructField field : given.fields()) {
            Optional<StructField> column = table.field(field.name());
            DataType type = field.type();
            if (column.isEmpty()) {
                checkHasType(field);
                added.add(field.name());
                fields.add(StructField.of(field.name(), type));
            } else {
                StructField kept = column.get();
                if (!Types.same(kept.type(), type)) {
                    kept = fitting(kept, field);
                }
                fields.add(kept);
            }
            StructField last = fields.get(fields.size() - 1);
            columns.add(cast("q." + name(field.name()), last.type(), last.name()));
        }
        engine.createView(relation, "SELECT " + String.join(", ", columns) + " FROM " + name(raw) + " AS q");
    }

    private void checkHasType(StructField field) {
        if (field.type() == ScalarType.VOID) {
            throw TidemarkException.of(
                            ErrorCode.SCHEMA_MISMATCH,
                            "column " + field.name() + " of the query is always NULL and has no type")
                    .at(settings.location())
                    .hint("say what it is to become: cast(null as varchar) as " + field.name())
                    .build();
        }
    }

    /** The column with a type that holds all values. */
    private StructField fitting(StructField column, StructField field) {
        if (lossless(field, column.type())) {
            return column;
        }
        Optional<DataType> wider = Types.wider(column.type(), field.type());
        if (wider.isPresent() && (Types.same(wider.get(), field.type()) || lossless(field, wider.get()))) {
            StructField changed = WiderTypes.widened(column, wider.get());
            widened.put(column.name(), changed);
            return changed;
        }
        String[] sample = {""};
        engine.stream(
                "SELECT CAST(q." + name(field.name()) + " AS " + text() + ") AS v FROM " + name(raw) + " AS q WHERE "
                        + lossy(field, column.type()) + " LIMIT 1",
                row -> {
                    sample[0] = SnapshotDifference.shown(row.get(0));
                    return false;
                });
        throw TidemarkException.of(
                        ErrorCode.SCHEMA_MISMATCH,
                        "column " + column.name() + " of the table is of type "
                                + column.type().sql() + ", which cannot hold " + sample[0])
                .at(settings.location())
                .detail("The query gives " + field.type().sql() + ". Nothing was committed.")
                .hint("cast the column in the query, or give it another name")
                .build();
    }

    private boolean lossless(StructField field, DataType type) {
        long[] lost = {0};
        engine.stream(
                "SELECT CAST(count(*) AS " + dialect.type(ScalarType.LONG) + ") AS n FROM " + name(raw) + " AS q WHERE "
                        + lossy(field, type),
                row -> {
                    lost[0] = (Long) row.get(0);
                    return true;
                });
        return lost[0] == 0;
    }

    /** Whether a value is another one after it was cast to a type and back. */
    private String lossy(StructField field, DataType type) {
        String value = "q." + name(field.name());
        String cast = "TRY_CAST(" + value + " AS " + dialect.type(type) + ")";
        return value + " IS NOT NULL AND (" + cast + " IS NULL OR TRY_CAST(" + cast + " AS "
                + dialect.type(field.type()) + ") IS DISTINCT FROM " + value + ")";
    }

    private String cast(String expression, DataType type, String name) {
        return "CAST(" + expression + " AS " + dialect.type(type) + ") AS " + name(name);
    }

    private String text() {
        return dialect.type(ScalarType.STRING);
    }

    private String name(String identifier) {
        return dialect.name(identifier);
    }

    /** The relation of the rows. */
    String relation() {
        return relation;
    }

    /** The columns of the query in its order, with the types and spelling of the table. */
    StructType columns() {
        return new StructType(fields);
    }

    /** Columns that the table does not have yet. */
    List<String> added() {
        return added;
    }

    /** Columns of the table that become wider, by name. */
    Map<String, StructField> widened() {
        return widened;
    }

    @Override
    public void close() {
        engine.drop(relation);
        engine.drop(raw);
    }
}
