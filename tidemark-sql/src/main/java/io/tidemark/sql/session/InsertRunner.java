package io.tidemark.sql.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.rows.TableRows;
import io.tidemark.sql.parse.SessionStatement.Insert;
import io.tidemark.sql.session.StatementResult.Done;
import io.tidemark.sql.warehouse.Relations;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Executes INSERT INTO: checks the rows, writes them to files and commits the files. */
final class InsertRunner {
    private static final String INPUT = "insert input";
    private static final String ROWS = "insert rows";
    private static final String NO_ROWS = "insert no rows";

    private final StatementContext context;
    private final Engine engine;
    private final Relations relations;

    InsertRunner(StatementContext context) {
        this.context = context;
        this.engine = context.engine();
        this.relations = context.relations();
    }

    StatementResult run(Insert statement) {
        Snapshot target = context.table(statement.target(), statement.location());
        PreparedQuery query = HiddenColumns.drop(engine, relations.prepare(statement.query()));
        boolean readsTarget = relations.tablesRead().contains(statement.target());
        try {
            return insert(statement, target, query, readsTarget);
        } finally {
            engine.drop(ROWS);
            engine.drop(NO_ROWS);
            engine.drop(INPUT);
        }
    }

    private StatementResult insert(Insert statement, Snapshot target, PreparedQuery query, boolean readsTarget) {
        List<StructField> source = query.schema().fields();
        List<StructField> fields = target.schema().fields();
        List<@Nullable Integer> sources = new ColumnMatching(statement, target.schema()).match(source);
        TextLocation place = statement.query().location();
        StoredValues stored =
                StoredValues.of(target.schema(), sources, source, Collections.nCopies(fields.size(), place));
        Optional<TargetRules> rules = TargetRules.of(target);
        boolean checksRows = rules.isPresent() || fields.stream().anyMatch(field -> !field.nullable());
        String input = InsertInput.numbered(query.sql(), source.size());
        if (stored.needsCheck()) {
            // looked at more than once, which must not run the query again: it may give other rows then
            engine.materialize(INPUT, input, Optional.empty());
        } else {
            engine.createView(INPUT, input);
        }
        InsertInput typed = new InsertInput(engine, INPUT, statement.location());
        String rows = typed.rows(fields, stored, source, List.of());
        if (checksRows) {
            engine.materialize(ROWS, rows, Optional.of(TargetRules.ORDINAL));
            new InsertChecks(engine, statement.target()).notNull(ROWS, target.schema());
            rules.ifPresent(rule -> rule.check(engine, ROWS, existing(statement, target), statement.target()));
            rows = "SELECT " + names(target.schema()) + " FROM "
                    + engine.dialect().name(ROWS);
        }
        return write(statement, target, rows, readsTarget, rules.isPresent());
    }

    /** The rows with which the new ones must go together. */
    private String existing(Insert statement, Snapshot target) {
        if (!statement.overwrite()) {
            return relations.register(statement.target(), target);
        }
        engine.createView(NO_ROWS, engine.dialect().emptySelect(target.schema()));
        return NO_ROWS;
    }

    private String names(StructType schema) {
        List<String> names = schema.names().stream().map(engine.dialect()::name).toList();
        return String.join(", ", names);
    }

    private StatementResult write(
            Insert statement, Snapshot target, String rows, boolean readsTarget, boolean dependsOnKeys) {
        TableName name = statement.target();
        PendingFiles files = new PendingFiles(context.warehouse().storage(), target.location());
        try (files) {
            List<WrittenFile> written = files.keep(engine.write(
                    rows, files.spec(target.schema(), target.clusteringColumns(), target.partitionColumns())));
            boolean clears = statement.overwrite() && !target.files().isEmpty();
            if (!written.isEmpty() || clears) {
                Transaction transaction = target.begin("WRITE")
                        .parameter("mode", statement.overwrite() ? "Overwrite" : "Append")
                        .parameter("partitionBy", Texts.json(target.partitionColumns()));
                if (readsTarget || dependsOnKeys || statement.overwrite()) {
                    transaction.readWholeTable();
                }
                if (dependsOnKeys && !statement.overwrite()) {
                    transaction.dependsOnAbsentKeys();
                }
                if (clears) {
                    TableRows.removeAll(transaction, target);
                }
                EngineFiles.add(transaction, written);
                files.count(transaction);
                files.commit(context, transaction);
            }
            long count = files.rowCount();
            String verb = statement.overwrite() ? "overwrote " + name + " with " : "inserted ";
            String into = statement.overwrite() ? "" : " into " + name;
            return new Done(verb + Texts.rows(count) + into, OptionalLong.of(count));
        }
    }
}
