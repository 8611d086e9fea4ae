package io.tidemark.sql.session;

import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.rows.ChangeImages;
import io.tidemark.delta.rows.TableRows;
import io.tidemark.sql.parse.SessionStatement.Delete;
import io.tidemark.sql.parse.SessionStatement.Truncate;
import io.tidemark.sql.query.ConditionReader;
import io.tidemark.sql.session.StatementResult.Done;
import java.util.Optional;
import java.util.OptionalLong;

/** Executes DELETE and TRUNCATE TABLE. */
final class DeleteRunner {
    private final StatementContext context;

    DeleteRunner(StatementContext context) {
        this.context = context;
    }

    StatementResult run(Delete statement) {
        TableName name = statement.target().name();
        Snapshot snapshot = context.table(name, statement.target().location());
        if (statement.where().isEmpty()) {
            return all(name, snapshot, snapshot.begin("DELETE").parameter("predicate", "[]"));
        }
        String where = statement.where().get().sql();
        ChangedRows changed = new ChangedRows(
                context,
                statement.target(),
                snapshot,
                ConditionReader.read(
                        statement.where().get(),
                        snapshot.schema(),
                        statement.target().qualifier()));
        PendingFiles files = new PendingFiles(context.warehouse().storage(), snapshot.location());
        try (changed;
                files) {
            ComposedQuery query = changed.select(changed.column(TableRows.FILE) + ", " + changed.column(TableRows.ROW));
            ChangedRows.where(query, statement.where());
            String places =
                    InsertInput.numbered(query.prepare(context.relations()).sql(), 2);
            context.materialize(
                    ChangedRows.DELETED,
                    "SELECT c0 AS file, c1 AS pos, '" + ChangeImages.DELETE + "' AS " + ChangedRows.KIND + " FROM ("
                            + places + ") AS q");
            long count = context.count(ChangedRows.DELETED);
            if (count > 0) {
                context.view(ChangedRows.INSERTED, changed.nothingOfKind());
                Transaction transaction = snapshot.begin("DELETE")
                        .parameter("predicate", Texts.predicates(where))
                        .metric("numDeletedRows", count);
                changed.commit(transaction, files, new ChangedRows.Reads(false, false, Optional.empty()));
            }
            return deleted(count, name);
        }
    }

    StatementResult truncate(Truncate statement) {
        Snapshot snapshot = context.table(statement.name(), statement.location());
        return all(statement.name(), snapshot, snapshot.begin("TRUNCATE"));
    }

    private StatementResult all(TableName name, Snapshot snapshot, Transaction transaction) {
        if (snapshot.files().isEmpty()) {
            return deleted(0, name);
        }
        long count = 0;
        for (DataFile file : snapshot.files()) {
            count += file.liveRecords().orElse(0);
        }
        TableRows.removeAll(transaction, snapshot);
        transaction.metric("numRemovedFiles", snapshot.files().size()).metric("numDeletedRows", count);
        context.commit(transaction);
        return deleted(count, name);
    }

    private static StatementResult deleted(long count, TableName name) {
        return new Done("deleted " + Texts.rows(count) + " from " + name, OptionalLong.of(count));
    }
}
