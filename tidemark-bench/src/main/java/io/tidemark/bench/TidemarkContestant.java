package io.tidemark.bench;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.pipeline.Pipeline;
import io.tidemark.spark.engine.SparkEngine;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.warehouse.Warehouse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/** Tidemark as a user runs it: one pipeline over a folder of files, an engine opened for each run. */
final class TidemarkContestant implements Contestant {
    private static final String TABLE = "target";

    private final Function<Path, Engine> engines;
    private final boolean changeFeed;
    private Scenario scenario = Scenario.SCD1;
    private @Nullable Path folder;
    private int files;

    /**
     * The product on an engine.
     *
     * @param engines opens an engine for a run, given a folder for what does not fit into memory
     * @param changeFeed whether the target keeps its change data feed
     */
    private TidemarkContestant(Function<Path, Engine> engines, boolean changeFeed) {
        this.engines = engines;
        this.changeFeed = changeFeed;
    }

    /**
     * The product on the embedded engine.
     *
     * @param memoryBytes what the engine may use
     */
    static TidemarkContestant embedded(long memoryBytes, boolean changeFeed) {
        return new TidemarkContestant(
                temporary ->
                        DuckDbEngine.open(DuckDbSettings.defaults(temporary).withMemoryLimitBytes(memoryBytes)),
                changeFeed);
    }

    /** The product on Spark in this process, whose start is not measured: the same settings as for the MERGE by hand. */
    static TidemarkContestant onSpark(Path temporary) {
        SparkSession spark = DeltaSpark.start(temporary, false);
        return new TidemarkContestant(folder -> SparkEngine.open(spark), false);
    }

    @Override
    public List<Scenario> scenarios() {
        return List.of(Scenario.values());
    }

    @Override
    public List<Step> steps() {
        return List.of(Step.LOAD, Step.BIG, Step.SMALL, Step.LOCAL, Step.NOTHING);
    }

    @Override
    public List<Step> furtherSteps() {
        if (scenario != Scenario.SCD1) {
            return List.of();
        }
        return changeFeed ? List.of(Step.UPDATE_ONE, Step.CHANGES) : List.of(Step.UPDATE_ONE);
    }

    @Override
    public void further(Step step, long key) {
        List<String> told = new ArrayList<>();
        try (Engine engine = open()) {
            Session session = new Session(warehouse(), engine);
            String sql = step == Step.UPDATE_ONE ? Statements.updateOne(TABLE, key) : Statements.changes(TABLE, 2);
            session.execute(new SourceText("bench.sql", sql), result -> {
                if (result instanceof StatementResult.Rows rows) {
                    rows.rows().forEach(row -> told.add(row.toString()));
                } else if (result instanceof StatementResult.Done done) {
                    told.add(done.message());
                }
            });
        }
        if (told.isEmpty() || told.get(0).startsWith("[0")) {
            throw new IllegalStateException(step.label() + " told " + told);
        }
    }

    @Override
    public void begin(Scenario scenario, Path folder) throws IOException {
        this.scenario = scenario;
        this.folder = folder;
        this.files = 0;
        Files.createDirectories(folder.resolve("events"));
        Files.createDirectories(folder.resolve("temporary"));
    }

    @Override
    public void apply(Step step, Path events) throws IOException {
        Path place = folder();
        if (step != Step.NOTHING) {
            Files.createLink(place.resolve("events/" + String.format("%05d", files++) + ".parquet"), events);
        }
        try (Engine engine = open()) {
            pipeline().run(engine, warehouse());
        }
    }

    @Override
    public String digest() {
        DeltaTable table = warehouse().table(TableName.of(TABLE));
        try (Engine engine = DuckDbEngine.open(DuckDbSettings.defaults(folder().resolve("temporary")))) {
            engine.registerFiles("digested_rows", EngineFiles.scan(table.snapshot()));
            String rows = switch (scenario) {
                case SCD1, PARTIAL -> "digested_rows";
                case SCD2, SCD2_TRACKED ->
                    "(SELECT * RENAME (__START_AT AS starts, __END_AT AS ends) FROM digested_rows)";
                case BITEMPORAL ->
                    "(SELECT * RENAME (__START_AT AS starts, __END_AT AS ends) FROM digested_rows"
                            + " WHERE __SYSTEM_END_AT IS NULL)";
            };
            StringBuilder digest = new StringBuilder();
            engine.stream(FullReplay.digest(scenario, rows), row -> {
                digest.append(row.get(0));
                return true;
            });
            return digest.toString();
        }
    }

    private Engine open() {
        return engines.apply(folder().resolve("temporary"));
    }

    private Warehouse warehouse() {
        return Warehouse.at(new LocalStorage(), folder().resolve("warehouse").toString());
    }

    private Path folder() {
        if (folder == null) {
            throw new IllegalStateException("begin comes first");
        }
        return folder;
    }

    private Pipeline pipeline() {
        Pipeline pipeline = Pipeline.named("bench");
        Pipeline.TableBuilder table = pipeline.streamingTable(TABLE);
        if (changeFeed) {
            table.property("delta.enableChangeDataFeed", "true");
        }
        Pipeline.AutoCdcFlowBuilder flow = pipeline.autoCdcFlow(TABLE)
                .query("SELECT * FROM STREAM read_files('" + folder().resolve("events")
                        + "/*.parquet', format => 'parquet')")
                .keys("id")
                .applyAsDeletes("op = 'D'")
                .exceptColumnList("op");
        switch (scenario) {
            case SCD1 -> flow.sequenceBy("seq").storedAs(ScdType.SCD1);
            case SCD2 -> flow.sequenceBy("seq").storedAs(ScdType.SCD2);
            case SCD2_TRACKED -> flow.sequenceBy("seq").storedAs(ScdType.SCD2).trackHistoryColumnList("city", "tier");
            case PARTIAL -> flow.sequenceBy("seq").storedAs(ScdType.SCD1).ignoreNullUpdates();
            case BITEMPORAL ->
                flow.sequenceBy("updated_at").systemSequenceBy("seq").storedAs(ScdType.BITEMPORAL);
        }
        return pipeline;
    }

    @Override
    public void close() {
        // Engines live for one run each.
    }
}
