package io.tidemark.sql.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.sql.parse.SessionStatement.Insert;
import io.tidemark.sql.session.StatementResult.Done;
import io.tidemark.sql.warehouse.Relations;
import io.tidemark.sql.warehouse.Warehouse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Executes INSERT INTO: checks the rows, writes them to files and commits the files. */
final class InsertRunner {
    private static final String INPUT = "insert input";
    private static final String ROWS = "insert rows";

    private final Warehouse warehouse;
    private final Engine engine;
    private final Relations relations;

    InsertRunner(Warehouse warehouse, Engine engine, Relations relations) {
        this.warehouse = warehouse;
        this.engine = engine;
        this.relations = relations;
    }

    StatementResult run(Insert statement, Snapshot target) {
        target.checkWritable();
        if (!target.partitionColumns().isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE,
                            "rows cannot be inserted into the partitioned table " + statement.target())
                    .build();
        }
        PreparedQuery query = HiddenColumns.drop(engine, relations.prepare(statement.query()));
        boolean readsTarget = relations.tablesRead().contains(statement.target());
        try {
            return insert(statement, target, query, readsTarget);
        } finally {
            engine.drop(ROWS);
            engine.drop(INPUT);
        }
    }

    private StatementResult insert(Insert statement, Snapshot target, PreparedQuery query, boolean readsTarget) {
        List<StructField> source = query.schema().fields();
        List<StructField> fields = target.schema().fields();
        List<@Nullable Integer> sources = new ColumnMatching(statement, target.schema()).match(source);
        List<StoreAssignment> assignments = assignments(fields, sources, source);
        Optional<TargetRules> rules = TargetRules.of(target);
        boolean checksRows = rules.isPresent() || fields.stream().anyMatch(field -> !field.nullable());
        String input = inputSql(query.sql(), source.size());
        if (assignments.contains(StoreAssignment.CHECKED)) {
            // looked at more than once, which must not run the query again: it may give other rows then
            engine.materialize(INPUT, input, Optional.empty());
        } else {
            engine.createView(INPUT, input);
        }
        InsertInput typed = new InsertInput(engine, INPUT, statement.location());
        String rows = typed.rows(fields, sources, assignments, source);
        if (checksRows) {
            engine.materialize(ROWS, rows, Optional.of(TargetRules.ORDINAL));
            new InsertChecks(engine, statement.target()).notNull(ROWS, target.schema());
            rules.ifPresent(rule ->
                    rule.check(engine, ROWS, relations.register(statement.target(), target), statement.target()));
            rows = "SELECT " + names(target.schema()) + " FROM "
                    + engine.dialect().name(ROWS);
        }
        return write(statement.target(), target, rows, readsTarget, rules.isPresent());
    }

    private String names(StructType schema) {
        List<String> names = schema.names().stream().map(engine.dialect()::name).toList();
        return String.join(", ", names);
    }

    private StatementResult write(
            TableName name, Snapshot target, String rows, boolean readsTarget, boolean dependsOnKeys) {
        PendingFiles files = new PendingFiles(warehouse.storage(), target.location());
        try {
            StructType schema = target.schema();
            var written = files.keep(engine.write(rows, files.spec(schema, Clustering.columns(target))));
            if (written.isEmpty()) {
                return new Done("inserted 0 rows into " + name, OptionalLong.of(0));
            }
            Transaction transaction =
                    target.begin("WRITE").parameter("mode", "Append").parameter("partitionBy", "[]");
            if (readsTarget || dependsOnKeys) {
                transaction.readWholeTable();
            }
            if (dependsOnKeys) {
                transaction.dependsOnAbsentKeys();
            }
            EngineFiles.add(transaction, written);
            files.count(transaction);
            files.commit(transaction);
            long count = files.rowCount();
            return new Done(
                    "inserted " + count + (count == 1 ? " row" : " rows") + " into " + name, OptionalLong.of(count));
        } finally {
            files.close();
        }
    }

    /** The query with its columns numbered, as their names need not be distinct. */
    private static String inputSql(String sql, int columns) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
            names.add(InsertInput.column(i));
        }
        return "SELECT * FROM (" + sql + ") AS source (" + String.join(", ", names) + ")";
    }

    private static List<StoreAssignment> assignments(
            List<StructField> fields, List<@Nullable Integer> sources, List<StructField> source) {
        List<StoreAssignment> assignments = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            Integer number = sources.get(i);
            if (number == null) {
                assignments.add(StoreAssignment.SAFE);
                continue;
            }
            StructField target = fields.get(i);
            StructField from = source.get(number);
            StoreAssignment assignment = StoreAssignment.of(from.type(), target.type());
            if (assignment == StoreAssignment.REFUSED) {
                throw TidemarkException.of(
                                ErrorCode.SCHEMA_MISMATCH,
                                "a value of type " + from.type().sql() + " cannot be stored in column " + target.name()
                                        + " of type " + target.type().sql())
                        .hint("write a CAST in the query if the conversion is meant")
                        .build();
            }
            assignments.add(assignment);
        }
        return assignments;
    }
}
