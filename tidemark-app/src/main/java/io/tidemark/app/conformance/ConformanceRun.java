package io.tidemark.app.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.pipeline.PipelineRunner;
import io.tidemark.pipeline.run.RunListener;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.sql.parse.PipelineParser;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.warehouse.Warehouse;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Runs the cases of a folder and prints what came of each. */
public final class ConformanceRun {
    private static final long SHUFFLE_SEED = 42;

    private final Supplier<? extends EngineHolder> engines;
    private final PrintWriter out;
    private final boolean variants;
    private final Optional<Path> keep;

    /** An engine that is closed after use. */
    public interface EngineHolder extends AutoCloseable {
        /** The engine. */
        Engine engine();

        @Override
        void close();
    }

    /**
     * A run.
     *
     * @param engines opens engines
     * @param out receives a line for each case
     * @param variants whether cases are also run shuffled and one event at a time
     * @param keep where the folder of each case is kept; without it they are in the system's temporary folder, and go
     */
    public ConformanceRun(
            Supplier<? extends EngineHolder> engines, PrintWriter out, boolean variants, Optional<Path> keep) {
        this.engines = engines;
        this.out = out;
        this.variants = variants;
        this.keep = keep;
    }

    /**
     * Runs all cases of a folder.
     *
     * @return whether all passed
     */
    public boolean run(Path folder) {
        int passed = 0;
        int failed = 0;
        for (ConformanceCase each : cases(folder)) {
            Optional<String> difference = outcome(each);
            if (difference.isEmpty()) {
                passed++;
                out.println("ok " + each.name());
            } else {
                failed++;
                out.println("FAIL " + each.name() + ": " + difference.get());
            }
            out.flush();
        }
        out.println(passed + " passed, " + failed + " failed");
        return failed == 0;
    }

    private List<ConformanceCase> cases(Path folder) {
        List<ConformanceCase> cases = new ArrayList<>();
        for (Path file : files(folder)) {
            ConformanceCase each = ConformanceCase.parse(read(file), file.toString());
            cases.add(each);
            if (variants && each.hasVariants() && !each.mode().equals(DbtCase.MODE)) {
                cases.addAll(variantsOf(each));
            }
        }
        return cases;
    }

    private static List<ConformanceCase> variantsOf(ConformanceCase original) {
        List<JsonNode> events = new ArrayList<>();
        original.batches().forEach(events::addAll);
        if (events.isEmpty()) {
            return List.of();
        }
        List<List<JsonNode>> single = new ArrayList<>();
        events.forEach(event -> single.add(List.of(event)));
        List<JsonNode> shuffled = new ArrayList<>(events);
        Collections.shuffle(shuffled, new Random(SHUFFLE_SEED));
        List<List<JsonNode>> shuffledSingle = new ArrayList<>();
        shuffled.forEach(event -> shuffledSingle.add(List.of(event)));
        return List.of(
                original.variant("one event per update", single),
                original.variant("shuffled", List.of(shuffled)),
                original.variant("shuffled, one event per update", shuffledSingle));
    }

    private static List<Path> files(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw TidemarkException.of(ErrorCode.FILE_NOT_FOUND, "there is no folder " + folder)
                    .hint("name a folder with cases (*.json)")
                    .build();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "case " + file + " could not be read")
                    .cause(e)
                    .build();
        }
    }

    /** Runs one case in a fresh folder; the difference if it failed. */
    private Optional<String> outcome(ConformanceCase theCase) {
        Path folder = null;
        try {
            folder = keep.isPresent()
                    ? Files.createTempDirectory(Files.createDirectories(keep.get()), fileName(theCase))
                    : Files.createTempDirectory("tidemark-case-");
            return new Running(theCase, engines, folder).run();
        } catch (TidemarkException e) {
            return Optional.of(e.code() + ": " + e.primary());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (folder != null && keep.isEmpty()) {
                delete(folder);
            }
        }
    }

    /** The case's name, as the beginning of a folder's. */
    private static String fileName(ConformanceCase theCase) {
        return theCase.name().replaceAll("[^A-Za-z0-9_]+", "-") + "-";
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A case in its folder. */
    private static final class Running {
        private final ConformanceCase theCase;
        private final Supplier<? extends EngineHolder> engines;
        private final Path folder;
        private final Warehouse warehouse;
        /** Versions of the snapshots that were applied, last one last. */
        private final List<JsonNode> applied = new ArrayList<>();

        Running(ConformanceCase theCase, Supplier<? extends EngineHolder> engines, Path folder) {
            this.theCase = theCase;
            this.engines = engines;
            this.folder = folder;
            this.warehouse =
                    Warehouse.at(new LocalStorage(), folder.resolve("warehouse").toString());
        }

        Optional<String> run() throws IOException {
            Files.createDirectories(folder.resolve("events"));
            boolean definition = theCase.expectedError().isPresent()
                    && theCase.expectedError().get().batch().isEmpty();
            if (definition || theCase.batches().isEmpty()) {
                Optional<TidemarkException> error = update(List.of(), 0);
                return definition ? expect(error) : error.map(TidemarkException::primary);
            }
            for (int i = 0; i < theCase.batches().size(); i++) {
                Optional<String> difference = batch(i);
                if (difference.isPresent()) {
                    int number = i;
                    return difference.map(text -> "after batch " + number + ": " + text);
                }
            }
            return compare(theCase.expected());
        }

        private Optional<String> batch(int i) throws IOException {
            boolean refused = theCase.expectedError().isPresent()
                    && theCase.expectedError().get().batch().equals(Optional.of(i));
            List<String> before = refused && i > 0 ? rows() : List.of();
            Optional<TidemarkException> error = update(theCase.batches().get(i), i);
            if (refused) {
                Optional<String> other = expect(error);
                Files.deleteIfExists(file(i));
                return other.isPresent() ? other : i == 0 ? Optional.empty() : CaseRows.difference(before, rows());
            }
            if (error.isPresent()) {
                return Optional.of(error.get().code() + ": " + error.get().primary());
            }
            return i < theCase.expectedAfter().size()
                    ? compare(theCase.expectedAfter().get(i))
                    : Optional.empty();
        }

        private Optional<String> expect(Optional<TidemarkException> error) {
            String wanted = theCase.expectedError().orElseThrow().code();
            if (error.isEmpty()) {
                return Optional.of("no error, expected " + wanted);
            }
            String code = error.get().code().name();
            return code.equals(wanted) ? Optional.empty() : Optional.of("error " + code + ", expected " + wanted);
        }

        private Path file(int number) {
            return folder.resolve("events").resolve(String.format(Locale.ROOT, "%06d.json", number));
        }

        private Optional<TidemarkException> update(List<JsonNode> events, int number) throws IOException {
            writeSource(events, number);
            // A fresh engine for each update: nothing but the table carries over, as between runs of the program.
            try (EngineHolder holder = engines.get()) {
                if (theCase.mode().equals(DbtCase.MODE)) {
                    String name = "events/" + file(number).getFileName();
                    new DbtCase(theCase, warehouse, folder).run(holder.engine(), number, name);
                    return Optional.empty();
                }
                String text = new CasePipeline(theCase).text();
                PipelineDefinition pipeline = PipelineParser.parse(List.of(new SourceText("case.sql", text)))
                        .orThrow();
                new PipelineRunner(warehouse, holder.engine(), folder, RunListener.NONE, Clock.systemUTC())
                        .run(pipeline, RunOptions.of("case"));
                if (theCase.isSnapshot()) {
                    applied.add(theCase.version(number));
                }
                return Optional.empty();
            } catch (TidemarkException e) {
                if (e.code() == ErrorCode.INTERNAL) {
                    throw e;
                }
                return Optional.of(e);
            }
        }

        /** A batch of events is one more file; a snapshot takes the place of the one before. */
        private void writeSource(List<JsonNode> rows, int number) throws IOException {
            StringBuilder lines = new StringBuilder();
            rows.forEach(row -> lines.append(row).append('\n'));
            if (!theCase.isSnapshot()) {
                Files.writeString(file(number), lines.toString());
                return;
            }
            Files.writeString(folder.resolve(CasePipeline.SNAPSHOT_FILE), lines.toString());
            String previous =
                    applied.isEmpty() ? "null" : applied.get(applied.size() - 1).toString();
            Files.writeString(
                    folder.resolve(CasePipeline.VERSION_FILE),
                    theCase.batches().isEmpty()
                            ? ""
                            : "{\"version\": " + theCase.version(number) + ", \"previous\": " + previous + "}\n");
        }

        private Optional<String> compare(List<JsonNode> expected) {
            return CaseRows.difference(expected.stream().map(CaseRows::row).toList(), rows());
        }

        private List<String> rows() {
            List<String> rows = new ArrayList<>();
            boolean isFlow = !theCase.mode().equals(DbtCase.MODE);
            if (isFlow && !warehouse.table(TableName.of(CasePipeline.TARGET)).exists()) {
                // A flow whose first input is refused makes no table.
                return rows;
            }
            try (EngineHolder holder = engines.get()) {
                if (theCase.mode().equals(DbtCase.MODE)) {
                    return new DbtCase(theCase, warehouse, folder).rows(holder.engine());
                }
                Session session = new Session(warehouse, holder.engine(), folder);
                session.execute(new SourceText("case.sql", "SELECT * FROM " + CasePipeline.TARGET), result -> {
                    if (result instanceof StatementResult.Rows found) {
                        found.rows().forEach(values -> {
                            rows.add(CaseRows.row(found.schema().names(), values));
                            return true;
                        });
                    }
                });
            }
            return rows;
        }
    }
}
