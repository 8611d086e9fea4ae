package io.tidemark.s3;

import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.cache.FileCache;
import io.tidemark.delta.storage.Storage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.pipeline.PipelineRunner;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.RunListener;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.sql.parse.PipelineParser;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.warehouse.Warehouse;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** A warehouse on some storage, and an engine, for tests that read like a user's session. */
final class LakeOn implements AutoCloseable {
    private final Path folder;
    private final FileCache cache;
    private final DuckDbEngine engine;
    private final Warehouse warehouse;
    private final Session session;

    /**
     * Opens a lake.
     *
     * @param folder source files, temporary files and the cache
     */
    LakeOn(Storage storage, String root, Path folder, long cacheLimit) {
        this.folder = folder;
        cache = new FileCache(folder.resolve("cache"), cacheLimit, location -> storage);
        engine = DuckDbEngine.open(
                DuckDbSettings.defaults(folder.resolve("temp")).withThreads(1).withRemoteFiles(cache));
        warehouse = Warehouse.at(storage, root);
        session = new Session(warehouse, engine, folder);
    }

    /** Executes statements; rows come back as texts with values separated by bars. */
    List<String> sql(String text) {
        List<String> rows = new ArrayList<>();
        session.execute(new SourceText("statement.sql", text), result -> {
            if (result instanceof StatementResult.Rows found) {
                found.rows().forEach(values -> {
                    rows.add(String.join(
                            "|", values.stream().map(String::valueOf).toList()));
                    return true;
                });
            }
        });
        return rows;
    }

    /** All rows of a query, sorted as texts. */
    List<String> sorted(String query) {
        return sql(query).stream().sorted().toList();
    }

    List<FlowResult> run(String sql) {
        PipelineDefinition pipeline = PipelineParser.parse(List.of(new SourceText("pipeline.sql", sql)))
                .orThrow();
        return new PipelineRunner(warehouse, engine, folder, new RunListener() {}, Clock.systemUTC())
                .run(pipeline, RunOptions.of("test"));
    }

    DeltaTable table(String name) {
        return warehouse.table(TableName.of(name));
    }

    Session session() {
        return session;
    }

    FileCache cache() {
        return cache;
    }

    @Override
    public void close() {
        engine.close();
        cache.close();
    }
}
