package io.tidemark.compile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.delta.CrashPoints;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that dies between the upload of payloads and the commit (case 60 of the specification). */
class CrashTest {
    private static final int KILLED = 137;

    @TempDir
    Path folder;

    private static Task copy() {
        return Task.named("t")
                .in("A", "a")
                .out("X")
                .mapGroup(String.class)
                .compileIn((in, emit, c) -> emit.to(
                        c.out("X", c.payload(in).text().substring(0, 1)),
                        c.payload(in).text()))
                .compileOut((out, values) -> Payload.some(String.join(" ", values.toList())))
                .build();
    }

    @Test
    void deadRunIsRepeatedWithoutUploads() throws Exception {
        Compilation compilation = new Compilation(folder)
                .input("A", "a")
                .output(LayerDefinition.generic("X").withInlineLimit(0))
                .put("A", "a", "a1", "p1", "a2", "q2", "a3", "q3");
        compilation.run(copy()).full(Reason.EMPTY_OUTPUT, 3, 2, 2, 0, 0);
        compilation.put("A", "a", "a1", "r1", "a2", "q5");

        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-D" + CrashPoints.PROPERTY + "=" + Driver.BEFORE_COMMIT,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Killed.class.getName(),
                        folder.toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isEqualTo(KILLED);
        assertThat(compilation.out().latest().number()).isEqualTo(1);
        List<Path> uploaded = payloads(compilation.out());
        assertThat(uploaded)
                .as("payloads of the first run, and two that no version names")
                .hasSize(4);

        compilation.run(Job.latest().verified(), copy()).incremental(2, 2, 2, 1, 0);
        assertThat(payloads(compilation.out())).isEqualTo(uploaded);
        assertThat(compilation.content("X")).isEqualTo(Map.of("q", "q5 q3", "r", "r1"));
    }

    private static List<Path> payloads(Catalog catalog) throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(catalog.location(), "_payloads"))) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** The process that gets killed. */
    static final class Killed {
        private Killed() {}

        public static void main(String[] arguments) throws IOException {
            Path folder = Path.of(arguments[0]);
            LocalStorage storage = new LocalStorage();
            try (var engine = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("spill of killed")))) {
                Driver.on(Catalog.open(storage, folder.resolve("out").toString()))
                        .scratch(folder.resolve("scratch"))
                        .bind("A", Catalog.open(storage, folder.resolve("A").toString()))
                        .tasks(copy())
                        .engine(engine)
                        .run(Job.latest());
            }
        }
    }
}
