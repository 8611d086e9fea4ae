package io.tidemark.tests.pipeline;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The program in a process of its own, so that it can be killed. */
final class Program {
    private static final long TIMEOUT_SECONDS = 120;

    private final Process process;
    private final Path output;

    private Program(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Starts the command line.
     *
     * @param folder working folder
     * @param settings system properties, {@code name=value}
     * @param arguments arguments of the program
     */
    static Program start(Path folder, List<String> settings, String... arguments) {
        List<String> options = new ArrayList<>(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        settings.forEach(setting -> options.add("-D" + setting));
        return startJava(folder, options, arguments);
    }

    /** Starts the command line so that Spark can work in its process, as the launcher does. */
    static Program startForSpark(Path folder, String... arguments) {
        List<String> options = new ArrayList<>(List.of("-Xmx1g", "-XX:+UseSerialGC"));
        // What Spark reflects on: this JVM was started with it.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("--add-opens") || option.startsWith("-Djdk.reflect"))
                .forEach(options::add);
        options.add("-Dlog4j2.configurationFile=classpath:io/tidemark/spark/engine/log4j2.properties");
        return startJava(folder, options, arguments);
    }

    private static Program startJava(Path folder, List<String> options, String... arguments) {
        try {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(options);
            command.add("-cp");
            command.add(System.getProperty("java.class.path"));
            command.add("io.tidemark.app.Main");
            command.addAll(List.of(arguments));
            Path output = Files.createTempFile(folder, "output", ".txt");
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            return new Program(process, output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the end and returns the exit code. */
    int exitCode() {
        try {
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("the program did not end: " + text());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Kills the process at once. */
    void kill() {
        process.destroyForcibly();
    }

    /** All that it printed. */
    String text() {
        try {
            return Files.readString(output, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
