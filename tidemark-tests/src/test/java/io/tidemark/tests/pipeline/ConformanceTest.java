package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.app.conformance.ConformanceRun;
import io.tidemark.core.engine.Engine;
import io.tidemark.tests.spark.TestEngines;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The hand-derived cases through the whole product: pipeline text in, Delta table out, rows compared after each update;
 * events also shuffled and with one event per update. Every update opens an engine of its own, so that nothing but
 * the table carries over.
 */
class ConformanceTest {
    @TempDir
    Path temporary;

    @Test
    void allCasesPass() throws IOException {
        Path cases = Files.createDirectories(temporary.resolve("cases"));
        try (Stream<Path> files = Files.list(Path.of("src/test/resources/conformance"))) {
            for (Path file : files.filter(ConformanceTest::isCase).toList()) {
                Files.copy(file, cases.resolve(file.getFileName()));
            }
        }
        StringWriter output = new StringWriter();
        Path kept = temporary.resolve("kept");
        ConformanceRun run = new ConformanceRun(this::open, new PrintWriter(output), true, Optional.of(kept));
        boolean passed = run.run(cases);
        assertThat(output.toString().lines().filter(line -> line.startsWith("FAIL")))
                .isEmpty();
        assertThat(passed).isTrue();
        assertThat(output.toString()).containsPattern("\\d{3} passed, 0 failed");
        try (Stream<Path> folders = Files.list(kept)) {
            long count = output.toString()
                    .lines()
                    .filter(line -> line.startsWith("ok "))
                    .count();
            assertThat(folders).as("folders of cases").hasSize((int) count);
        }
    }

    private static boolean isCase(Path file) {
        return !String.valueOf(file.getFileName()).equals("README.md");
    }

    private ConformanceRun.EngineHolder open() {
        Engine engine = TestEngines.open(temporary);
        return new ConformanceRun.EngineHolder() {
            @Override
            public Engine engine() {
                return engine;
            }

            @Override
            public void close() {
                engine.close();
            }
        };
    }
}
