package io.tidemark.core.change;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import java.util.List;

/**
 * Merging of state files: of each key the records of the newest file stay. When the oldest file is among the merged
 * ones, markers of forgotten keys go, and tombstones that are old enough may be forgotten.
 */
public final class StateMerge {
    private final ChangeSpec spec;
    private final Dialect dialect;

    /** Merging of the state of a flow's target. */
    public StateMerge(ChangeSpec spec, Dialect dialect) {
        this.spec = spec;
        this.dialect = dialect;
    }

    /**
     * What may be forgotten: records that arrived before these times, in microseconds since 1970-01-01 UTC.
     *
     * @param tombstones limit for deletes
     * @param hidden limit for upserts that made no row of their own
     */
    public record Horizon(long tombstones, long hidden) {
        /** Nothing is forgotten. */
        public static final Horizon NONE = new Horizon(Long.MIN_VALUE, Long.MIN_VALUE);
    }

    /**
     * The merged records.
     *
     * @param relations engine SQL of records with {@link PlanInputs#RUN}
     * @param withOldest whether no older file exists
     * @param horizon what may go
     */
    public String merged(List<String> relations, boolean withOldest, Horizon horizon) {
        return "SELECT " + columns() + " FROM (" + newest(relations) + ") AS q WHERE run_of_record = newest_run AND "
                + stays(withOldest, horizon);
    }

    /** As {@link #merged} of one relation, all whose records are of one run. */
    public String mergedRun(String relation, boolean withOldest, Horizon horizon) {
        return "SELECT " + columns() + " FROM (" + relation + ") AS q WHERE " + stays(withOldest, horizon);
    }

    private String stays(boolean withOldest, Horizon horizon) {
        return withOldest ? kind() + " <> " + StateColumns.NOTHING + " AND NOT " + expired(horizon) : "TRUE";
    }

    /**
     * Sequences of the records that {@link #merged} forgets, as text per leaf; the greatest one only.
     *
     * @param relations as above
     * @param horizon as above
     */
    public String greatestForgotten(List<String> relations, Horizon horizon) {
        List<String> leaves = Sql.each(leafNames(), dialect::name);
        List<String> texts =
                Sql.each(leaves, leaf -> "CAST(" + leaf + " AS " + dialect.type(ScalarType.STRING) + ") AS " + leaf);
        return "SELECT " + Sql.list(texts) + " FROM (SELECT " + Sql.list(leaves) + " FROM (" + newest(relations)
                + ") AS q WHERE run_of_record = newest_run AND " + expired(horizon) + " ORDER BY "
                + Sql.descending(leaves) + " LIMIT 1) AS g";
    }

    /** How many staged events are older than the greatest forgotten record. */
    public String eventsBefore(String events, List<String> forgotten) {
        List<String> leaves = leafNames();
        List<String> literals = new EventStaging(spec, dialect).literals(forgotten);
        return "SELECT count(*) AS n FROM " + events + " WHERE " + Sql.less(leaves, literals);
    }

    private String newest(List<String> relations) {
        List<String> keys = spec.keys().stream()
                .map(key -> dialect.name(ChangeSpec.STATE_KEY + key.name()))
                .toList();
        String run = dialect.name(PlanInputs.RUN);
        List<String> parts =
                Sql.each(relations, sql -> "SELECT " + columns() + ", " + run + " FROM (" + sql + ") AS p");
        return "SELECT *, " + run + " AS run_of_record, max(" + run + ") OVER (PARTITION BY " + Sql.list(keys)
                + ") AS newest_run FROM (" + String.join(" UNION ALL ", parts) + ") AS u";
    }

    private String expired(Horizon horizon) {
        if (spec.systemSequence().isPresent()) {
            return "FALSE";
        }
        String deletes = kind() + " = " + StateColumns.DELETE + " AND " + arrivedBefore(horizon.tombstones());
        if (!forgetsHidden()) {
            return "(" + deletes + ")";
        }
        List<String> own = Sql.each(leafNames(), dialect::name);
        List<String> row = Sql.each(Sql.numbered("r", own.size()), dialect::name);
        return "(" + deletes + " OR " + kind() + " = " + StateColumns.UPSERT + " AND NOT (" + Sql.same(own, row)
                + ") AND " + arrivedBefore(horizon.hidden()) + ")";
    }

    /** Only where a hidden event equals its row in all columns, so that the row stays right without it. */
    private boolean forgetsHidden() {
        return spec.storedAs() == ScdType.SCD2 && !StateColumns.holdsValues(spec);
    }

    private String arrivedBefore(long micros) {
        return dialect.name(StateColumns.ARRIVED) + " < " + micros;
    }

    private String kind() {
        return dialect.name(StateColumns.KIND);
    }

    private List<String> leafNames() {
        List<DataType> leaves = spec.sequenceShape().leafTypes();
        return Sql.numbered("s", leaves.size());
    }

    private String columns() {
        List<StructField> fields = StateColumns.schema(spec).fields();
        return Sql.list(fields.stream().map(field -> dialect.name(field.name())).toList());
    }
}
