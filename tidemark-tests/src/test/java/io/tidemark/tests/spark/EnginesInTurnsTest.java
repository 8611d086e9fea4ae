package io.tidemark.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.Engine;
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
import io.tidemark.testkit.Seeded;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The embedded engine and Spark update the same tables in turns, commit by commit: rows, remembered events and positions
 * that one leaves are right for the other. A warehouse that the embedded engine updates alone says what must come out.
 */
class EnginesInTurnsTest {
    private static final int FILES = 4;
    private static final int EVENTS_PER_FILE = 40;
    private static final int KEYS = 12;
    private static final long SEED = 7;

    private static final String PIPELINE = """
            CREATE TEMPORARY VIEW events AS SELECT * FROM STREAM read_files('events/*.json', format => 'json',
                schema => 'id INT, name STRING, amount DECIMAL(10,2), tags ARRAY<STRING>, at TIMESTAMP, op STRING,
                seq BIGINT');
            CREATE STREAMING TABLE latest TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
            CREATE FLOW latest_flow AS AUTO CDC INTO latest FROM STREAM(events) KEYS (id)
                APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op) STORED AS SCD TYPE 1;
            CREATE STREAMING TABLE patched;
            CREATE FLOW patched_flow AS AUTO CDC INTO patched FROM STREAM(events) KEYS (id) IGNORE NULL UPDATES
                APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op) STORED AS SCD TYPE 1;
            CREATE STREAMING TABLE history;
            CREATE FLOW history_flow AS AUTO CDC INTO history FROM STREAM(events) KEYS (id)
                APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) STORED AS SCD TYPE 2
                TRACK HISTORY ON name;
            CREATE STREAMING TABLE beliefs;
            CREATE FLOW beliefs_flow AS AUTO CDC INTO beliefs FROM STREAM(events) KEYS (id)
                APPLY AS DELETE WHEN op = 'D' SEQUENCE BY at SYSTEM SEQUENCE BY seq COLUMNS * EXCEPT (op, seq, at)
                STORED AS BITEMPORAL;
            """;

    @TempDir
    Path folder;

    private static String event(Random random, long number) {
        // One event in five comes late; NULL and the same sequence twice are among them.
        long seq = random.nextInt(5) == 0 ? random.nextLong(number + 1) : number;
        String name = random.nextInt(6) == 0 ? "null" : "\"n" + random.nextInt(4) + "\"";
        return "{\"id\": " + random.nextInt(KEYS) + ", \"name\": " + name + ", \"amount\": " + random.nextInt(1000)
                + "."
                + (10 + random.nextInt(90)) + ", \"tags\": [\"t" + random.nextInt(3) + "\"], \"at\": \"2026-01-"
                + (10 + random.nextInt(20)) + "T12:00:00Z\", \"op\": \"" + (random.nextInt(6) == 0 ? "D" : "U")
                + "\", \"seq\": " + seq + "}";
    }

    private void run(Engine engine, String warehouse) {
        new PipelineRunner(place(warehouse), engine, folder, new RunListener() {}, Clock.systemUTC())
                .run(
                        PipelineParser.parse(List.of(new SourceText("p.sql", PIPELINE)))
                                .orThrow(),
                        RunOptions.of("test"));
    }

    private Warehouse place(String name) {
        return Warehouse.at(new LocalStorage(), folder.resolve(name).toString());
    }

    private List<String> rows(Engine engine, String warehouse, String query) {
        List<String> rows = new ArrayList<>();
        new Session(place(warehouse), engine, folder).execute(new SourceText("q.sql", query), result -> {
            if (result instanceof StatementResult.Rows found) {
                found.rows().forEach(row -> rows.add(row.toString()));
            }
        });
        return rows.stream().sorted().toList();
    }

    @Test
    void tablesStayRightWhicheverEngineUpdatesThem() {
        Seeded.run(SEED, 1, (random, seed) -> updateInTurns(random));
    }

    private void updateInTurns(Random random) throws Exception {
        Files.createDirectories(folder.resolve("events"));
        try (Engine duckDb = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("temp")));
                Engine spark = TestEngines.sparkForFewRows()) {
            for (int file = 0; file < FILES; file++) {
                List<String> lines = new ArrayList<>();
                for (int i = 0; i < EVENTS_PER_FILE; i++) {
                    lines.add(event(random, (long) file * EVENTS_PER_FILE + i));
                }
                Files.write(folder.resolve("events/" + file + ".json"), lines);
                run(duckDb, "alone");
                run(file % 2 == 0 ? spark : duckDb, "turns");
                for (String table : List.of("latest", "patched", "history", "beliefs")) {
                    List<String> expected = rows(duckDb, "alone", "SELECT * FROM " + table);
                    assertThat(rows(duckDb, "turns", "SELECT * FROM " + table))
                            .as(table + " after file " + file)
                            .isEqualTo(expected)
                            .isNotEmpty();
                    if (file == FILES - 1) {
                        assertThat(rows(spark, "turns", "SELECT * FROM " + table))
                                .as(table + " as Spark reads it")
                                .isEqualTo(expected);
                    }
                }
            }
            String changes = "SELECT * EXCEPT (_commit_timestamp) FROM table_changes('latest', 1)";
            assertThat(rows(spark, "turns", changes)).isEqualTo(rows(duckDb, "alone", changes));
        }
    }
}
