package io.tidemark.spark;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.pipeline.PipelineRunner;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.RunListener;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.spark.engine.SparkEngine;
import io.tidemark.spark.session.ResultLine;
import io.tidemark.sql.parse.PipelineParser;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.warehouse.Warehouse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.spark.sql.SparkSession;

/**
 * Runs a pipeline as an application of Spark:
 *
 * <pre>{@code
 * spark-submit --packages io.tidemark:tidemark-spark_2.13:VERSION --class io.tidemark.spark.Submit \
 *     pipeline.sql [more.sql …] [--warehouse DIR] [--pipeline-id ID] [--full-refresh [table,…]] [--dry-run]
 * }</pre>
 *
 * <p>Exit codes are those of {@code tidemark run}: 0 done, 1 failed, 2 the command line is wrong.
 */
public final class Submit {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private Submit() {}

    /** Called by spark-submit. */
    public static void main(String[] arguments) {
        int code = run(List.of(arguments), System.out::println, System.err::println);
        if (code != 0) {
            System.exit(code);
        }
    }

    /**
     * Runs with arguments.
     *
     * @param out receives lines for people
     * @param err receives errors
     * @return the exit code
     */
    static int run(List<String> arguments, Consumer<String> out, Consumer<String> err) {
        Arguments parsed;
        try {
            parsed = Arguments.parse(arguments);
        } catch (TidemarkException e) {
            err.accept(e.render());
            return USAGE;
        }
        try {
            results(parsed, err).forEach(result -> out.accept(ResultLine.of(result)));
            return 0;
        } catch (TidemarkException e) {
            e.all().forEach(each -> err.accept(each.render()));
            return FAILED;
        }
    }

    private static List<FlowResult> results(Arguments arguments, Consumer<String> err) {
        List<SourceText> sources = new ArrayList<>();
        for (String file : arguments.files()) {
            sources.add(new SourceText(file, text(Path.of(file))));
        }
        PipelineDefinition pipeline = PipelineParser.parse(sources).orThrow();
        Path first = Path.of(arguments.files().get(0)).toAbsolutePath();
        Path base = Optional.ofNullable(first.getParent()).orElse(first);
        String id = arguments
                .pipelineId()
                .orElse(pipeline.settings().getOrDefault("tidemark.pipeline.id", String.valueOf(first.getFileName())));
        String root = arguments.warehouse().orElse(base.resolve("warehouse").toString());
        RunListener listener = new RunListener() {
            @Override
            public void warned(String text) {
                err.accept("warning: " + text);
            }
        };
        SparkSession spark = SparkSession.builder().getOrCreate();
        try (Engine engine = SparkEngine.open(spark)) {
            Warehouse warehouse = Warehouse.at(
                    new LocalStorage(), Path.of(root).toAbsolutePath().toString());
            return new PipelineRunner(warehouse, engine, base, listener, Clock.systemUTC())
                    .run(pipeline, arguments.options(id));
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.FILE_NOT_FOUND, "the pipeline file " + file + " cannot be read")
                    .hint("in cluster mode, hand it over with --files")
                    .cause(e)
                    .build();
        }
    }

    /** What stands on the command line. */
    private record Arguments(
            List<String> files,
            Optional<String> warehouse,
            Optional<String> pipelineId,
            boolean refreshAll,
            Set<TableName> refresh,
            boolean dryRun) {
        static Arguments parse(List<String> words) {
            List<String> files = new ArrayList<>();
            Optional<String> warehouse = Optional.empty();
            Optional<String> id = Optional.empty();
            boolean all = false;
            Set<TableName> some = new HashSet<>();
            boolean dryRun = false;
            for (int i = 0; i < words.size(); i++) {
                String word = words.get(i);
                switch (word) {
                    case "--warehouse" -> warehouse = Optional.of(next(words, i++));
                    case "--pipeline-id" -> id = Optional.of(next(words, i++));
                    case "--dry-run" -> dryRun = true;
                    case "--full-refresh" -> all = true;
                    default -> {
                        if (word.startsWith("--full-refresh=")) {
                            for (String name :
                                    word.substring("--full-refresh=".length()).split(",")) {
                                String[] parts = name.strip().split("\\.");
                                some.add(
                                        parts.length == 1 ? TableName.of(parts[0]) : new TableName(parts[0], parts[1]));
                            }
                        } else if (word.startsWith("--")) {
                            throw usage("unknown option " + word);
                        } else {
                            files.add(word);
                        }
                    }
                }
            }
            if (files.isEmpty()) {
                throw usage("no pipeline file is named");
            }
            return new Arguments(List.copyOf(files), warehouse, id, all, some, dryRun);
        }

        private static String next(List<String> words, int at) {
            if (at + 1 >= words.size()) {
                throw usage(words.get(at) + " needs a value");
            }
            return words.get(at + 1);
        }

        private static TidemarkException usage(String primary) {
            return TidemarkException.of(ErrorCode.USAGE, primary)
                    .hint("pipeline.sql [more.sql …] [--warehouse DIR] [--pipeline-id ID] [--full-refresh[=table,…]]"
                            + " [--dry-run]")
                    .build();
        }

        RunOptions options(String id) {
            return new RunOptions(id, refreshAll, refresh, false, false, dryRun);
        }
    }
}
