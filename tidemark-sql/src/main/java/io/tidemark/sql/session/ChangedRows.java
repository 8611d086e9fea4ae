package io.tidemark.sql.session;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.rows.ChangeImages;
import io.tidemark.delta.rows.TableRows;
import io.tidemark.delta.skipping.FileCondition;
import io.tidemark.delta.skipping.FileFilter;
import io.tidemark.delta.vector.RowPositions;
import io.tidemark.sql.parse.TargetTable;
import io.tidemark.sql.text.Literals;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The rows of a table that UPDATE, DELETE or MERGE changes: which go and which come. All of them stay with the engine,
 * only positions are loaded.
 */
final class ChangedRows implements AutoCloseable {
    /** The rows of the files that may have to change, with their places. */
    static final String TABLE = "changed table";
    /** Places of the rows that go: {@code file}, {@code pos} and {@link #KIND}. */
    static final String DELETED = "changed positions";
    /** The rows that come: the table's columns and {@link #KIND}. */
    static final String INSERTED = "changed rows";
    /** What happens to the row: a change type of the change data feed. */
    static final String KIND = "__kind";

    private static final String NUMBERED = "changed rows numbered";
    private static final String REMAINING = "remaining rows";

    private final StatementContext context;
    private final TargetTable target;
    private final Snapshot snapshot;
    private final FileFilter filter;
    private final Optional<TargetRules> rules;
    private final TableRows rows;

    /**
     * Prepares a change.
     *
     * @param condition what is known of the rows that the statement looks at
     */
    ChangedRows(StatementContext context, TargetTable target, Snapshot snapshot, FileCondition condition) {
        this.context = context;
        this.target = target;
        this.snapshot = snapshot;
        this.filter = snapshot.filter(condition);
        this.rules = TargetRules.of(snapshot);
        // a target's rows are checked against all others of their keys
        List<DataFile> files = snapshot.files().stream()
                .filter(file -> rules.isPresent() || filter.test(file.add()))
                .toList();
        this.rows = TableRows.register(context.engine(), snapshot, files, snapshot.schema(), TABLE);
        context.own().add(TABLE);
    }

    StructType schema() {
        return snapshot.schema();
    }

    TableRows rows() {
        return rows;
    }

    /** A query over the table's rows. */
    ComposedQuery select(String columns) {
        return new ComposedQuery().add("SELECT " + columns).add(from());
    }

    /** What stands behind SELECT to read the table's rows under the statement's name for it. */
    String from() {
        return " FROM " + Literals.quote(TABLE) + " AS " + Literals.quote(target.qualifier());
    }

    /** A column of the table in the words of {@link #from}. */
    String column(String name) {
        return Literals.quote(target.qualifier()) + "." + Literals.quote(name);
    }

    /** The condition WHERE of a query, if there is one. */
    static void where(ComposedQuery query, Optional<QueryText> where) {
        where.ifPresent(condition -> query.add(" WHERE ").addOperand(condition));
    }

    /** The SQL of no new rows. */
    String nothingOfKind() {
        Dialect dialect = context.engine().dialect();
        return "SELECT *, " + dialect.nullOf(ScalarType.STRING) + " AS " + KIND + " FROM ("
                + dialect.emptySelect(schema()) + ") AS t";
    }

    /** The rows that go and the rows that come are known: checks and stages them, and commits. */
    void commit(Transaction transaction, PendingFiles files, Reads reads) {
        Engine engine = context.engine();
        new InsertChecks(engine, target.name()).notNull(INSERTED, schema());
        rules.ifPresent(this::check);
        declare(transaction, reads);
        TableRows.Staged staged = rows.stage(
                transaction, DELETED, INSERTED, schema(), snapshot.clusteringColumns(), Optional.of(changes()));
        files.keep(staged);
        matched(transaction, reads);
        transaction
                .metric("numRemovedFiles", staged.removedFiles())
                .metric("numAddedFiles", staged.written().size())
                .metric("numAddedChangeFiles", staged.changes().size());
        files.commit(context, transaction);
    }

    /**
     * What a statement has read.
     *
     * @param absentKeys whether rows come because there was none of their key
     * @param wholeTable whether the statement looked at rows that its condition does not tell
     * @param matched relation with {@code file} and {@code pos} of rows that count, beside those that go
     */
    record Reads(boolean absentKeys, boolean wholeTable, Optional<String> matched) {}

    private void declare(Transaction transaction, Reads reads) {
        boolean checked = rules.isPresent() && context.count(INSERTED) > 0;
        boolean whole = reads.wholeTable()
                || checked
                || rules.filter(TargetRules::keepsWholeKeys).isPresent()
                || context.relations().tablesRead().contains(target.name());
        if (whole) {
            transaction.readWholeTable();
        }
        transaction.readFilesMatching(filter);
        rows.files().forEach(file -> transaction.readRows(file, RowPositions.empty()));
        if (reads.absentKeys() || checked) {
            transaction.dependsOnAbsentKeys();
        }
    }

    /** Rows that met the condition count, even if they stay as they are: without them something else would happen. */
    private void matched(Transaction transaction, Reads reads) {
        if (reads.matched().isPresent()) {
            Map<Integer, RowPositions> positions =
                    rows.positionsOf(reads.matched().get());
            positions.forEach(
                    (file, matched) -> transaction.readRows(rows.files().get(file), matched));
        }
    }

    private void check(TargetRules rule) {
        Engine engine = context.engine();
        Dialect dialect = engine.dialect();
        engine.materialize(NUMBERED, "SELECT * FROM " + dialect.name(INSERTED), Optional.of(TargetRules.ORDINAL));
        context.view(
                REMAINING,
                "SELECT t.* FROM " + dialect.name(TABLE) + " AS t WHERE NOT EXISTS (SELECT 1 FROM "
                        + dialect.name(DELETED) + " AS d WHERE d.file = t." + dialect.name(TableRows.FILE)
                        + " AND d.pos = t." + dialect.name(TableRows.ROW) + ")");
        rule.checkDeleted(engine, rows.rowsAt(DELETED, schema()), REMAINING, target.name());
        rule.check(engine, NUMBERED, REMAINING, target.name());
    }

    /** All changes of the commit for the change data feed. */
    private String changes() {
        Dialect dialect = context.engine().dialect();
        String names =
                String.join(", ", schema().names().stream().map(dialect::name).toList());
        String inserted = "SELECT " + names + " FROM " + dialect.name(INSERTED);
        if (rules.isPresent()) {
            return new ChangeImages(dialect, schema(), rules.get().identity(dialect))
                    .difference(rows.rowsAt(DELETED, schema()), inserted);
        }
        String type = dialect.name(ChangeImages.CHANGE_TYPE);
        String old = String.join(
                ", ",
                schema().names().stream().map(name -> "t." + dialect.name(name)).toList());
        return "SELECT " + old + ", d." + KIND + " AS " + type + " FROM " + dialect.name(TABLE)
                + " AS t JOIN " + dialect.name(DELETED) + " AS d ON t." + dialect.name(TableRows.FILE)
                + " = d.file AND t." + dialect.name(TableRows.ROW) + " = d.pos UNION ALL SELECT " + names + ", " + KIND
                + " AS " + type + " FROM " + dialect.name(INSERTED);
    }

    @Override
    public void close() {
        List.of(NUMBERED, REMAINING, DELETED, INSERTED).forEach(context.engine()::drop);
        rows.drop();
    }
}
