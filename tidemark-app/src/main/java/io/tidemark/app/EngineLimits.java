package io.tidemark.app;

import io.tidemark.app.conformance.ConformanceRun;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.EngineProvider;
import io.tidemark.core.engine.EngineSettings;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.cache.FileCache;
import io.tidemark.delta.storage.Storage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of commands that compute: what the engine may use, and how files are reached. */
class EngineLimits {
    /** The engine that is always there. It is not looked for, because that takes time at each start. */
    private static final String EMBEDDED = "duckdb";

    private static final String MEMORY_DEFAULT = "1GB";
    private static final long MEMORY_BYTES_MIN = 32_000_000;
    private static final Pattern SIZE = Pattern.compile("(\\d+)\\s*(B|KB|MB|GB|TB|KIB|MIB|GIB|TIB)?");

    @Option(
            names = "--engine",
            paramLabel = "NAME",
            defaultValue = EMBEDDED,
            description = "What computes: duckdb inside this process, or spark, which you provide"
                    + " (default: ${DEFAULT-VALUE}).")
    private String engineName = EMBEDDED;

    @Option(
            names = "--master",
            paramLabel = "URL",
            description = "With --engine spark: the cluster, for example spark://host:7077 or local[2]"
                    + " (default: spark.master of Spark's own settings, else this machine).")
    private @Nullable String master;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = "Memory that duckdb may use before it spills to disk, for example 512MB (default: 1GB).")
    private @Nullable String memory;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Threads of the engine on this machine (default: one per processor).")
    private @Nullable Integer threads;

    @Option(
            names = "--temp",
            paramLabel = "DIR",
            description = "Folder for what does not fit in memory (default: a fresh folder under the system's).")
    private @Nullable Path temporary;

    @Mixin
    private StorageOptions storageOptions = new StorageOptions();

    /** The storage that serves a location. */
    Storage storage(String location) {
        return storageOptions.storage(location);
    }

    /** An engine with a temporary folder of its own. */
    OpenEngine open() {
        if (threads != null && threads < 1) {
            throw TidemarkException.of(ErrorCode.USAGE, "--threads is " + threads + ", but one is the least")
                    .hint("leave the option out to use one thread per processor")
                    .build();
        }
        Opener opener = engineName.equalsIgnoreCase(EMBEDDED) ? embedded() : foreign();
        Path folder;
        try {
            if (temporary != null) {
                Files.createDirectories(temporary);
            }
            folder = temporary == null
                    ? Files.createTempDirectory("tidemark-")
                    : Files.createTempDirectory(temporary, "tidemark-");
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "no temporary folder could be made: " + e.getMessage())
                    .hint("name a folder that can be written: --temp DIR")
                    .cause(e)
                    .build();
        }
        FileCache cache = storageOptions.cache();
        try {
            return new OpenEngine(opener.open(folder, cache), cache, folder);
        } catch (TidemarkException e) {
            cache.close();
            delete(folder);
            throw e;
        }
    }

    /** Opens an engine after its options were checked. */
    @FunctionalInterface
    private interface Opener {
        Engine open(Path folder, FileCache cache);
    }

    private Opener embedded() {
        if (master != null) {
            throw TidemarkException.of(ErrorCode.USAGE, "--master is for another engine than " + EMBEDDED)
                    .hint("add --engine spark, or leave --master out")
                    .build();
        }
        long limit = bytes(memory == null ? MEMORY_DEFAULT : memory);
        if (limit < MEMORY_BYTES_MIN) {
            throw TidemarkException.of(ErrorCode.USAGE, "--memory is " + memory + ", but 32MB is the least")
                    .hint("give the engine 512MB or more")
                    .build();
        }
        return (folder, cache) -> {
            DuckDbSettings settings =
                    DuckDbSettings.defaults(folder).withMemoryLimitBytes(limit).withRemoteFiles(cache);
            return DuckDbEngine.open(threads == null ? settings : settings.withThreads(threads));
        };
    }

    private Opener foreign() {
        if (memory != null) {
            throw TidemarkException.of(ErrorCode.USAGE, "--memory is for the engine " + EMBEDDED + " only")
                    .hint("for Spark set TIDEMARK_JAVA_OPTIONS=-Xmx4g, and spark.executor.memory in Spark's settings")
                    .build();
        }
        if (master != null && threads != null) {
            throw TidemarkException.of(ErrorCode.USAGE, "--master and --threads exclude each other")
                    .hint("the master says it: --master local[" + threads + "]")
                    .build();
        }
        EngineProvider provider = provider();
        return (folder, cache) -> provider.open(new EngineSettings(
                Optional.ofNullable(master),
                Optional.ofNullable(threads),
                folder.toAbsolutePath().toString()));
    }

    private EngineProvider provider() {
        for (EngineProvider provider : ServiceLoader.load(EngineProvider.class)) {
            if (provider.name().equalsIgnoreCase(engineName)) {
                return provider;
            }
        }
        if (engineName.equalsIgnoreCase("spark")) {
            throw TidemarkException.of(ErrorCode.ENGINE_UNAVAILABLE, "the engine spark is not on the class path")
                    .hint("start with the script tidemark, which finds Spark by SPARK_HOME or by spark-submit")
                    .build();
        }
        throw TidemarkException.of(ErrorCode.USAGE, "there is no engine '" + engineName + "'")
                .hint("the engines are duckdb and spark")
                .build();
    }

    /** Reads a size such as {@code 512MB}; units are powers of 1,000, or of 1,024 with an i. */
    static long bytes(String text) {
        Matcher matcher = SIZE.matcher(text.strip().toUpperCase(Locale.ROOT));
        if (!matcher.matches() || matcher.group(1).length() > 12) {
            throw TidemarkException.of(ErrorCode.USAGE, "'" + text + "' is not a size")
                    .hint("write a number with a unit, for example 512MB or 2GB")
                    .build();
        }
        String unit = matcher.group(2) == null ? "B" : matcher.group(2);
        long base = unit.contains("I") ? 1_024 : 1_000;
        int power = List.of("B", "K", "M", "G", "T").indexOf(unit.substring(0, 1));
        long bytes = Long.parseLong(matcher.group(1));
        for (int i = 0; i < power; i++) {
            bytes *= base;
        }
        return bytes;
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            // The system clears its temporary folder; a file that is left there harms nobody.
            return;
        }
    }

    /** An engine and the folder that goes with it. */
    static final class OpenEngine implements ConformanceRun.EngineHolder {
        private final Engine engine;
        private final FileCache cache;
        private final Path folder;

        OpenEngine(Engine engine, FileCache cache, Path folder) {
            this.engine = engine;
            this.cache = cache;
            this.folder = folder;
        }

        @Override
        public Engine engine() {
            return engine;
        }

        /** A local folder that goes when the engine is closed. */
        Path folder() {
            return folder;
        }

        @Override
        public void close() {
            engine.close();
            cache.close();
            delete(folder);
        }
    }
}
