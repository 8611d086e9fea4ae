package io.tidemark.tests.pipeline;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.pipeline.PipelineRunner;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.RunListener;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.sql.parse.PipelineParser;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.warehouse.Warehouse;
import io.tidemark.tests.spark.TestEngines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A folder with source files and a warehouse, and an engine, for tests that read like a user's session. */
public final class Lake implements AutoCloseable {
    private final Path folder;
    private final Engine engine;
    private final Warehouse warehouse;
    private final List<String> warnings = new ArrayList<>();

    /** Opens a lake in a folder. */
    public Lake(Path folder) {
        this.folder = folder;
        this.engine = TestEngines.open(folder.resolve("temp"));
        this.warehouse =
                Warehouse.at(new LocalStorage(), folder.resolve("warehouse").toString());
    }

    Path folder() {
        return folder;
    }

    /** The warehouse. */
    public Warehouse warehouse() {
        return warehouse;
    }

    /** The engine. */
    public Engine engine() {
        return engine;
    }

    /** Writes a source file. */
    public Lake file(String name, String... lines) {
        try {
            Path path = folder.resolve(name);
            Path parent = path.getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Files.writeString(path, String.join("\n", lines) + "\n");
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a pipeline text. */
    public List<FlowResult> run(String sql) {
        return run(sql, RunOptions.of("test"));
    }

    /** Runs a pipeline text with options. */
    public List<FlowResult> run(String sql, RunOptions options) {
        PipelineDefinition pipeline = PipelineParser.parse(List.of(new SourceText("pipeline.sql", sql)))
                .orThrow();
        RunListener listener = new RunListener() {
            @Override
            public void warned(String text) {
                warnings.add(text);
            }
        };
        return new PipelineRunner(warehouse, engine, folder, listener, Clock.systemUTC()).run(pipeline, options);
    }

    /** Warnings of all runs. */
    List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** Executes statements; rows come back as texts with values separated by bars. */
    public List<String> sql(String text) {
        List<String> rows = new ArrayList<>();
        new Session(warehouse, engine, folder).execute(new SourceText("statement.sql", text), result -> {
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

    /** Executes one query and hands over its rows, which last as long as the call. */
    public void query(String text, Consumer<StatementResult.Rows> consumer) {
        new Session(warehouse, engine, folder).execute(new SourceText("statement.sql", text), result -> {
            if (result instanceof StatementResult.Rows found) {
                consumer.accept(found);
            }
        });
    }

    /** All rows of a table, sorted as texts. */
    public List<String> rows(String table) {
        return sql("SELECT * FROM " + table).stream().sorted().toList();
    }

    /** The Delta table of a name in the default schema. */
    public DeltaTable table(String name) {
        return warehouse.table(TableName.of(name));
    }

    /** The latest version of a table. */
    public long version(String name) {
        return table(name).latestVersion();
    }

    @Override
    public void close() {
        engine.close();
    }
}
