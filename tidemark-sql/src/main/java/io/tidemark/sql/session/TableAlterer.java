package io.tidemark.sql.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.WiderTypes;
import io.tidemark.delta.log.SchemaJson;
import io.tidemark.sql.parse.DataTypeParser;
import io.tidemark.sql.parse.SessionStatement.AlterTable;
import io.tidemark.sql.parse.TableChange;
import io.tidemark.sql.session.StatementResult.Done;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Executes ALTER TABLE for columns, and COMMENT ON TABLE. */
final class TableAlterer {
    private static final String COMMENT = "comment";
    private static final String CHANGE_COLUMN = "CHANGE COLUMN";
    private static final List<String> FLOW_DOMAINS = List.of("tidemark.target", "tidemark.flow.");

    private final StatementContext context;

    TableAlterer(StatementContext context) {
        this.context = context;
    }

    StatementResult run(AlterTable statement) {
        TableName name = statement.name();
        Snapshot table = context.table(name, statement.location());
        TableChange change = statement.change();
        if (change instanceof TableChange.TableComment comment) {
            Map<String, String> properties = new LinkedHashMap<>();
            comment.comment().ifPresent(text -> properties.put(COMMENT, text));
            context.commit(table.begin(comment.comment().isPresent() ? "SET TBLPROPERTIES" : "UNSET TBLPROPERTIES")
                    .parameter("properties", comment.comment().isPresent() ? Texts.json(properties) : "[\"comment\"]")
                    .setComment(comment.comment().orElse(null)));
        } else if (change instanceof TableChange.ColumnComment comment) {
            context.commit(
                    changed(table, name, comment.column(), field -> withMetadata(field, COMMENT, comment.comment())));
        } else {
            refuseForFlows(table, name);
            changeSchema(table, name, change);
        }
        return Done.of("altered table " + name);
    }

    private void changeSchema(Snapshot table, TableName name, TableChange change) {
        if (change instanceof TableChange.AddColumns added) {
            addColumns(table, name, added);
        } else if (change instanceof TableChange.ColumnType type) {
            StructField field = field(table, name, type.column());
            if (!TypeShapes.same(field.type(), type.type())) {
                TypeWidening.check(table, field, type);
                context.commit(changed(table, name, type.column(), old -> WiderTypes.widened(old, type.type())));
            }
        } else if (change instanceof TableChange.ColumnNullable nullable) {
            setNullable(table, name, nullable);
        }
    }

    private void addColumns(Snapshot table, TableName name, TableChange.AddColumns added) {
        List<StructField> fields = new ArrayList<>(table.schema().fields());
        StructType columns = DataTypeParser.schemaOf(added.columns());
        added.columns().forEach(column -> {
            if (table.schema().has(column.name())) {
                throw TidemarkException.of(
                                ErrorCode.DUPLICATE_NAME,
                                "the table " + name + " has a column " + column.name() + " already")
                        .at(column.location())
                        .hint("names are compared without regard to case")
                        .build();
            }
        });
        fields.addAll(columns.fields());
        context.commit(table.begin("ADD COLUMNS")
                .parameter("columns", SchemaJson.write(columns))
                .setSchema(new StructType(fields)));
    }

    private void setNullable(Snapshot table, TableName name, TableChange.ColumnNullable change) {
        StructField field = field(table, name, change.column());
        if (field.nullable() == change.nullable()) {
            return;
        }
        Transaction transaction = changed(
                table,
                name,
                change.column(),
                old -> new StructField(old.name(), old.type(), change.nullable(), old.metadata()));
        if (!change.nullable()) {
            String rows = context.relations().register(name, table);
            long nulls = context.number(
                    "SELECT count(*) FROM " + context.name(rows) + " WHERE " + context.name(field.name()) + " IS NULL");
            if (nulls > 0) {
                throw TidemarkException.of(
                                ErrorCode.NOT_NULL_VIOLATED,
                                "column " + field.name() + " of table " + name + " cannot become NOT NULL: "
                                        + Texts.rows(nulls) + (nulls == 1 ? " has" : " have") + " NULL")
                        .at(change.column().location())
                        .hint("give them a value first: UPDATE " + name + " SET " + field.name() + " = ...")
                        .build();
            }
            transaction.readWholeTable();
        }
        context.commit(transaction);
    }

    private static Transaction changed(
            Snapshot table, TableName name, ColumnReference column, UnaryOperator<StructField> change) {
        StructField old = field(table, name, column);
        StructField changed = change.apply(old);
        return table.begin(CHANGE_COLUMN)
                .parameter("column", SchemaJson.write(StructType.of(changed)))
                .setSchema(new StructType(table.schema().fields().stream()
                        .map(field -> field.equals(old) ? changed : field)
                        .toList()));
    }

    private static StructField field(Snapshot table, TableName name, ColumnReference column) {
        AssignedColumns.known(name, table.schema(), column);
        return table.schema().field(column.name()).orElseThrow();
    }

    static StructField withMetadata(StructField field, String key, Object value) {
        Map<String, Object> metadata = new LinkedHashMap<>(field.metadata());
        metadata.put(key, value);
        return new StructField(field.name(), field.type(), field.nullable(), metadata);
    }

    private static void refuseForFlows(Snapshot table, TableName name) {
        boolean target = table.domains().keySet().stream()
                .anyMatch(domain -> FLOW_DOMAINS.stream().anyMatch(domain::startsWith));
        if (target) {
            throw TidemarkException.of(
                            ErrorCode.TARGET_OF_FLOW,
                            "the columns of table " + name + " cannot be changed: flows write it")
                    .hint("change the flow's query or COLUMNS; the next update adds new columns")
                    .build();
        }
    }
}
