package io.tidemark.sql.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.rows.ChangeImages;
import io.tidemark.delta.rows.TableRows;
import io.tidemark.sql.parse.ColumnAssignment;
import io.tidemark.sql.parse.MergeClause;
import io.tidemark.sql.parse.SessionStatement.Merge;
import io.tidemark.sql.text.Literals;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which rows a MERGE deletes, replaces and inserts. First the pairs of rows that belong together, by their places; then
 * for each row the first clause whose condition holds; then per clause its new rows. So each expression sees only the
 * rows of its own clause, and has a type of its own.
 */
final class MergeRows implements AutoCloseable {
    static final String SOURCE = "merge source";
    static final String SOURCE_ROW = "__source_row";
    /** Places of target rows with that of a source row: {@code __m_file}, {@code __m_pos}, {@code __m_src}. */
    static final String MATCHES = "merge matches";
    /** The same places as {@code file} and {@code pos}. */
    static final String MATCHED_PLACES = "merge matched places";

    private static final String MATCHED = "merge matched";
    private static final String NOT_MATCHED = "merge not matched";
    private static final String BY_SOURCE = "merge not matched by source";
    private static final String SOURCE_REST = "merge source rest";
    private static final String TARGET_REST = "merge target rest";
    private static final String CHOSEN = "`__chosen`";
    private static final int SAMPLE_ROWS_MAX = 3;

    private final StatementContext context;
    private final Engine engine;
    private final Merge statement;
    private final ChangedRows changed;
    private final StructType source;
    private final String sourceName;
    private final List<String> relations = new ArrayList<>(List.of(SOURCE));
    private final List<String> deleted = new ArrayList<>();
    private final List<String> inserted = new ArrayList<>();

    MergeRows(StatementContext context, Merge statement, ChangedRows changed, StructType source) {
        this.context = context;
        this.engine = context.engine();
        this.statement = statement;
        this.changed = changed;
        this.source = source;
        this.sourceName = Literals.quote(statement.sourceAlias().orElse("__source"));
    }

    /** Makes the relations of the rows that go and of those that come. */
    void compute() {
        match();
        List<MergeClause> clauses = statement.clauses();
        if (has(MergeClause.Rows.MATCHED)) {
            String places = "c0 AS __m_file, c1 AS __m_pos, c2 AS __m_src, c3 AS __m_clause";
            ComposedQuery query =
                    new ComposedQuery().add("SELECT `__m`.`__m_file`, `__m`.`__m_pos`, `__m`.`__m_src`, ");
            choice(query, MergeClause.Rows.MATCHED)
                    .add(" FROM " + Literals.quote(MATCHES) + " AS `__m`")
                    .add(joinTarget("`__m`"))
                    .add(joinSource("`__m`"));
            choose(MATCHED, places, query);
            checkOneSourceRow();
            dropped(MATCHED, MergeClause.Rows.MATCHED, true);
        }
        if (has(MergeClause.Rows.NOT_MATCHED)) {
            keep(
                    SOURCE_REST,
                    "SELECT * FROM " + context.name(SOURCE) + " AS s WHERE NOT EXISTS (SELECT 1 FROM "
                            + context.name(MATCHES) + " AS m WHERE m.__m_src = s." + SOURCE_ROW + ")",
                    false);
            ComposedQuery query = new ComposedQuery().add("SELECT " + sourceName + "." + SOURCE_ROW + ", ");
            choice(query, MergeClause.Rows.NOT_MATCHED)
                    .add(" FROM " + Literals.quote(SOURCE_REST) + " AS " + sourceName);
            choose(NOT_MATCHED, "c0 AS __m_src, c1 AS __m_clause", query);
        }
        if (has(MergeClause.Rows.NOT_MATCHED_BY_SOURCE)) {
            keep(
                    TARGET_REST,
                    "SELECT * FROM " + context.name(ChangedRows.TABLE) + " AS t WHERE NOT EXISTS (SELECT 1 FROM "
                            + context.name(MATCHES) + " AS m WHERE m.__m_file = t." + TableRows.FILE
                            + " AND m.__m_pos = t."
                            + TableRows.ROW + ")",
                    false);
            String target = Literals.quote(statement.target().qualifier());
            ComposedQuery query = new ComposedQuery()
                    .add("SELECT " + changed.column(TableRows.FILE) + ", " + changed.column(TableRows.ROW) + ", ");
            choice(query, MergeClause.Rows.NOT_MATCHED_BY_SOURCE)
                    .add(" FROM " + Literals.quote(TARGET_REST) + " AS " + target);
            choose(BY_SOURCE, "c0 AS __m_file, c1 AS __m_pos, c2 AS __m_clause", query);
            dropped(BY_SOURCE, MergeClause.Rows.NOT_MATCHED_BY_SOURCE, false);
        }
        for (int i = 0; i < clauses.size(); i++) {
            values(clauses.get(i), i);
        }
        keep(ChangedRows.DELETED, union(deleted, noPlaces()), true);
        keep(ChangedRows.INSERTED, union(inserted, changed.nothingOfKind()), false);
    }

    private static String union(List<String> parts, String nothing) {
        return parts.isEmpty() ? nothing : String.join(" UNION ALL ", parts);
    }

    private static String noPlaces() {
        return "SELECT CAST(NULL AS BIGINT) AS file, CAST(NULL AS BIGINT) AS pos, CAST(NULL AS STRING) AS "
                + ChangedRows.KIND + " WHERE 1 = 0";
    }

    private void match() {
        ComposedQuery query = new ComposedQuery()
                .add("SELECT " + changed.column(TableRows.FILE) + ", " + changed.column(TableRows.ROW) + ", "
                        + sourceName + "." + SOURCE_ROW)
                .add(changed.from())
                .add(" JOIN " + Literals.quote(SOURCE) + " AS " + sourceName + " ON ")
                .addOperand(statement.on());
        String sql = query.prepare(context.relations()).sql();
        keep(
                MATCHES,
                "SELECT c0 AS __m_file, c1 AS __m_pos, c2 AS __m_src FROM (" + InsertInput.numbered(sql, 3) + ") AS m",
                true);
        keep(MATCHED_PLACES, "SELECT DISTINCT __m_file AS file, __m_pos AS pos FROM " + context.name(MATCHES), false);
    }

    /** Adds the number of the first clause whose condition holds. */
    private ComposedQuery choice(ComposedQuery query, MergeClause.Rows rows) {
        query.add("CASE");
        List<MergeClause> clauses = statement.clauses();
        boolean always = false;
        for (int i = 0; i < clauses.size(); i++) {
            MergeClause clause = clauses.get(i);
            if (clause.rows() != rows) {
                continue;
            }
            if (clause.condition().isPresent()) {
                query.add(" WHEN ").addOperand(clause.condition().get()).add(" THEN " + i);
            } else {
                query.add(" WHEN true THEN " + i);
                always = true;
            }
        }
        return query.add(always ? " END" : " ELSE -1 END");
    }

    private void choose(String relation, String columns, ComposedQuery query) {
        PreparedQuery prepared = query.prepare(context.relations());
        String numbered =
                InsertInput.numbered(prepared.sql(), prepared.schema().fields().size());
        keep(
                relation,
                "SELECT * FROM (SELECT " + columns + " FROM (" + numbered + ") AS q) AS chosen WHERE __m_clause >= 0",
                true);
    }

    /** Notes the target rows of clauses as rows that go, with what happens to them. */
    private void dropped(String relation, MergeClause.Rows rows, boolean mayRepeat) {
        List<String> deletes = new ArrayList<>();
        for (int i = 0; i < statement.clauses().size(); i++) {
            MergeClause clause = statement.clauses().get(i);
            if (clause.rows() == rows && clause.action() instanceof MergeClause.Delete) {
                deletes.add(Integer.toString(i));
            }
        }
        String kind = deletes.isEmpty()
                ? "'" + ChangeImages.BEFORE + "'"
                : "CASE WHEN __m_clause IN (" + String.join(", ", deletes) + ") THEN '" + ChangeImages.DELETE
                        + "' ELSE '" + ChangeImages.BEFORE + "' END";
        deleted.add("SELECT " + (mayRepeat ? "DISTINCT " : "") + "__m_file AS file, __m_pos AS pos, " + kind + " AS "
                + ChangedRows.KIND + " FROM " + context.name(relation));
    }

    /** Computes the new rows of a clause. */
    private void values(MergeClause clause, int number) {
        if (clause.action() instanceof MergeClause.Delete) {
            return;
        }
        boolean insert = clause.rows() == MergeClause.Rows.NOT_MATCHED;
        AssignedColumns columns = assigned(clause);
        ComposedQuery query = new ComposedQuery().add("SELECT ");
        List<String> leading = List.of(CHOSEN + ".`__m_clause`");
        List<? extends @Nullable Integer> sources =
                insert ? columns.selectNew(query, leading) : columns.select(query, leading, changed);
        String chosen = switch (clause.rows()) {
            case MATCHED -> MATCHED;
            case NOT_MATCHED -> NOT_MATCHED;
            case NOT_MATCHED_BY_SOURCE -> BY_SOURCE;
        };
        query.add(" FROM " + Literals.quote(chosen) + " AS " + CHOSEN);
        if (!insert) {
            query.add(joinTarget(CHOSEN));
        }
        if (clause.rows() != MergeClause.Rows.NOT_MATCHED_BY_SOURCE) {
            query.add(joinSource(CHOSEN));
        }
        query.add(" WHERE " + CHOSEN + ".`__m_clause` = " + number);
        PreparedQuery prepared = query.prepare(context.relations());
        List<StructField> input = prepared.schema().fields();
        StructType schema = changed.schema();
        StoredValues stored = StoredValues.of(schema, sources, input, columns.places(clause.location()));
        String relation = "merge input " + number;
        keep(relation, InsertInput.numbered(prepared.sql(), input.size()), true);
        String kind = insert ? ChangeImages.INSERT : ChangeImages.AFTER;
        inserted.add(new InsertInput(engine, relation, clause.location())
                .rows(schema.fields(), stored, input, List.of("'" + kind + "' AS " + ChangedRows.KIND)));
    }

    private AssignedColumns assigned(MergeClause clause) {
        List<ColumnAssignment> assignments = new ArrayList<>();
        if (clause.action() instanceof MergeClause.Update update) {
            assignments.addAll(update.assignments());
        } else if (clause.action() instanceof MergeClause.Insert insert) {
            for (int i = 0; i < insert.columns().size(); i++) {
                assignments.add(new ColumnAssignment(
                        insert.columns().get(i), insert.values().get(i)));
            }
        } else {
            assignments.addAll(star(clause));
        }
        return AssignedColumns.of(statement.target().name(), changed.schema(), assignments);
    }

    /** The assignments that a star stands for. */
    private List<ColumnAssignment> star(MergeClause clause) {
        List<ColumnAssignment> assignments = new ArrayList<>();
        for (StructField field : changed.schema().fields()) {
            String name = source.field(field.name())
                    .map(StructField::name)
                    .orElseThrow(() -> TidemarkException.of(
                                    ErrorCode.UNKNOWN_COLUMN,
                                    "the source has no column " + field.name() + ", which the star needs")
                            .at(clause.location())
                            .hint("the source has " + String.join(", ", source.names())
                                    + "; name the columns instead of the star")
                            .build());
            assignments.add(new ColumnAssignment(
                    new ColumnReference(field.name(), clause.location()),
                    new QueryText(sourceName + "." + Literals.quote(name), clause.location())));
        }
        return assignments;
    }

    /** Which of several source rows counts cannot be told, unless all they do is delete the row. */
    private void checkOneSourceRow() {
        List<MergeClause> matched = statement.clauses().stream()
                .filter(clause -> clause.rows() == MergeClause.Rows.MATCHED)
                .toList();
        boolean deletes = matched.size() == 1
                && matched.get(0).condition().isEmpty()
                && matched.get(0).action() instanceof MergeClause.Delete;
        if (deletes) {
            return;
        }
        String names = context.name(MATCHED);
        String places =
                "SELECT __m_file, __m_pos, count(*) AS __m_count FROM " + names + " GROUP BY 1, 2 HAVING count(*) > 1";
        StructType schema = changed.schema();
        List<String> columns = schema.names().stream().map(context::name).toList();
        List<String> samples = new ArrayList<>();
        engine.stream(
                "SELECT d.__m_count, " + String.join(", ", columns) + " FROM (" + places + ") AS d JOIN "
                        + context.name(ChangedRows.TABLE) + " AS t ON t." + TableRows.FILE + " = d.__m_file AND t."
                        + TableRows.ROW + " = d.__m_pos ORDER BY d.__m_file, d.__m_pos",
                row -> {
                    List<String> parts = new ArrayList<>();
                    for (int i = 0; i < columns.size(); i++) {
                        parts.add(schema.names().get(i) + " = " + Texts.shown(row.get(i + 1)));
                    }
                    samples.add(String.format(
                            Locale.ROOT, "%s source rows belong to (%s).", row.get(0), String.join(", ", parts)));
                    return samples.size() < SAMPLE_ROWS_MAX;
                });
        if (!samples.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.MERGE_AMBIGUOUS,
                            "several source rows would change one row of table "
                                    + statement.target().name())
                    .at(statement.on().location())
                    .detail(String.join("\n", samples))
                    .hint("make the source unique by the columns of ON, or add conditions to the clauses")
                    .build();
        }
    }

    private String joinTarget(String places) {
        return " JOIN " + Literals.quote(ChangedRows.TABLE) + " AS "
                + Literals.quote(statement.target().qualifier()) + " ON " + places + ".`__m_file` = "
                + changed.column(TableRows.FILE) + " AND " + places + ".`__m_pos` = " + changed.column(TableRows.ROW);
    }

    private String joinSource(String places) {
        return " JOIN " + Literals.quote(SOURCE) + " AS " + sourceName + " ON " + places + ".`__m_src` = " + sourceName
                + "." + SOURCE_ROW;
    }

    private void keep(String relation, String sql, boolean materialized) {
        relations.add(0, relation);
        if (materialized) {
            context.materialize(relation, sql);
        } else {
            context.view(relation, sql);
        }
    }

    private boolean has(MergeClause.Rows rows) {
        return statement.clauses().stream().anyMatch(clause -> clause.rows() == rows);
    }

    @Override
    public void close() {
        relations.forEach(engine::drop);
    }
}
