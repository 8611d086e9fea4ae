package io.tidemark.sql.session;

import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.rows.ChangeImages;
import io.tidemark.delta.rows.TableRows;
import io.tidemark.delta.skipping.FileCondition;
import io.tidemark.sql.parse.SessionStatement.Update;
import io.tidemark.sql.query.ConditionReader;
import io.tidemark.sql.session.StatementResult.Done;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Executes UPDATE. */
final class UpdateRunner {
    private static final String INPUT = "update input";

    private final StatementContext context;

    UpdateRunner(StatementContext context) {
        this.context = context;
    }

    StatementResult run(Update statement) {
        TableName name = statement.target().name();
        Snapshot snapshot = context.table(name, statement.target().location());
        TargetRules.of(snapshot).ifPresent(rules -> rules.checkUpdates(name));
        AssignedColumns columns = AssignedColumns.of(name, snapshot.schema(), statement.assignments());
        FileCondition condition = statement
                .where()
                .map(where -> ConditionReader.read(
                        where, snapshot.schema(), statement.target().qualifier()))
                .orElse(new FileCondition.And(List.of()));
        ChangedRows changed = new ChangedRows(context, statement.target(), snapshot, condition);
        PendingFiles files = new PendingFiles(context.warehouse().storage(), snapshot.location());
        try (changed;
                files) {
            long count = stage(statement, changed, columns);
            if (count > 0) {
                Transaction transaction = snapshot.begin("UPDATE").metric("numUpdatedRows", count);
                statement.where().ifPresent(where -> transaction.parameter("predicate", Texts.predicates(where.sql())));
                changed.commit(transaction, files, new ChangedRows.Reads(false, false, Optional.empty()));
            }
            return new Done("updated " + Texts.rows(count) + " in " + name, OptionalLong.of(count));
        } finally {
            context.engine().drop(INPUT);
        }
    }

    /** Computes the new rows and returns their number. */
    private long stage(Update statement, ChangedRows changed, AssignedColumns columns) {
        List<String> leading = List.of(changed.column(TableRows.FILE), changed.column(TableRows.ROW));
        ComposedQuery query = new ComposedQuery().add("SELECT ");
        List<Integer> sources = columns.select(query, leading, changed);
        query.add(changed.from());
        ChangedRows.where(query, statement.where());
        PreparedQuery prepared = query.prepare(context.relations());
        List<StructField> input = prepared.schema().fields();
        StructType schema = changed.schema();
        List<TextLocation> places = columns.places(statement.location());
        StoredValues stored = StoredValues.of(schema, sources, input, places);
        context.materialize(INPUT, InsertInput.numbered(prepared.sql(), input.size()));
        long count = context.count(INPUT);
        if (count > 0) {
            String rows = new InsertInput(context.engine(), INPUT, statement.location())
                    .rows(
                            schema.fields(),
                            stored,
                            input,
                            List.of("'" + ChangeImages.AFTER + "' AS " + ChangedRows.KIND));
            context.view(ChangedRows.INSERTED, rows);
            context.view(
                    ChangedRows.DELETED,
                    "SELECT c0 AS file, c1 AS pos, '" + ChangeImages.BEFORE + "' AS " + ChangedRows.KIND + " FROM "
                            + context.name(INPUT));
        }
        return count;
    }
}
