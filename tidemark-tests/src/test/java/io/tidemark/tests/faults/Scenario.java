package io.tidemark.tests.faults;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import io.tidemark.pipeline.PipelineRunner;
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

/**
 * An operation on the table {@code t} that faults are tried on.
 *
 * @param name its name
 * @param preparation statements that make the table
 * @param inputs source files of the flow that prepare it, each run through the flow; none if there is no flow
 * @param lastInput source file that the operation reads; empty if the operation is a statement
 * @param statement the operation, unless it is a run of the flow
 * @param commits how many commits the operation makes at most
 */
record Scenario(String name, String preparation, List<String> inputs, String lastInput, String statement, int commits) {
    /** The flow of scenarios with source files. */
    static final String FLOW = """
            CREATE STREAMING TABLE t TBLPROPERTIES ('delta.checkpointInterval' = '2', 'delta.enableChangeDataFeed' = 'true');
            CREATE FLOW t AS AUTO CDC INTO t
            FROM STREAM read_files('in/*.csv', schema => 'op STRING, id INT, name STRING, seq INT')
            KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq)
            STORED AS SCD TYPE 2;
            """;

    static Scenario statement(String name, String preparation, String statement, int commits) {
        return new Scenario(name, preparation, List.of(), "", statement, commits);
    }

    @Override
    public String toString() {
        return name;
    }

    boolean isFlow() {
        return !lastInput.isEmpty();
    }

    /** Runs the operation. */
    void run(Storage storage, Engine engine, Path folder) {
        if (isFlow()) {
            flow(storage, engine, folder);
        } else {
            sql(storage, engine, folder, statement);
        }
    }

    static void flow(Storage storage, Engine engine, Path folder) {
        new PipelineRunner(warehouse(storage, folder), engine, folder, new RunListener() {}, Clock.systemUTC())
                .run(
                        PipelineParser.parse(List.of(new SourceText("p.sql", FLOW)))
                                .orThrow(),
                        RunOptions.of("test"));
    }

    static List<String> sql(Storage storage, Engine engine, Path folder, String text) {
        List<String> rows = new ArrayList<>();
        new Session(warehouse(storage, folder), engine, folder).execute(new SourceText("s.sql", text), result -> {
            if (result instanceof StatementResult.Rows found) {
                found.rows().forEach(values -> {
                    rows.add(String.join(
                            "|", values.stream().map(String::valueOf).toList()));
                    return true;
                });
            }
        });
        return rows.stream().sorted().toList();
    }

    static Warehouse warehouse(Storage storage, Path folder) {
        return Warehouse.at(storage, folder.resolve("warehouse").toString());
    }

    /** The table as a healthy program sees it. */
    static DeltaTable table(Path folder) {
        return warehouse(new LocalStorage(), folder).table(TableName.of("t"));
    }
}
