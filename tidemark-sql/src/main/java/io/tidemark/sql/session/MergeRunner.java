package io.tidemark.sql.session;

import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.rows.ChangeImages;
import io.tidemark.delta.skipping.FileCondition;
import io.tidemark.sql.parse.MergeClause;
import io.tidemark.sql.parse.SessionStatement.Merge;
import io.tidemark.sql.session.StatementResult.Done;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Executes MERGE. */
final class MergeRunner {
    private final StatementContext context;

    MergeRunner(StatementContext context) {
        this.context = context;
    }

    StatementResult run(Merge statement) {
        TableName name = statement.target().name();
        Snapshot snapshot = context.table(name, statement.target().location());
        if (statement.clauses().stream().anyMatch(MergeRunner::updates)) {
            TargetRules.of(snapshot).ifPresent(rules -> rules.checkUpdates(name));
        }
        StructType source = source(statement);
        boolean bySource = has(statement, MergeClause.Rows.NOT_MATCHED_BY_SOURCE);
        FileCondition condition = bySource
                ? new FileCondition.And(List.of())
                : new MergeKeys(context, statement, snapshot.schema(), source).condition();
        ChangedRows changed = new ChangedRows(context, statement.target(), snapshot, condition);
        PendingFiles files = new PendingFiles(context.warehouse().storage(), snapshot.location());
        MergeRows rows = new MergeRows(context, statement, changed, source);
        try (changed;
                files;
                rows) {
            rows.compute();
            Counts counts = new Counts();
            if (counts.deleted + counts.updated + counts.inserted > 0) {
                Transaction transaction = snapshot.begin("MERGE");
                describe(statement, transaction, counts);
                changed.commit(
                        transaction,
                        files,
                        new ChangedRows.Reads(true, bySource, Optional.of(MergeRows.MATCHED_PLACES)));
            }
            long all = counts.deleted + counts.updated + counts.inserted;
            return new Done(
                    "merged into " + name + ": " + counts.inserted + " inserted, " + counts.updated + " updated, "
                            + counts.deleted + " deleted",
                    OptionalLong.of(all));
        }
    }

    /** Runs the source's query once: it is looked at more than once, and may give other rows each time. */
    private StructType source(Merge statement) {
        PreparedQuery query =
                HiddenColumns.drop(context.engine(), context.relations().prepare(statement.source()));
        List<String> seen = new ArrayList<>();
        for (String column : query.schema().names()) {
            if (seen.contains(column.toLowerCase(Locale.ROOT))) {
                throw TidemarkException.of(ErrorCode.DUPLICATE_NAME, "the source has two columns called " + column)
                        .at(statement.source().location())
                        .hint("give each column its own name")
                        .build();
            }
            seen.add(column.toLowerCase(Locale.ROOT));
        }
        context.engine().materialize(MergeRows.SOURCE, query.sql(), Optional.of(MergeRows.SOURCE_ROW));
        context.own().add(MergeRows.SOURCE);
        return query.schema();
    }

    /** How many rows the statement changes. */
    private final class Counts {
        final long updated;
        final long deleted;
        final long inserted;

        Counts() {
            Map<String, Long> kinds = new HashMap<>();
            for (String relation : List.of(ChangedRows.DELETED, ChangedRows.INSERTED)) {
                String sql = "SELECT " + ChangedRows.KIND + ", count(*) FROM " + context.name(relation) + " GROUP BY 1";
                context.engine().stream(sql, row -> {
                    if (row.get(1) instanceof Long number) {
                        kinds.put(String.valueOf(row.get(0)), number);
                    }
                    return true;
                });
            }
            updated = kinds.getOrDefault(ChangeImages.BEFORE, 0L);
            deleted = kinds.getOrDefault(ChangeImages.DELETE, 0L);
            inserted = kinds.getOrDefault(ChangeImages.INSERT, 0L);
        }
    }

    private void describe(Merge statement, Transaction transaction, Counts counts) {
        transaction
                .parameter("predicate", Texts.predicates(statement.on().sql()))
                .parameter("matchedPredicates", predicates(statement, MergeClause.Rows.MATCHED))
                .parameter("notMatchedPredicates", predicates(statement, MergeClause.Rows.NOT_MATCHED))
                .parameter(
                        "notMatchedBySourcePredicates", predicates(statement, MergeClause.Rows.NOT_MATCHED_BY_SOURCE))
                .metric("numSourceRows", context.count(MergeRows.SOURCE))
                .metric("numTargetRowsInserted", counts.inserted)
                .metric("numTargetRowsUpdated", counts.updated)
                .metric("numTargetRowsDeleted", counts.deleted)
                .metric("numOutputRows", counts.inserted + counts.updated);
    }

    private static String predicates(Merge statement, MergeClause.Rows rows) {
        return Texts.json(statement.clauses().stream()
                .filter(clause -> clause.rows() == rows)
                .map(clause -> {
                    Map<String, String> entry = new LinkedHashMap<>();
                    clause.condition().ifPresent(condition -> entry.put("predicate", condition.sql()));
                    entry.put("actionType", action(clause));
                    return entry;
                })
                .toList());
    }

    private static String action(MergeClause clause) {
        return clause.action() instanceof MergeClause.Delete ? "delete" : updates(clause) ? "update" : "insert";
    }

    private static boolean updates(MergeClause clause) {
        return clause.action() instanceof MergeClause.Update || clause.action() instanceof MergeClause.UpdateAll;
    }

    private static boolean has(Merge statement, MergeClause.Rows rows) {
        return statement.clauses().stream().anyMatch(clause -> clause.rows() == rows);
    }
}
