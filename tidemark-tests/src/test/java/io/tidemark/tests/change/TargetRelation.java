package io.tidemark.tests.change;

import io.tidemark.core.change.ChangePlan;
import io.tidemark.core.change.PlanInputs;
import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A target as a relation of the engine instead of a Delta table. It also knows what it was after the last update, so that
 * changes by hand can be told apart, as the log of a table tells them.
 */
final class TargetRelation implements HandMadeTarget {
    private final Engine engine;
    private final Dialect dialect;
    private final String name;
    private final String columns;
    private final String file;
    private final String row;
    private int versions;
    private String current;
    private String baseline;

    TargetRelation(Engine engine, String name, StructType schema) {
        this.engine = engine;
        this.dialect = engine.dialect();
        this.name = name;
        this.columns =
                String.join(", ", schema.names().stream().map(dialect::name).toList());
        this.file = dialect.name(PlanInputs.FILE);
        this.row = dialect.name(PlanInputs.ROW);
        List<StructField> fields = new ArrayList<>(schema.fields());
        fields.add(StructField.of(PlanInputs.FILE, ScalarType.LONG));
        fields.add(StructField.of(PlanInputs.ROW, ScalarType.LONG));
        this.current = name + "_v0";
        this.baseline = current;
        engine.materialize(current, dialect.emptySelect(new StructType(fields)), Optional.empty());
    }

    /** Name of the relation of the rows as they are now. */
    String relation() {
        return current;
    }

    /** Applies a plan's outcome; changes by hand begin anew. */
    void apply(ChangePlan plan) {
        String kept = "SELECT " + columns + ", " + file + ", " + row + " FROM " + current
                + " AS t LEFT JOIN (SELECT file, pos FROM " + plan.deleted() + ") AS d ON t." + file
                + " = d.file AND t."
                + row + " = d.pos WHERE d.file IS NULL";
        next(kept + " UNION ALL " + numbered("SELECT " + columns + " FROM " + plan.inserted()));
        if (!baseline.equals(current)) {
            engine.drop(baseline);
        }
        baseline = current;
    }

    /** Inserts by hand the rows of a SELECT with the target's columns. */
    void insert(String rowsSql) {
        next("SELECT " + columns + ", " + file + ", " + row + " FROM " + current + " UNION ALL " + numbered(rowsSql));
    }

    @Override
    public void insertRow(List<String> values) {
        insert("SELECT * FROM (VALUES (" + String.join(", ", values) + ")) AS v(" + columns + ")");
    }

    @Override
    public void delete(String condition) {
        next("SELECT " + columns + ", " + file + ", " + row + " FROM " + current + " WHERE NOT COALESCE(" + condition
                + ", FALSE)");
    }

    @Override
    public void update(String column, String value, String condition) {
        String changed = columns.replace(dialect.name(column), value + " AS " + dialect.name(column));
        next("SELECT " + columns + ", " + file + ", " + row + " FROM " + current + " WHERE NOT COALESCE(" + condition
                + ", FALSE) UNION ALL "
                + numbered("SELECT " + changed + " FROM " + current + " WHERE " + condition));
    }

    /** Whether the rows were changed by hand since the last update. */
    boolean isChangedByHand() {
        return !baseline.equals(current);
    }

    /** A SELECT of the rows removed by hand since the last update. */
    String removedByHand() {
        return difference(baseline, current);
    }

    /** A SELECT of the rows added by hand since the last update. */
    String addedByHand() {
        return difference(current, baseline);
    }

    private String difference(String left, String right) {
        return "SELECT " + columns + " FROM " + left + " AS t LEFT JOIN (SELECT " + file + " AS file, " + row
                + " AS pos FROM " + right + ") AS d ON t." + file + " = d.file AND t." + row
                + " = d.pos WHERE d.file IS NULL";
    }

    private String numbered(String sql) {
        return "SELECT " + columns + ", CAST(" + (versions + 1) + " AS BIGINT) AS " + file
                + ", CAST(row_number() OVER (ORDER BY 1) AS BIGINT) AS " + row + " FROM (" + sql + ") AS q";
    }

    private void next(String sql) {
        versions++;
        String relation = name + "_v" + versions;
        engine.materialize(relation, sql, Optional.empty());
        if (!current.equals(baseline)) {
            engine.drop(current);
        }
        current = relation;
    }

    @Override
    public List<List<@Nullable Object>> rows() {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        engine.stream("SELECT " + columns + " FROM " + current, values -> {
            rows.add(new ArrayList<>(values));
            return true;
        });
        return rows;
    }

    void close() {
        engine.drop(current);
        engine.drop(baseline);
    }
}
