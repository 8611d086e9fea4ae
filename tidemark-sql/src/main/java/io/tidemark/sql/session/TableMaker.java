package io.tidemark.sql.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.DatasetDefinition.TableClauses;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.TableDefinition;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.rows.TableRows;
import io.tidemark.sql.parse.DataTypeParser;
import io.tidemark.sql.parse.SessionStatement.CreateTable;
import io.tidemark.sql.session.StatementResult.Done;
import io.tidemark.sql.warehouse.Relations;
import io.tidemark.sql.warehouse.Warehouse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Executes CREATE TABLE and CREATE OR REPLACE TABLE. */
final class TableMaker {
    /** Domains of this product, which mark the tables of pipelines. */
    private static final String OWN_DOMAINS = "tidemark.";

    private final StatementContext context;
    private final Warehouse warehouse;
    private final Engine engine;
    private final Relations relations;

    TableMaker(StatementContext context) {
        this.context = context;
        this.warehouse = context.warehouse();
        this.engine = context.engine();
        this.relations = context.relations();
    }

    StatementResult run(CreateTable statement) {
        TableName name = statement.name();
        PropertyNames.check(statement.table().properties());
        DeltaTable table = warehouse.table(name);
        Optional<Snapshot> existing = Optional.empty();
        if (table.exists()) {
            if (statement.existing() == CreateTable.Existing.KEPT) {
                return Done.of("table " + name + " exists");
            }
            if (!statement.existing().isReplaced()) {
                throw exists("there is a table called " + name);
            }
            existing = Optional.of(replaceable(statement));
        }
        if (warehouse.view(name).isPresent()) {
            throw exists("there is a view called " + name);
        }
        if (existing.isEmpty() && statement.existing() == CreateTable.Existing.REQUIRED) {
            throw relations.unknown(name, statement.location());
        }
        if (statement.query().isPresent()) {
            return fromQuery(statement, statement.query().get(), table, existing);
        }
        StructType schema = DataTypeParser.schemaOf(statement.table().columns());
        Transaction transaction = begin(statement, schema, table, existing);
        context.commit(parameters(transaction, statement.table()));
        return Done.of((existing.isPresent() ? "replaced table " : "created table ") + name);
    }

    private Snapshot replaceable(CreateTable statement) {
        Snapshot table = context.table(statement.name(), statement.location());
        if (table.domains().keySet().stream().anyMatch(domain -> domain.startsWith(OWN_DOMAINS))) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_STATEMENT,
                            "the table " + statement.name() + " is written by a pipeline and cannot be replaced")
                    .at(statement.location())
                    .hint("change its definition in the pipeline, or DROP TABLE first")
                    .build();
        }
        return table;
    }

    private Transaction begin(CreateTable statement, StructType schema, DeltaTable table, Optional<Snapshot> existing) {
        TableDefinition definition = definition(schema, statement.table());
        String verb = switch (statement.existing()) {
            case REPLACED -> "CREATE OR REPLACE TABLE";
            case REQUIRED -> "REPLACE TABLE";
            default -> "CREATE TABLE";
        };
        String operation = verb + (statement.query().isPresent() ? " AS SELECT" : "");
        if (existing.isEmpty()) {
            return table.create(definition).operation(operation);
        }
        Transaction transaction = existing.get().begin(operation);
        TableRows.removeAll(transaction, existing.get());
        return transaction.redefine(definition);
    }

    private StatementResult fromQuery(
            CreateTable statement, QueryText text, DeltaTable table, Optional<Snapshot> existing) {
        PreparedQuery query = HiddenColumns.drop(engine, relations.prepare(text));
        StructType schema = storable(query.schema(), text);
        Transaction transaction = begin(statement, schema, table, existing);
        PendingFiles files = new PendingFiles(warehouse.storage(), table.location());
        try {
            WriteSpec spec = files.spec(
                    schema,
                    existing(schema, "CLUSTER BY", statement.table().clusterBy()),
                    existing(schema, "PARTITIONED BY", statement.table().partitionBy()));
            List<WrittenFile> written = files.keep(engine.write(query.sql(), spec));
            EngineFiles.add(transaction, written);
            files.count(parameters(transaction, statement.table()));
            files.commit(context, transaction);
            String verb = existing.isPresent() ? "replaced table " : "created table ";
            return new Done(verb + statement.name(), OptionalLong.of(files.rowCount()));
        } finally {
            files.close();
        }
    }

    /** Columns of a query as columns of a table: nullable and of a type that can be stored. */
    private static StructType storable(StructType schema, QueryText query) {
        return new StructType(schema.fields().stream()
                .map(field -> {
                    if (field.type() == ScalarType.VOID) {
                        throw TidemarkException.of(
                                        ErrorCode.SCHEMA_MISMATCH, "the column " + field.name() + " has no type")
                                .at(query.location())
                                .hint("write CAST(NULL AS STRING), or another type")
                                .build();
                    }
                    return new StructField(field.name(), field.type(), true, Map.of());
                })
                .toList());
    }

    private static TableDefinition definition(StructType schema, TableClauses clauses) {
        return new TableDefinition(
                schema,
                existing(schema, "PARTITIONED BY", clauses.partitionBy()),
                existing(schema, "CLUSTER BY", clauses.clusterBy()),
                clauses.properties(),
                clauses.comment().orElse(null));
    }

    /** The names of columns as the schema spells them. */
    private static List<String> existing(StructType schema, String clause, List<ColumnReference> columns) {
        return columns.stream()
                .map(column -> schema.field(column.name())
                        .map(StructField::name)
                        .orElseThrow(() -> TidemarkException.of(
                                        ErrorCode.UNKNOWN_COLUMN, clause + " names the unknown column " + column.name())
                                .at(column.location())
                                .hint("the table has " + String.join(", ", schema.names()))
                                .build()))
                .toList();
    }

    private static Transaction parameters(Transaction transaction, TableClauses clauses) {
        transaction
                .parameter("partitionBy", Texts.json(names(clauses.partitionBy())))
                .parameter("clusterBy", Texts.json(names(clauses.clusterBy())))
                .parameter("isManaged", "true")
                .parameter("properties", Texts.json(clauses.properties()));
        clauses.comment().ifPresent(comment -> transaction.parameter("description", comment));
        return transaction;
    }

    private static List<String> names(List<ColumnReference> columns) {
        return columns.stream().map(ColumnReference::name).toList();
    }

    private static TidemarkException exists(String primary) {
        return TidemarkException.of(ErrorCode.TABLE_EXISTS, primary)
                .hint("choose another name, or write IF NOT EXISTS or CREATE OR REPLACE TABLE")
                .build();
    }
}
