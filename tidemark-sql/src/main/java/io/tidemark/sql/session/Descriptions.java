package io.tidemark.sql.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.CommitRecord;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.Snapshot;
import io.tidemark.sql.parse.SessionStatement.Describe;
import io.tidemark.sql.parse.SessionStatement.Show;
import io.tidemark.sql.warehouse.Relations;
import io.tidemark.sql.warehouse.ViewColumns;
import io.tidemark.sql.warehouse.Warehouse;
import io.tidemark.sql.warehouse.WarehouseObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Answers SHOW and DESCRIBE. */
final class Descriptions {
    private static final MapType TEXT_MAP = new MapType(ScalarType.STRING, ScalarType.STRING, true);
    private static final StructType JOB =
            structOfTexts("jobId", "jobName", "jobRunId", "runId", "jobOwnerId", "triggerType");
    private static final StructType NOTEBOOK = structOfTexts("notebookId");
    private static final ArrayType TEXT_LIST = new ArrayType(ScalarType.STRING, true);

    private final Warehouse warehouse;
    private final Engine engine;
    private final Relations relations;

    Descriptions(Warehouse warehouse, Engine engine, Relations relations) {
        this.warehouse = warehouse;
        this.engine = engine;
        this.relations = relations;
    }

    private static StructType structOfTexts(String... names) {
        return new StructType(Stream.of(names)
                .map(name -> StructField.of(name, ScalarType.STRING))
                .toList());
    }

    StatementResult show(Show statement) {
        String schema = statement.schema().orElse(TableName.DEFAULT_SCHEMA);
        TableName name = statement.name().orElse(TableName.of(""));
        TableRows rows = new TableRows();
        switch (statement.subject()) {
            case TABLES -> {
                rows.texts("namespace", "tableName");
                warehouse.tables(schema).forEach(table -> rows.row(table.schema(), table.name()));
            }
            case VIEWS -> {
                rows.texts("namespace", "viewName");
                warehouse.views(schema).forEach(view -> rows.row(view.schema(), view.name()));
            }
            case SCHEMAS -> {
                rows.texts("namespace");
                warehouse.schemas().forEach(rows::row);
            }
            case PROPERTIES -> {
                rows.texts("key", "value");
                new TreeMap<>(relations.snapshot(name, statement.location()).properties()).forEach(rows::row);
            }
            case COLUMNS -> {
                rows.texts("col_name");
                schema(name, statement.location()).names().forEach(rows::row);
            }
        }
        return rows.result();
    }

    StatementResult describe(Describe statement) {
        TableName name = statement.name();
        TextLocation place = statement.location();
        return switch (statement.aspect()) {
            case COLUMNS -> columns(name, place).result();
            case EXTENDED -> extended(name, place);
            case HISTORY -> history(name, statement.limit().orElse(Integer.MAX_VALUE), place);
            case DETAIL -> detail(relations.snapshot(name, place));
        };
    }

    private StructType schema(TableName name, TextLocation place) {
        WarehouseObject object = warehouse.lookup(name);
        if (object instanceof WarehouseObject.StoredView stored) {
            View view = stored.view();
            PreparedQuery query = relations.prepare(view.query());
            return ViewColumns.rename(engine, view, query).schema();
        }
        return relations.snapshot(name, place).schema();
    }

    private TableRows columns(TableName name, TextLocation place) {
        TableRows rows = new TableRows().texts("col_name", "data_type", "comment");
        for (StructField field : schema(name, place).fields()) {
            String type = field.type().sql() + (field.nullable() ? "" : " NOT NULL");
            rows.row(field.name(), type, field.comment().orElse(null));
        }
        return rows;
    }

    private StatementResult extended(TableName name, TextLocation place) {
        TableRows rows = columns(name, place);
        rows.row("", "", "");
        WarehouseObject object = warehouse.lookup(name);
        if (object instanceof WarehouseObject.StoredView stored) {
            rows.row("# View Information", "", "");
            rows.row("Name", name.schema() + "." + name.name(), "");
            stored.view().comment().ifPresent(comment -> rows.row("Comment", comment, ""));
            rows.row("View Text", stored.view().query().sql(), "");
            return rows.result();
        }
        Snapshot table = relations.snapshot(name, place);
        rows.row("# Table Information", "", "");
        rows.row("Name", name.schema() + "." + name.name(), "");
        rows.row("Location", table.location(), "");
        rows.row("Provider", "delta", "");
        rows.row("Version", Long.toString(table.version()), "");
        table.description().ifPresent(comment -> rows.row("Comment", comment, ""));
        rows.row("Clustering Columns", String.join(", ", table.clusteringColumns()), "");
        rows.row("Table Properties", Texts.json(new TreeMap<>(table.properties())), "");
        return rows.result();
    }

    private StatementResult history(TableName name, int limit, TextLocation place) {
        relations.snapshot(name, place);
        TableRows rows = new TableRows()
                .column("version", ScalarType.LONG)
                .column("timestamp", ScalarType.TIMESTAMP)
                .texts("userId", "userName", "operation")
                .column("operationParameters", TEXT_MAP)
                .column("job", JOB)
                .column("notebook", NOTEBOOK)
                .column("clusterId", ScalarType.STRING)
                .column("readVersion", ScalarType.LONG)
                .column("isolationLevel", ScalarType.STRING)
                .column("isBlindAppend", ScalarType.BOOLEAN)
                .column("operationMetrics", TEXT_MAP)
                .column("userMetadata", ScalarType.STRING)
                .column("engineInfo", ScalarType.STRING);
        for (CommitRecord commit : warehouse.table(name).history(limit)) {
            rows.row(
                    commit.version(),
                    commit.timestamp(),
                    text(commit, "userId"),
                    text(commit, "userName"),
                    commit.operation().orElse(null),
                    texts(commit.info().operationParameters()),
                    struct(commit, "job", JOB),
                    struct(commit, "notebook", NOTEBOOK),
                    text(commit, "clusterId"),
                    commit.info().readVersion().orElse(null),
                    commit.info().isolationLevel().orElse(null),
                    commit.info().isBlindAppend().orElse(null),
                    texts(commit.info().operationMetrics()),
                    commit.info().userMetadata().orElse(null),
                    commit.info().engineInfo().orElse(null));
        }
        return rows.result();
    }

    private static @Nullable String text(CommitRecord commit, String name) {
        Object value = commit.info().values().get(name);
        return value == null ? null : value.toString();
    }

    /** What some platforms say of the work that a commit was part of. */
    private static @Nullable Map<String, @Nullable String> struct(CommitRecord commit, String name, StructType type) {
        if (!(commit.info().values().get(name) instanceof Map<?, ?> said)) {
            return null;
        }
        Map<String, @Nullable String> fields = new LinkedHashMap<>();
        for (String field : type.names()) {
            Object value = said.get(field);
            fields.put(field, value == null ? null : value.toString());
        }
        return fields;
    }

    private static StatementResult detail(Snapshot table) {
        TableRows rows = new TableRows()
                .texts("format", "id", "name", "description", "location")
                .column("createdAt", ScalarType.TIMESTAMP)
                .column("lastModified", ScalarType.TIMESTAMP)
                .column("version", ScalarType.LONG)
                .column("partitionColumns", TEXT_LIST)
                .column("clusteringColumns", TEXT_LIST)
                .column("numFiles", ScalarType.LONG)
                .column("sizeInBytes", ScalarType.LONG)
                .column("properties", TEXT_MAP)
                .column("minReaderVersion", ScalarType.INTEGER)
                .column("minWriterVersion", ScalarType.INTEGER)
                .column("tableFeatures", TEXT_LIST);
        TreeSet<String> features = new TreeSet<>(table.protocol().readerFeatures());
        features.addAll(table.protocol().writerFeatures());
        Long created = table.metadata().createdTime();
        rows.row(
                "delta",
                table.tableId(),
                table.name().orElse(null),
                table.description().orElse(null),
                table.location(),
                created == null ? null : Instant.ofEpochMilli(created),
                table.timestamp(),
                table.version(),
                table.partitionColumns(),
                table.clusteringColumns(),
                (long) table.files().size(),
                table.files().stream().mapToLong(DataFile::size).sum(),
                new TreeMap<>(table.properties()),
                table.protocol().minReaderVersion(),
                table.protocol().minWriterVersion(),
                new ArrayList<>(features));
        return rows.result();
    }

    private static Map<String, @Nullable String> texts(Map<String, @Nullable Object> values) {
        Map<String, @Nullable String> texts = new LinkedHashMap<>();
        values.forEach((key, value) -> texts.put(key, value == null ? null : value.toString()));
        return texts;
    }
}
