package io.tidemark.pipeline;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.ColumnSelection;
import io.tidemark.core.flow.DatasetDefinition;
import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.flow.SnapshotSource;
import io.tidemark.core.flow.TableName;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.RunListener;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.sql.warehouse.Warehouse;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline defined in Java. It builds the same definition as a SQL file, with names that mirror the Python interface
 * of declarative pipelines:
 *
 * <pre>{@code
 * Pipeline pipeline = Pipeline.named("shop");
 * pipeline.streamingTable("customers");
 * pipeline.autoCdcFlow("customers").source("customer_events").keys("id").sequenceBy("lsn").storedAs(ScdType.SCD2);
 * pipeline.run(engine, warehouse);
 * }</pre>
 */
public final class Pipeline {
    private final String id;
    private final List<TableBuilder> tables = new ArrayList<>();
    private final List<DatasetDefinition> otherDatasets = new ArrayList<>();
    private final List<Supplier<FlowDefinition>> flows = new ArrayList<>();
    private final Map<String, String> settings = new HashMap<>();
    private Path baseFolder = Path.of("");

    private Pipeline(String id) {
        this.id = id;
    }

    /** A pipeline without datasets. The id owns the flows' progress in the tables. */
    public static Pipeline named(String id) {
        return new Pipeline(id);
    }

    /** Where relative paths of sources begin; the working folder unless set. */
    public Pipeline baseFolder(Path folder) {
        this.baseFolder = folder;
        return this;
    }

    /** Sets what {@code SET name = value} sets. */
    public Pipeline set(String name, String value) {
        settings.put(name, value);
        return this;
    }

    /** Adds a table that flows write. */
    public TableBuilder streamingTable(String name) {
        TableBuilder table = new TableBuilder(tableName(name));
        tables.add(table);
        return table;
    }

    /** Adds a table that always equals a query in Spark SQL. */
    public Pipeline materializedView(String name, String query) {
        otherDatasets.add(new DatasetDefinition.MaterializedView(
                tableName(name), DatasetDefinition.TableClauses.NONE, text(query), TextLocation.NONE));
        return this;
    }

    /** Adds a view that only this pipeline knows. */
    public Pipeline temporaryView(String name, String query) {
        otherDatasets.add(new DatasetDefinition.View(
                tableName(name), true, List.of(), Optional.empty(), text(query), TextLocation.NONE));
        return this;
    }

    /** Adds a change flow into a table; it bears the table's name unless named. */
    public AutoCdcFlowBuilder autoCdcFlow(String target) {
        AutoCdcFlowBuilder flow = new AutoCdcFlowBuilder(tableName(target));
        flows.add(flow::build);
        return flow;
    }

    /** Adds a change flow that reads whole snapshots into a table; it bears the table's name unless named. */
    public SnapshotFlowBuilder autoCdcFromSnapshotFlow(String target) {
        SnapshotFlowBuilder flow = new SnapshotFlowBuilder(tableName(target));
        flows.add(flow::build);
        return flow;
    }

    /** Adds a flow that appends the rows of a query to a table, columns matched by name. */
    public AppendFlowBuilder appendFlow(String target) {
        AppendFlowBuilder flow = new AppendFlowBuilder(tableName(target));
        flows.add(flow::build);
        return flow;
    }

    /** The definition, as the SQL parser builds it. */
    public PipelineDefinition definition() {
        List<DatasetDefinition> datasets = new ArrayList<>();
        tables.forEach(table -> datasets.add(table.build()));
        datasets.addAll(otherDatasets);
        List<FlowDefinition> definitions = new ArrayList<>();
        flows.forEach(flow -> definitions.add(flow.get()));
        return new PipelineDefinition(datasets, definitions, settings);
    }

    /** Runs the pipeline once. */
    public List<FlowResult> run(Engine engine, Warehouse warehouse) {
        return run(engine, warehouse, RunOptions.of(id), RunListener.NONE);
    }

    /** Runs the pipeline once, as the options say. */
    public List<FlowResult> run(Engine engine, Warehouse warehouse, RunOptions options, RunListener listener) {
        return new PipelineRunner(warehouse, engine, baseFolder, listener, Clock.systemUTC())
                .run(definition(), options);
    }

    private static TableName tableName(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? TableName.of(name) : new TableName(name.substring(0, dot), name.substring(dot + 1));
    }

    private static QueryText text(String sql) {
        return new QueryText(sql, TextLocation.NONE);
    }

    /** Says what a streaming table is. */
    public static final class TableBuilder {
        private final TableName name;
        private final Map<String, String> properties = new HashMap<>();
        private final List<ColumnReference> clusterBy = new ArrayList<>();
        private @Nullable String comment;

        private TableBuilder(TableName name) {
            this.name = name;
        }

        /** Sets a table property. */
        public TableBuilder property(String key, String value) {
            properties.put(key, value);
            return this;
        }

        /** Sets the comment. */
        public TableBuilder comment(String text) {
            this.comment = text;
            return this;
        }

        /** Sets the clustering columns. */
        public TableBuilder clusterBy(String... columns) {
            List.of(columns).forEach(column -> clusterBy.add(ColumnReference.of(column)));
            return this;
        }

        private DatasetDefinition build() {
            return new DatasetDefinition.StreamingTable(
                    name,
                    new DatasetDefinition.TableClauses(
                            List.of(), Optional.ofNullable(comment), properties, clusterBy, List.of(), Map.of()),
                    TextLocation.NONE);
        }
    }

    /**
     * What all flows have.
     *
     * @param <B> the builder's own type
     */
    public abstract static class FlowBuilder<B extends FlowBuilder<B>> {
        final TableName target;
        String name;
        boolean once;
        QueryText query = text("");

        private FlowBuilder(TableName target) {
            this.target = target;
            this.name = target.name();
        }

        /** Gives the flow a name of its own. */
        public B named(String flow) {
            this.name = flow;
            return self();
        }

        /** Runs the flow once until a full refresh; its source is not a stream then. */
        public B once() {
            this.once = true;
            return self();
        }

        /** Reads a query in Spark SQL; streams in it are written {@code STREAM(t)}. */
        public B query(String sql) {
            this.query = text(sql);
            return self();
        }

        abstract B self();

        abstract FlowDefinition build();
    }

    /** Says what an append flow is. */
    public static final class AppendFlowBuilder extends FlowBuilder<AppendFlowBuilder> {
        private AppendFlowBuilder(TableName target) {
            super(target);
        }

        @Override
        AppendFlowBuilder self() {
            return this;
        }

        @Override
        FlowDefinition build() {
            return new FlowDefinition.AppendFlow(name, target, once, true, query, Optional.empty(), TextLocation.NONE);
        }
    }

    /** Says what a change flow is; one method for each clause of {@code AUTO CDC INTO}. */
    public static final class AutoCdcFlowBuilder extends FlowBuilder<AutoCdcFlowBuilder> {
        private final List<ColumnReference> keys = new ArrayList<>();
        private QueryText sequenceBy = text("");
        private ScdType storedAs = ScdType.SCD1;
        private @Nullable String source;
        private @Nullable QueryText systemSequenceBy;
        private @Nullable QueryText deleteWhen;
        private @Nullable QueryText truncateWhen;
        private @Nullable ColumnSelection ignoreNullUpdates;
        private @Nullable ColumnSelection columns;
        private @Nullable ColumnSelection trackHistory;
        private @Nullable ColumnReference columnsToUpdate;

        private AutoCdcFlowBuilder(TableName target) {
            super(target);
        }

        /** Reads a table or view; as a stream unless the flow is ONCE. */
        public AutoCdcFlowBuilder source(String table) {
            this.source = table;
            return this;
        }

        /** The columns that identify a row. */
        public AutoCdcFlowBuilder keys(String... names) {
            List.of(names).forEach(key -> keys.add(ColumnReference.of(key)));
            return this;
        }

        /** The expression that orders the events of a key. */
        public AutoCdcFlowBuilder sequenceBy(String expression) {
            this.sequenceBy = text(expression);
            return this;
        }

        /** The expression that says when an event was known; for bitemporal storage. */
        public AutoCdcFlowBuilder systemSequenceBy(String expression) {
            this.systemSequenceBy = text(expression);
            return this;
        }

        /** The condition of deletes. */
        public AutoCdcFlowBuilder applyAsDeletes(String condition) {
            this.deleteWhen = text(condition);
            return this;
        }

        /** The condition of truncates. */
        public AutoCdcFlowBuilder applyAsTruncates(String condition) {
            this.truncateWhen = text(condition);
            return this;
        }

        /** NULL in an event means that the event leaves the column alone. */
        public AutoCdcFlowBuilder ignoreNullUpdates() {
            return ignoreNullUpdates(ColumnSelection.all());
        }

        /** NULL in one of these columns means that the event leaves it alone. */
        public AutoCdcFlowBuilder ignoreNullUpdates(ColumnSelection selection) {
            this.ignoreNullUpdates = selection;
            return this;
        }

        /** Only these source columns go to the target. */
        public AutoCdcFlowBuilder columnList(String... names) {
            this.columns = ColumnSelection.include(names);
            return this;
        }

        /** These source columns do not go to the target. */
        public AutoCdcFlowBuilder exceptColumnList(String... names) {
            this.columns = ColumnSelection.except(names);
            return this;
        }

        /** The storage type. */
        public AutoCdcFlowBuilder storedAs(ScdType type) {
            this.storedAs = type;
            return this;
        }

        /** Only a difference in these columns begins a new version. */
        public AutoCdcFlowBuilder trackHistoryColumnList(String... names) {
            this.trackHistory = ColumnSelection.include(names);
            return this;
        }

        /** A difference in these columns begins no new version. */
        public AutoCdcFlowBuilder trackHistoryExceptColumnList(String... names) {
            this.trackHistory = ColumnSelection.except(names);
            return this;
        }

        /** The ARRAY&lt;STRING&gt; column in which each event names the columns that it authors. */
        public AutoCdcFlowBuilder columnsToUpdate(String column) {
            this.columnsToUpdate = ColumnReference.of(column);
            return this;
        }

        @Override
        AutoCdcFlowBuilder self() {
            return this;
        }

        @Override
        FlowDefinition build() {
            QueryText read = source == null
                    ? query
                    : text(once ? "SELECT * FROM " + source : "SELECT * FROM STREAM(" + source + ")");
            return new AutoCdcFlow(
                    name,
                    target,
                    once,
                    read,
                    keys,
                    Optional.ofNullable(ignoreNullUpdates),
                    Optional.ofNullable(deleteWhen),
                    Optional.ofNullable(truncateWhen),
                    sequenceBy,
                    Optional.ofNullable(systemSequenceBy),
                    Optional.ofNullable(columns),
                    storedAs,
                    Optional.ofNullable(trackHistory),
                    Optional.ofNullable(columnsToUpdate),
                    Optional.empty(),
                    TextLocation.NONE,
                    Map.of());
        }
    }

    /** Says what a flow of snapshots is; one method for each clause of {@code AUTO CDC INTO … FROM SNAPSHOT}. */
    public static final class SnapshotFlowBuilder {
        private final TableName target;
        private final List<ColumnReference> keys = new ArrayList<>();
        private String name;
        private String query = "";
        private SnapshotSource versions = new SnapshotSource.Periodic();
        private ScdType storedAs = ScdType.SCD1;
        private @Nullable ColumnSelection trackHistory;

        private SnapshotFlowBuilder(TableName target) {
            this.target = target;
            this.name = target.name();
        }

        /** Gives the flow a name of its own. */
        public SnapshotFlowBuilder named(String flow) {
            this.name = flow;
            return this;
        }

        /** Takes all rows of a table or view as the snapshot. */
        public SnapshotFlowBuilder source(String table) {
            return query("SELECT * FROM " + table);
        }

        /** Takes the rows of a query in Spark SQL, which may call {@code current_snapshot_version()}. */
        public SnapshotFlowBuilder query(String sql) {
            this.query = sql;
            return this;
        }

        /**
         * Finds the next version by a query in Spark SQL, which may call {@code last_snapshot_version()} and gives no row
         * if there is no further snapshot. Without it each update takes one snapshot.
         */
        public SnapshotFlowBuilder withVersion(String sql) {
            this.versions = new SnapshotSource.Versioned(text(sql));
            return this;
        }

        /** Finds the next snapshot, query and version, by a function of the last version; in place of a query. */
        public SnapshotFlowBuilder nextSnapshot(SnapshotSource.NextSnapshot function) {
            this.versions = new SnapshotSource.Provided(function);
            return this;
        }

        /** The columns that identify a row. */
        public SnapshotFlowBuilder keys(String... names) {
            List.of(names).forEach(key -> keys.add(ColumnReference.of(key)));
            return this;
        }

        /** The storage type. */
        public SnapshotFlowBuilder storedAs(ScdType type) {
            this.storedAs = type;
            return this;
        }

        /** Only a difference in these columns begins a new version. */
        public SnapshotFlowBuilder trackHistoryColumnList(String... names) {
            this.trackHistory = ColumnSelection.include(names);
            return this;
        }

        /** A difference in these columns begins no new version. */
        public SnapshotFlowBuilder trackHistoryExceptColumnList(String... names) {
            this.trackHistory = ColumnSelection.except(names);
            return this;
        }

        private FlowDefinition build() {
            return new AutoCdcFlow(
                    name,
                    target,
                    false,
                    text(query),
                    keys,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    text(""),
                    Optional.empty(),
                    Optional.empty(),
                    storedAs,
                    Optional.ofNullable(trackHistory),
                    Optional.empty(),
                    Optional.empty(),
                    TextLocation.NONE,
                    Map.of(),
                    Optional.of(versions));
        }
    }
}
