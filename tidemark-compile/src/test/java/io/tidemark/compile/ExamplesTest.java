package io.tidemark.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

/** The examples of compilers compile, and print what their pages say. */
class ExamplesTest {
    private static final Path EXAMPLES = Path.of("../examples/compilers");
    private static final String CLASS_PATH = System.getProperty("java.class.path");
    private static final long SECONDS_MAX = 300;

    @TempDir
    Path folder;

    @Test
    void indexOfWords() throws Exception {
        doesWhatItsPageSays("wordindex", "WordIndex", "documents-1", "documents-2");
    }

    @Test
    void mapOfTheWorld() throws Exception {
        doesWhatItsPageSays("worldmap", "WorldMap", "countries-110m.json", "edition-1", "edition-2");
    }

    private void doesWhatItsPageSays(String example, String program, String... inputs) throws Exception {
        Path place = EXAMPLES.resolve(example);
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
            assertThat(compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    List.of("-cp", CLASS_PATH, "-d", folder.toString()),
                                    null,
                                    files.getJavaFileObjects(place.resolve(program + ".java")))
                            .call())
                    .isTrue();
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                folder + File.pathSeparator + CLASS_PATH,
                program,
                folder.resolve(example).toString()));
        for (String input : inputs) {
            command.add(place.resolve(input).toString());
        }
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        String printed = Files.readAllLines(output).stream()
                .filter(line -> !line.contains("WARN"))
                .collect(Collectors.joining("\n"));
        assertThat(Files.readString(place.resolve("README.md"))).contains("```\n" + printed + "\n```");
    }
}
