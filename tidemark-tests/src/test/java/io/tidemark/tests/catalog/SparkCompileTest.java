package io.tidemark.tests.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.compile.Driver;
import io.tidemark.compile.Job;
import io.tidemark.compile.Payload;
import io.tidemark.compile.RunReport;
import io.tidemark.compile.Task;
import io.tidemark.compile.catalog.Candidates;
import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogDefinition;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.catalog.PayloadStager;
import io.tidemark.compile.catalog.PublishMode;
import io.tidemark.core.engine.Engine;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.tests.spark.TestEngines;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One program on both engines, and on both in turns: equal changes, payloads and counters. Case 76 of the specification. */
class SparkCompileTest {
    @TempDir
    Path folder;

    private record Part(String from, String value) {}

    /** Inputs and output of one run of the script. */
    private final class Place {
        private final Path at;
        private final Catalog documents;
        private final Catalog index;

        Place(String name) throws Exception {
            at = Files.createDirectories(folder.resolve(name));
            documents = catalog("documents");
            index = catalog("index");
        }

        private Catalog catalog(String id) {
            return Catalog.create(
                    new LocalStorage(),
                    at.resolve(id).toString(),
                    CatalogDefinition.of(id, LayerDefinition.generic("all").withInlineLimit(16)));
        }

        void publish(Engine engine, @Nullable String... namesAndTexts) throws Exception {
            CatalogVersion base = documents.latest();
            Path scratch = Files.createDirectories(at.resolve("scratch"));
            try (PayloadStager stager = documents.stager(base, scratch)) {
                engine.load("candidates", Candidates.COLUMNS, rows -> {
                    for (int i = 0; i < namesAndTexts.length; i += 2) {
                        String name = String.valueOf(namesAndTexts[i]);
                        String text = namesAndTexts[i + 1];
                        rows.accept(Candidates.row(
                                "all",
                                name,
                                text == null
                                        ? null
                                        : stager.stage("all", name, text.getBytes(StandardCharsets.UTF_8))));
                    }
                });
                documents
                        .publish(base)
                        .candidates("candidates", Map.of("all", PublishMode.INCREMENTAL))
                        .commit(engine);
            }
            engine.drop("candidates");
        }

        /** What the run says, without the time that it took, and what changed. */
        List<String> compile(Engine engine) {
            CatalogVersion before = index.latest();
            RunReport report = Driver.on(index)
                    .bind("documents", documents)
                    .scratch(at.resolve("scratch"))
                    .threads(2)
                    .tasks(task())
                    .engine(engine)
                    .run(Job.latest());
            List<String> lines = new ArrayList<>();
            report.tasks().forEach(task -> lines.add(task.toString()));
            lines.add("version " + report.version().number());
            index.registerChanges(engine, "changes", before, index.latest(), List.of("all"));
            engine.stream("SELECT * FROM changes", row -> lines.add(row.toString()));
            engine.drop("changes");
            index.registerMeta(engine, "partitions", index.latest(), List.of("all"));
            engine.stream("SELECT * FROM partitions", row -> lines.add(row.toString()));
            engine.drop("partitions");
            return lines.stream().sorted().toList();
        }
    }

    private static Task task() {
        return Task.named("words")
                .in("documents", "all")
                .out("all")
                .mapGroup(Part.class)
                .compileIn((in, emit, context) -> {
                    for (String word : context.payload(in).text().split(" ")) {
                        emit.to(context.out("all", word), new Part(in.partition(), word));
                    }
                })
                .compileOut((out, parts) -> {
                    StringBuilder text = new StringBuilder();
                    parts.forEach(part -> text.append(part.from()).append(' '));
                    return Payload.some(text.toString());
                })
                .build();
    }

    @Test
    void theSameScriptGivesTheSameOnBothEngines() throws Exception {
        String[][] script = {
            {"d1", "a b", "d2", "b c", "d3", "a long document of many words"},
            {"d1", "a", "d4", "c d"},
            {"d2", null, "d3", "a long document of many words"},
        };
        Place embedded = new Place("embedded");
        Place distributed = new Place("distributed");
        Place turns = new Place("turns");
        try (Engine duckDb = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("temp")));
                Engine spark = TestEngines.sparkForFewRows()) {
            for (int step = 0; step < script.length; step++) {
                embedded.publish(duckDb, script[step]);
                distributed.publish(spark, script[step]);
                turns.publish(step % 2 == 0 ? spark : duckDb, script[step]);
                List<String> expected = embedded.compile(duckDb);
                assertThat(expected).hasSizeGreaterThan(3);
                assertThat(distributed.compile(spark)).as("step " + step).isEqualTo(expected);
                assertThat(turns.compile(step % 2 == 0 ? duckDb : spark))
                        .as("step " + step + " in turns")
                        .isEqualTo(expected);
            }
        }
    }
}
