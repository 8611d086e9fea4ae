package io.tidemark.core.change;

import io.tidemark.core.engine.KeyedReducer;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import java.util.ArrayList;
import java.util.List;

/**
 * The parts of a row that pass through the reducer as classes, with partial updates: each solid column and each unit is a
 * part with a row number of its own.
 */
final class BitemporalParts {
    /** What the reducer tells before the parts, see {@link BitemporalReducer}. */
    static final List<String> FIXED_OUTPUT =
            List.of("what", "start_row", "end_row", "system_start_row", "system_end_row");

    private final PlanContext context;
    private final ChangeSpec spec;

    BitemporalParts(PlanContext context) {
        this.context = context;
        this.spec = context.spec;
    }

    private int count() {
        return context.solids.size() + context.units.size();
    }

    private boolean[] tracked() {
        boolean[] tracked = new boolean[count()];
        int part = 0;
        for (int column : spec.solidColumns()) {
            tracked[part++] = isTracked(column);
        }
        for (ColumnUnit unit : spec.units()) {
            tracked[part++] = isTracked(unit.column());
        }
        return tracked;
    }

    private boolean isTracked(int column) {
        return spec.tracked().contains(spec.values().get(column).name());
    }

    /** Class columns {@code cl<i>}: the least row number of the key with equal values. */
    List<String> classes() {
        List<String> columns = new ArrayList<>();
        for (int column : spec.solidColumns()) {
            StructField field = spec.values().get(column);
            String value = context.dialect.comparable("r.x" + column, field.type());
            columns.add(leastRow(List.of(value)) + " AS cl" + columns.size());
        }
        List<ColumnUnit> units = spec.units();
        for (int j = 0; j < units.size(); j++) {
            String value = context.dialect.comparable("r.u" + j, units.get(j).type());
            columns.add(leastRow(List.of(value)) + " AS cl" + columns.size());
        }
        return columns;
    }

    private String leastRow(List<String> values) {
        return "min(r.rid) OVER (PARTITION BY " + Sql.lists(Sql.of("r", context.keys), values) + ")";
    }

    /** What the reducer reads: BIGINT columns, sorted by row number, which is the order of key and system time. */
    String reducerInput(String numbered) {
        List<String> columns = new ArrayList<>(List.of(
                big("key_id"),
                big("system_rank"),
                big("business_rank"),
                big("op"),
                big("CASE WHEN reset THEN 1 ELSE 0 END"),
                big("rid")));
        int solids = context.solids.size();
        for (int part = 0; part < count(); part++) {
            boolean unit = part >= solids;
            columns.add(big(unit ? "CASE WHEN m" + (part - solids) + " THEN 1 ELSE 0 END" : "1 - op"));
            columns.add(big("cl" + part));
        }
        List<String> named = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            named.add(columns.get(i) + " AS i" + i);
        }
        return "SELECT " + Sql.list(named) + " FROM " + numbered + " ORDER BY rid ASC NULLS FIRST";
    }

    private String big(String expression) {
        return "CAST(" + expression + " AS " + context.dialect.type(ScalarType.LONG) + ")";
    }

    List<String> reducerOutput() {
        List<String> columns = new ArrayList<>(FIXED_OUTPUT);
        columns.addAll(Sql.numbered("part", count()));
        return columns;
    }

    KeyedReducer.Factory reducers() {
        boolean[] tracked = tracked();
        return () -> new BitemporalReducer(tracked, false, false, false);
    }

    /** Joins from rectangles {@code t} to the rows that hold the values. */
    String valueJoins(String numbered) {
        StringBuilder joins = new StringBuilder();
        for (int part = 0; part < count(); part++) {
            joins.append(" LEFT JOIN ")
                    .append(numbered)
                    .append(" AS v")
                    .append(part)
                    .append(" ON v")
                    .append(part)
                    .append(".rid = t.part")
                    .append(part);
        }
        return joins.toString();
    }

    /** Values behind {@link #valueJoins}. */
    List<String> joinedValues() {
        List<String> columns = new ArrayList<>();
        int part = 0;
        for (String solid : context.solids) {
            columns.add("v" + part++ + "." + solid);
        }
        for (String unit : context.units) {
            columns.add("v" + part++ + "." + unit);
        }
        return columns;
    }

    /** Puts partial columns together. */
    String rebuilt(String sql) {
        List<String> whole = spec.rebuiltValues(context.dialect);
        List<String> columns = new ArrayList<>();
        for (int column : spec.partialColumns()) {
            columns.add(whole.get(column) + " AS x" + column);
        }
        return "SELECT *, " + Sql.list(columns) + " FROM (" + sql + ") AS j";
    }
}
