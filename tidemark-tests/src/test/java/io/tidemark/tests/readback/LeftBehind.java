package io.tidemark.tests.readback;

import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ModifierSupport;

/**
 * Keeps Delta tables that tests leave in their temporary folders, with what Tidemark reads from them at that moment, for
 * {@link LeftBehindTest}. Registered for all tests of this module. Of the tables of a test class that are alike in schema,
 * features, properties, operations and kinds of files one is kept, and not more than some of a class, nor large ones.
 */
public final class LeftBehind implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
    /** Where tables are kept: a folder for each. */
    static final Path FOLDER = Path.of("target", "left-behind").toAbsolutePath();

    private static final int TABLES_PER_CLASS_MAX = 8;
    private static final long TABLE_BYTES_MAX = 64L * 1024 * 1024;
    private static final int FILE_NAME_MAX = 100;
    private static final long MEMORY_BYTES = 512L * 1024 * 1024;

    private static final Set<String> STARTED = new TreeSet<>();
    private static final Map<Class<?>, Set<String>> SHAPES = new HashMap<>();
    private static final Map<Class<?>, Integer> NUMBERS = new HashMap<>();

    /** Called by the service loader. */
    public LeftBehind() {}

    /** Test classes that have run in this process. */
    static synchronized Set<String> started() {
        return Set.copyOf(STARTED);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        synchronized (LeftBehind.class) {
            STARTED.add(context.getRequiredTestClass().getName());
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException, IllegalAccessException {
        keep(
                context,
                context.getRequiredTestInstance(),
                context.getRequiredTestMethod().getName());
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException, IllegalAccessException {
        keep(context, null, "all");
    }

    /** Keeps tables of the temporary folders in the fields of a test, or in static ones if there is no instance. */
    private static void keep(ExtensionContext context, @Nullable Object test, String name)
            throws IOException, IllegalAccessException {
        Class<?> testClass = context.getRequiredTestClass();
        for (Field field : AnnotationSupport.findAnnotatedFields(
                testClass,
                TempDir.class,
                field -> ModifierSupport.isStatic(field) == (test == null),
                HierarchyTraversalMode.TOP_DOWN)) {
            field.setAccessible(true);
            Path folder = (Path) field.get(test);
            if (folder != null && Files.isDirectory(folder)) {
                for (Path table : tables(folder)) {
                    keep(context, testClass, name, table);
                }
            }
        }
    }

    /** All tables below a folder, in the order of their names. */
    private static List<Path> tables(Path folder) throws IOException {
        List<Path> tables = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
                if (!Files.isDirectory(visited.resolve("_delta_log"))) {
                    return FileVisitResult.CONTINUE;
                }
                tables.add(visited);
                return FileVisitResult.SKIP_SUBTREE;
            }
        });
        tables.sort(Comparator.naturalOrder());
        return tables;
    }

    private static synchronized void keep(ExtensionContext context, Class<?> testClass, String test, Path table)
            throws IOException {
        Set<String> shapes = SHAPES.computeIfAbsent(testClass, key -> new HashSet<>());
        if (shapes.size() >= TABLES_PER_CLASS_MAX) {
            return;
        }
        Optional<String> shape = LeftTable.shape(table);
        if (shape.isEmpty() || !shapes.add(shape.get()) || bytes(table) > TABLE_BYTES_MAX) {
            return;
        }
        int number = NUMBERS.merge(testClass, 1, Integer::sum);
        String name = fileName(testClass.getSimpleName() + "." + test) + "." + number;
        Engine engine = context.getRoot()
                .getStore(ExtensionContext.Namespace.create(LeftBehind.class))
                .computeIfAbsent(Engine.class, key -> Engine.open(), Engine.class);
        Path kept = Files.createDirectories(FOLDER.resolve(name));
        Path copy = kept.resolve(fileName(String.valueOf(table.getFileName())));
        copy(table, copy);
        LeftTable read = LeftTable.read(engine.duckDb(), copy);
        read.write(kept);
        if (read.views().stream().anyMatch(view -> !view.refused().isEmpty())) {
            // A table from which the test took files stands for no other one.
            shapes.remove(shape.get());
        }
    }

    private static String fileName(String text) {
        String safe = text.replaceAll("[^A-Za-z0-9._-]", "_");
        return safe.substring(0, Math.min(safe.length(), FILE_NAME_MAX));
    }

    private static long bytes(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    /** Copies with the times of files, which are the times of commits. */
    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }

    private static void delete(Path tree) {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The engine that reads all tables, closed after the last test. */
    private record Engine(DuckDbEngine duckDb) implements AutoCloseable {
        /** Opens the engine, and takes away what an earlier run left. */
        static Engine open() {
            delete(FOLDER);
            return new Engine(DuckDbEngine.open(DuckDbSettings.defaults(Path.of("target", "left-behind-temp"))
                    .withThreads(1)
                    .withMemoryLimitBytes(MEMORY_BYTES)));
        }

        @Override
        public void close() {
            duckDb.close();
        }
    }
}
