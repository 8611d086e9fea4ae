package io.tidemark.core.change;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.AutoCdcFlow.Clause;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Turns the rows of a flow's query into events: keys {@code k<i>}, values {@code x<i>} of columns that every event
 * authors, units {@code u<j>} with their masks {@code m<j>}, sequence leaves {@code s<i>}, system leaves {@code y<i>}
 * and {@code op}. Two steps: user expressions in Spark SQL, which the engine translates, then the engine's own SQL.
 */
public final class EventStaging {
    private static final String PROBE_START = "SELECT (";
    /** Value of {@code op}: the event sets values. */
    static final int UPSERT = 0;
    /** Value of {@code op}: the event removes its key. */
    static final int DELETE = 1;
    /** Value of {@code op}: the event removes all keys. */
    static final int TRUNCATE = 2;
    /** The column that numbers the events of one update in the source's order. */
    public static final String ORDINAL = "ord";

    private final ChangeSpec spec;
    private final Dialect dialect;

    /** Staging of a flow's events. */
    public EventStaging(ChangeSpec spec, Dialect dialect) {
        this.spec = spec;
        this.dialect = dialect;
    }

    /**
     * A SELECT in Spark SQL that evaluates the user's expressions.
     *
     * @param relation name that the caller resolves to the flow's query
     */
    public QueryText expressions(String relation) {
        AutoCdcFlow flow = spec.flow();
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < spec.keys().size(); i++) {
            columns.add(quoted(spec.keys().get(i).name()) + " AS k" + i);
        }
        for (int i = 0; i < spec.values().size(); i++) {
            StructField field = spec.values().get(i);
            boolean known = spec.sourceColumns().has(field.name()) && isSelected(field.name());
            columns.add((known ? quoted(field.name()) : "NULL") + " AS v" + i);
        }
        columns.add("(" + flow.sequenceBy().sql() + "\n) AS seq");
        flow.systemSequenceBy().ifPresent(expression -> columns.add("(" + expression.sql() + "\n) AS sys"));
        String truncate = flow.truncateWhen()
                .map(condition -> "WHEN (" + condition.sql() + "\n) THEN " + TRUNCATE + " ")
                .orElse("");
        String delete = flow.deleteWhen()
                .map(condition -> "WHEN (" + condition.sql() + "\n) THEN " + DELETE + " ")
                .orElse("");
        String operation = truncate.isEmpty() && delete.isEmpty()
                ? Integer.toString(UPSERT)
                : "CASE " + truncate + delete + "ELSE " + UPSERT + " END";
        columns.add(operation + " AS op");
        flow.columnsToUpdate().ifPresent(column -> columns.add(quoted(column.name()) + " AS authored"));
        return new QueryText(
                "SELECT " + Sql.list(columns) + " FROM " + quoted(relation),
                flow.query().location());
    }

    /** A SELECT in Spark SQL with one user expression as its only column, to learn its type and to check it. */
    public static QueryText probe(QueryText expression, String relation) {
        TextLocation written = expression.location();
        // What stands before the expression must not shift the places of its faults.
        TextLocation start = written.isKnown()
                ? new TextLocation(written.file(), written.line(), written.column() - PROBE_START.length())
                : written;
        return new QueryText(PROBE_START + expression.sql() + "\n) AS probe FROM " + quoted(relation), start);
    }

    /** Engine SQL over the prepared {@link #expressions}; its rows are the events, faults included. */
    public String events(String expressionsSql) {
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < spec.keys().size(); i++) {
            columns.add(cast("k" + i, spec.keys().get(i).type()) + " AS k" + i);
        }
        for (int column : spec.solidColumns()) {
            columns.add(ifUpsert(cast("v" + column, spec.values().get(column).type())) + " AS x" + column);
        }
        List<ColumnUnit> units = spec.units();
        for (int j = 0; j < units.size(); j++) {
            ColumnUnit unit = units.get(j);
            StructField field = spec.values().get(unit.column());
            String value = cast("v" + unit.column(), field.type());
            columns.add(ifUpsert(unit.extract(value, dialect)) + " AS u" + j);
            columns.add("(op = " + UPSERT + " AND " + authored(unit, field, value) + ") AS m" + j);
        }
        addLeaves(columns, spec.sequenceShape(), "seq", "s");
        spec.systemSequence().ifPresent(type -> addLeaves(columns, spec.systemShape(), "sys", "y"));
        columns.add("CAST(op AS INT) AS op");
        columns.add(authorsUnknown() + " AS bad_authored");
        return "SELECT " + Sql.list(columns) + " FROM (" + expressionsSql + ") AS q";
    }

    /** Conditions over staged events that make an update fail, or events to drop. */
    public List<Fault> faults() {
        List<String> keys = Sql.numbered("k", spec.keys().size());
        List<String> sequence = Sql.numbered("s", spec.sequenceShape().leafCount());
        List<Fault> faults = new ArrayList<>();
        faults.add(new Fault(
                ErrorCode.NULL_KEY,
                "(op <> " + TRUNCATE + " AND " + Sql.anyNull(keys) + ")",
                "NULL in a key",
                true,
                Clause.KEYS));
        faults.add(new Fault(
                ErrorCode.NULL_SEQUENCE, Sql.allNull(sequence), "a NULL SEQUENCE BY", true, Clause.SEQUENCE_BY));
        if (spec.systemSequence().isPresent()) {
            List<String> system = Sql.numbered("y", spec.systemShape().leafCount());
            faults.add(new Fault(
                    ErrorCode.NULL_SEQUENCE,
                    Sql.allNull(system),
                    "a NULL SYSTEM SEQUENCE BY",
                    true,
                    Clause.SYSTEM_SEQUENCE_BY));
        }
        if (spec.flow().columnsToUpdate().isPresent()) {
            faults.add(new Fault(
                    ErrorCode.COLUMNS_TO_UPDATE_INVALID,
                    "(bad_authored)",
                    "a NULL element or an unknown column in "
                            + spec.flow().columnsToUpdate().get().name(),
                    false,
                    Clause.COLUMNS_TO_UPDATE));
        }
        return faults;
    }

    /** Columns of staged events that show a faulty event to a person. */
    public List<String> sampleColumns() {
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < spec.keys().size(); i++) {
            columns.add("k" + i + " AS " + dialect.name(spec.keys().get(i).name()));
        }
        List<String> leaves = Sql.numbered("s", spec.sequenceShape().leafCount());
        columns.add(spec.sequenceShape().join(leaves, dialect) + " AS " + dialect.name("sequence"));
        if (spec.systemSequence().isPresent()) {
            List<String> system = Sql.numbered("y", spec.systemShape().leafCount());
            columns.add(spec.systemShape().join(system, dialect) + " AS " + dialect.name("system sequence"));
        }
        return columns;
    }

    /** The greatest truncate of staged events: its sequence leaves as text, or no row. */
    public String newestTruncate(String events, Optional<List<String>> remembered) {
        List<String> leaves = Sql.numbered("s", spec.sequenceShape().leafCount());
        String own = "SELECT " + Sql.list(leaves) + " FROM " + events + " WHERE op = " + TRUNCATE;
        String all = remembered
                .map(texts -> own + " UNION ALL SELECT " + Sql.list(Sql.as(literals(texts), leaves)))
                .orElse(own);
        List<String> texts =
                Sql.each(leaves, leaf -> "CAST(" + leaf + " AS " + dialect.type(ScalarType.STRING) + ") AS " + leaf);
        return "SELECT " + Sql.list(texts) + " FROM (SELECT " + Sql.list(leaves) + " FROM (" + all + ") AS a ORDER BY "
                + Sql.descending(leaves) + " LIMIT 1) AS b";
    }

    /** Typed expressions for sequence leaves that were kept as text. */
    List<String> literals(List<String> texts) {
        List<DataType> types = spec.sequenceShape().leafTypes();
        List<String> literals = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            String text = texts.get(i);
            String value = text == null ? "NULL" : dialect.string(text);
            literals.add("CAST(" + value + " AS " + dialect.type(types.get(i)) + ")");
        }
        return literals;
    }

    private String authored(ColumnUnit unit, StructField field, String value) {
        if (!spec.sourceColumns().has(field.name()) || !isSelected(field.name())) {
            return "FALSE";
        }
        if (spec.flow().columnsToUpdate().isPresent()) {
            return "COALESCE(" + dialect.containsIgnoreCase("authored", field.name()) + ", TRUE)";
        }
        return unit.isAuthoredByValue(value, dialect);
    }

    private boolean isSelected(String name) {
        return spec.flow().columns().map(list -> list.selects(name)).orElse(true);
    }

    private String authorsUnknown() {
        if (spec.flow().columnsToUpdate().isEmpty()) {
            return "FALSE";
        }
        // A delete sets no columns, but an array that names none of the source is a fault of the feed all the same.
        return "COALESCE(op <> " + TRUNCATE + " AND "
                + dialect.hasElementOutside("authored", spec.sourceColumns().names()) + ", FALSE)";
    }

    private void addLeaves(List<String> columns, SequenceShape shape, String value, String prefix) {
        List<String> leaves = shape.split(value, dialect);
        columns.addAll(Sql.as(leaves, Sql.numbered(prefix, leaves.size())));
    }

    private String cast(String expression, DataType type) {
        return "CAST(" + expression + " AS " + dialect.type(type) + ")";
    }

    private static String ifUpsert(String expression) {
        return "CASE WHEN op = " + UPSERT + " THEN " + expression + " END";
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    /**
     * A kind of event that cannot be applied.
     *
     * @param code the error
     * @param condition engine SQL over staged events
     * @param text what is wrong with such an event
     * @param mayDrop whether {@code tidemark.cdc.onNullKeyOrSequence = drop} drops such events
     * @param clause the clause that such an event does not fit
     */
    public record Fault(ErrorCode code, String condition, String text, boolean mayDrop, Clause clause) {}
}
