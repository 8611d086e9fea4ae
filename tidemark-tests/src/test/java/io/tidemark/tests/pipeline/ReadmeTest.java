package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program in the README compiles and does what it says. */
class ReadmeTest {
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    @TempDir
    Path folder;

    @Test
    void theJavaProgramRuns() throws IOException, InterruptedException {
        String readme = Files.readString(Path.of("../README.md"));
        int begin = readme.indexOf("```java\n") + "```java\n".length();
        Path source = folder.resolve("Main.java");
        Files.writeString(source, readme.substring(begin, readme.indexOf("```", begin)));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> faults = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(faults, Locale.ROOT, null)) {
            boolean compiled = compiler.getTask(
                            null,
                            files,
                            faults,
                            List.of("-cp", CLASS_PATH, "-d", folder.toString()),
                            null,
                            files.getJavaFileObjects(source))
                    .call();
            assertThat(compiled).as(faults.getDiagnostics().toString()).isTrue();
        }
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        folder + File.pathSeparator + CLASS_PATH,
                        "Main")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(output))
                .contains("events UPDATED {num_output_rows=2}")
                .contains("people UPDATED {num_upserted_rows=2, num_deleted_rows=0}");
    }
}
