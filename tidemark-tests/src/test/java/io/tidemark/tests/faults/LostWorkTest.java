package io.tidemark.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.pipeline.PipelineRunner;
import io.tidemark.pipeline.run.RunListener;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.sql.parse.PipelineParser;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.warehouse.Warehouse;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An engine that loses work, as a cluster does with a machine: the update is made anew and leaves one copy of each row. */
class LostWorkTest {
    private static final String PIPELINE = """
            CREATE STREAMING TABLE history;
            CREATE FLOW f AS AUTO CDC INTO history FROM STREAM read_files('events/*.csv', format => 'csv', header => true,
                schema => 'id INT, name STRING, seq INT') KEYS (id) SEQUENCE BY seq STORED AS SCD TYPE 2;
            """;

    @TempDir
    Path folder;

    private DuckDbEngine engine;
    private int calls;
    private int failFrom = Integer.MAX_VALUE;
    private int failures;

    @BeforeEach
    void open() throws Exception {
        engine = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("temp")));
        Files.createDirectories(folder.resolve("events"));
    }

    @AfterEach
    void close() {
        engine.close();
    }

    /** The engine, which loses work at some computing calls. */
    private Engine losing() {
        return (Engine) Proxy.newProxyInstance(
                Engine.class.getClassLoader(), new Class<?>[] {Engine.class}, (self, method, arguments) -> {
                    boolean computes =
                            List.of("materialize", "write", "stream", "reduce").contains(method.getName());
                    if (computes && ++calls >= failFrom && failures > 0) {
                        failures--;
                        throw TidemarkException.of(ErrorCode.WORK_LOST, "a machine was lost")
                                .build();
                    }
                    try {
                        return method.invoke(engine, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Warehouse warehouse(String name) {
        return Warehouse.at(new LocalStorage(), folder.resolve(name).toString());
    }

    private void run(String name) {
        new PipelineRunner(warehouse(name), losing(), folder, new RunListener() {}, Clock.systemUTC())
                .run(
                        PipelineParser.parse(List.of(new SourceText("p.sql", PIPELINE)))
                                .orThrow(),
                        RunOptions.of("test"));
    }

    private List<String> rows(String name) {
        List<String> rows = new ArrayList<>();
        new Session(warehouse(name), engine).execute(new SourceText("q.sql", "SELECT * FROM history"), result -> {
            if (result instanceof StatementResult.Rows found) {
                found.rows().forEach(row -> rows.add(row.toString()));
            }
        });
        return rows.stream().sorted().toList();
    }

    private void events(int number, String... lines) throws Exception {
        Files.writeString(
                folder.resolve("events/" + number + ".csv"), "id,name,seq\n" + String.join("\n", lines) + "\n");
    }

    @Test
    void whatWasLostIsDoneAgain() throws Exception {
        events(1, "1,Ann,1", "2,Bob,1");
        run("whole");
        events(2, "1,Anna,3", "2,Bo,2", "3,Cy,1");
        calls = 0;
        run("whole");
        int computing = calls;
        List<String> expected = rows("whole");
        assertThat(expected).hasSize(5);
        for (int at = 1; at <= computing; at++) {
            String name = "lost at " + at;
            Files.delete(folder.resolve("events/2.csv"));
            run(name);
            events(2, "1,Anna,3", "2,Bo,2", "3,Cy,1");
            calls = 0;
            failFrom = at;
            failures = 1;
            run(name);
            assertThat(failures).as(name).isZero();
            assertThat(rows(name)).as(name).isEqualTo(expected);
            assertThat(warehouse(name).table(TableName.of("history")).latestVersion())
                    .as(name)
                    .isEqualTo(warehouse("whole").table(TableName.of("history")).latestVersion());
        }
    }

    @Test
    void aClusterThatLosesAllIsAnError() throws Exception {
        events(1, "1,Ann,1");
        failFrom = 1;
        failures = Integer.MAX_VALUE;
        TidemarkException fault = catchThrowableOfType(TidemarkException.class, () -> run("lost"));
        assertThat(fault.code()).isEqualTo(ErrorCode.WORK_LOST);
        failures = 0;
        run("lost");
        assertThat(rows("lost")).hasSize(1);
    }
}
