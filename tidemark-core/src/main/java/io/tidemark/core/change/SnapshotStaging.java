package io.tidemark.core.change;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.snapshot.SnapshotDifference;
import io.tidemark.core.snapshot.SnapshotSide;
import io.tidemark.core.snapshot.SnapshotVersion;
import io.tidemark.core.type.StructField;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes events of what differs between a snapshot and the rows of the target that are open as of its version: an upsert
 * at the version for each new or changed key, a delete for each that vanished. The events have the columns of
 * {@link EventStaging}, so that plans do not know where they come from.
 */
public final class SnapshotStaging {
    private final ChangeSpec spec;
    private final Dialect dialect;
    private final SnapshotVersion version;

    /** Staging of one snapshot of a flow. */
    public SnapshotStaging(ChangeSpec spec, Dialect dialect, SnapshotVersion version) {
        this.spec = spec;
        this.dialect = dialect;
        this.version = version;
    }

    /**
     * The snapshot's rows: keys {@code k<i>} and values {@code x<i>}, with the types of the target.
     *
     * @param input relation of the flow's query
     */
    public SnapshotSide snapshot(String input) {
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < spec.keys().size(); i++) {
            columns.add(cast(spec.keys().get(i)) + " AS k" + i);
        }
        List<String> compared = new ArrayList<>();
        for (int i = 0; i < spec.values().size(); i++) {
            StructField field = spec.values().get(i);
            if (isInSnapshot(field)) {
                columns.add(cast(field) + " AS x" + i);
                compared.add(dialect.comparable("r.x" + i, field.type()));
            }
        }
        return new SnapshotSide(
                "SELECT " + Sql.list(columns) + " FROM " + dialect.name(input) + " AS i",
                Sql.of("r", Sql.numbered("k", spec.keys().size())),
                compared);
    }

    /**
     * The rows of the target that are open as of the version. Columns that the snapshot does not have are not compared:
     * it says nothing of them.
     *
     * @param target relation of the target's rows
     */
    public SnapshotSide current(String target) {
        List<String> compared = new ArrayList<>();
        for (StructField field : spec.values()) {
            if (isInSnapshot(field)) {
                compared.add(dialect.comparable("r." + dialect.name(field.name()), field.type()));
            }
        }
        return new SnapshotSide(
                "SELECT * FROM " + dialect.name(target) + " AS t WHERE " + isOpen(),
                spec.keys().stream().map(key -> "r." + dialect.name(key.name())).toList(),
                compared);
    }

    /** The events of a comparison, as engine SQL. */
    public String events(SnapshotDifference difference) {
        List<String> columns =
                new ArrayList<>(Sql.of("d", Sql.numbered("k", spec.keys().size())));
        for (int column : spec.solidColumns()) {
            columns.add(value(column) + " AS x" + column);
        }
        List<ColumnUnit> units = spec.units();
        for (int j = 0; j < units.size(); j++) {
            ColumnUnit unit = units.get(j);
            boolean known = isInSnapshot(spec.values().get(unit.column()));
            columns.add("CASE WHEN " + isUpsert() + " THEN " + unit.extract(value(unit.column()), dialect) + " END AS u"
                    + j);
            columns.add((known ? "(" + isUpsert() + ")" : "FALSE") + " AS m" + j);
        }
        columns.add(version.sql(dialect) + " AS s0");
        if (spec.systemSequence().isPresent()) {
            columns.add(version.sql(dialect) + " AS y0");
        }
        columns.add("CAST(CASE WHEN " + isUpsert() + " THEN " + EventStaging.UPSERT + " ELSE " + EventStaging.DELETE
                + " END AS INT) AS op");
        columns.add("FALSE AS bad_authored");
        String number = dialect.name(SnapshotDifference.ORDINAL);
        return "SELECT " + Sql.list(columns) + " FROM " + dialect.name(difference.changes()) + " AS d LEFT JOIN "
                + dialect.name(difference.rows()) + " AS r ON d." + number + " = r." + number;
    }

    /** A condition on rows of the target: an event at the version, or a later one, may change them. */
    public String mayChange() {
        String end = dialect.name(ReservedColumns.END_AT);
        return spec.storedAs() == ScdType.SCD2
                ? "(" + end + " IS NULL OR " + end + " >= " + version.sql(dialect) + ")"
                : "TRUE";
    }

    private String isOpen() {
        return switch (spec.storedAs()) {
            case SCD1 -> "TRUE";
            case SCD2 -> isOpen(ReservedColumns.START_AT, ReservedColumns.END_AT);
            case BITEMPORAL ->
                isOpen(ReservedColumns.START_AT, ReservedColumns.END_AT) + " AND "
                        + isOpen(ReservedColumns.SYSTEM_START_AT, ReservedColumns.SYSTEM_END_AT);
        };
    }

    private String isOpen(String start, String end) {
        String at = version.sql(dialect);
        return "t." + dialect.name(start) + " <= " + at + " AND (t." + dialect.name(end) + " IS NULL OR t."
                + dialect.name(end) + " > " + at + ")";
    }

    private static String isUpsert() {
        return "d." + SnapshotDifference.KIND + " <> " + SnapshotDifference.VANISHED;
    }

    private String value(int column) {
        StructField field = spec.values().get(column);
        return isInSnapshot(field) ? "r.x" + column : dialect.nullOf(field.type());
    }

    private boolean isInSnapshot(StructField field) {
        return spec.sourceColumns().has(field.name());
    }

    private String cast(StructField field) {
        return "CAST(i." + dialect.name(field.name()) + " AS " + dialect.type(field.type()) + ")";
    }
}
