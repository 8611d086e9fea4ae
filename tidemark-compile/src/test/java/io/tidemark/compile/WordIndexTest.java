package io.tidemark.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of an index of words compiles and prints what its page says. */
class WordIndexTest {
    private static final Path EXAMPLE = Path.of("../examples/compilers/wordindex");
    private static final String CLASS_PATH = System.getProperty("java.class.path");
    private static final long SECONDS_MAX = 300;

    @TempDir
    Path folder;

    @Test
    void exampleDoesWhatItsPageSays() throws Exception {
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
            assertThat(compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    List.of("-cp", CLASS_PATH, "-d", folder.toString()),
                                    null,
                                    files.getJavaFileObjects(EXAMPLE.resolve("WordIndex.java")))
                            .call())
                    .isTrue();
        }
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                        "-cp",
                        folder + File.pathSeparator + CLASS_PATH,
                        "WordIndex",
                        folder.resolve("wordindex").toString(),
                        EXAMPLE.resolve("documents-1").toString(),
                        EXAMPLE.resolve("documents-2").toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        String printed = Files.readAllLines(output).stream()
                .filter(line -> !line.contains("WARN"))
                .collect(Collectors.joining("\n"));
        assertThat(Files.readString(EXAMPLE.resolve("README.md"))).contains("```\n" + printed + "\n```");
    }
}
