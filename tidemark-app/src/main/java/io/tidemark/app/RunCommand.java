package io.tidemark.app;

import io.tidemark.app.output.OutputFormat;
import io.tidemark.app.output.RowPrinter;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.TableName;
import io.tidemark.pipeline.PipelineRunner;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.sql.parse.ParseResult;
import io.tidemark.sql.parse.PipelineParser;
import io.tidemark.sql.parse.SourceText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.Stack;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tidemark run}: updates all tables of a pipeline once. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = {
            "Updates the tables of a pipeline: each flow reads what is new in its source since the last run and commits"
                    + " at most once. Without new input nothing is committed. A run that was interrupted is simply run"
                    + " again.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  tidemark run pipeline.sql",
            "  tidemark run tables.sql flows.sql --warehouse /data/lake --memory 4GB",
            "  tidemark run pipeline.sql --dry-run               check everything, change nothing",
            "  tidemark run pipeline.sql --full-refresh=orders   rebuild one table from the start of its sources"
        })
final class RunCommand implements Callable<Integer> {
    private static final String PIPELINE_ID = "tidemark.pipeline.id";
    private static final String ALL_TABLES = "*";

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "SQL files; several files are one pipeline.")
    private List<Path> files = List.of();

    @Mixin
    private EngineOptions engineOptions = new EngineOptions();

    @Option(
            names = "--full-refresh",
            arity = "0..1",
            split = ",",
            fallbackValue = ALL_TABLES,
            preprocessor = AttachedOnly.class,
            paramLabel = "T",
            description = "Rebuild all tables, or the named ones, from the start of their sources.")
    private @Nullable List<String> fullRefresh;

    @Option(names = "--resume-at-restored", description = "Go on from the version that another engine restored.")
    private boolean resumeAtRestored;

    @Option(
            names = "--adopt-rows",
            description = "Take the rows of a table without flow state as they are, as if flows had written them.")
    private boolean adoptRows;

    @Option(names = "--dry-run", description = "Check the pipeline and print the plan; change nothing.")
    private boolean dryRun;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "Format of the results: text, json or csv (default: ${DEFAULT-VALUE}).")
    private OutputFormat format = OutputFormat.TEXT;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        Optional<PipelineDefinition> pipeline = parse(err);
        if (pipeline.isEmpty()) {
            return Main.FAILED;
        }
        RunOptions options = options(pipeline.get());
        Path base = files.get(0).toAbsolutePath().getParent();
        try (EngineLimits.OpenEngine open = engineOptions.open();
                RunProgress progress = new RunProgress(err, format == OutputFormat.TEXT)) {
            Interrupts.cancelOnSignal(open.engine());
            PipelineRunner runner = new PipelineRunner(
                    engineOptions.openWarehouse(),
                    open.engine(),
                    base == null ? Path.of("") : base,
                    progress,
                    Clock.systemUTC());
            try {
                runner.run(pipeline.get(), options);
            } catch (TidemarkException e) {
                throw TidemarkException.together(
                        e.all().stream().map(this::explained).toList());
            } finally {
                progress.stop();
                if (!dryRun && !progress.results().isEmpty()) {
                    print(out, progress.results());
                }
            }
        }
        return Main.DONE;
    }

    /** Shows the source line of an error whose place is in one of the files. */
    private TidemarkException explained(TidemarkException error) {
        for (Path file : files) {
            boolean here = error.location()
                    .filter(place -> place.file().equals(file.toString()))
                    .isPresent();
            if (here) {
                return new SourceText(file.toString(), read(file)).explain(error);
            }
        }
        return error;
    }

    private Optional<PipelineDefinition> parse(PrintWriter err) {
        List<SourceText> sources = new ArrayList<>();
        for (Path file : files) {
            sources.add(new SourceText(file.toString(), read(file)));
        }
        ParseResult result = PipelineParser.parse(sources);
        if (result.errors().isEmpty()) {
            return Optional.of(result.definition());
        }
        for (TidemarkException error : result.errors()) {
            err.println(error.render());
        }
        err.println(result.errors().size() == 1 ? "1 error" : result.errors().size() + " errors");
        return Optional.empty();
    }

    /** Reads a text file in UTF-8. */
    static String read(Path file) {
        if (Files.isDirectory(file)) {
            throw TidemarkException.of(ErrorCode.USAGE, file + " is a folder and not a file")
                    .hint("name the SQL file in it: " + file.resolve("pipeline.sql"))
                    .build();
        }
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw TidemarkException.of(ErrorCode.USAGE, "there is no file " + file)
                    .hint("check the name; the working folder is " + Path.of("").toAbsolutePath())
                    .cause(e)
                    .build();
        } catch (MalformedInputException e) {
            throw TidemarkException.of(ErrorCode.FILE_UNREADABLE, "file " + file + " is not UTF-8 text")
                    .hint("save it in UTF-8")
                    .cause(e)
                    .build();
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "file " + file + " could not be read: " + e.getMessage())
                    .cause(e)
                    .build();
        }
    }

    private RunOptions options(PipelineDefinition pipeline) {
        String id = pipeline.settings().entrySet().stream()
                .filter(setting -> setting.getKey().equalsIgnoreCase(PIPELINE_ID))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseGet(this::idOfFile);
        boolean all = fullRefresh != null && (fullRefresh.isEmpty() || fullRefresh.contains(ALL_TABLES));
        Set<TableName> tables = new HashSet<>();
        if (fullRefresh != null && !all) {
            for (String table : fullRefresh) {
                int dot = table.indexOf('.');
                tables.add(
                        dot < 0
                                ? TableName.of(table)
                                : new TableName(table.substring(0, dot), table.substring(dot + 1)));
            }
        }
        return new RunOptions(id, all, tables, resumeAtRestored, adoptRows, dryRun);
    }

    /** Without a setting the pipeline is called like its first file. */
    private String idOfFile() {
        Path name = files.get(0).getFileName();
        String text = name == null ? "pipeline" : name.toString();
        return text.toLowerCase(Locale.ROOT).endsWith(".sql") ? text.substring(0, text.length() - 4) : text;
    }

    private void print(PrintWriter out, List<FlowResult> results) {
        List<String> metrics = List.of(
                FlowResult.UPSERTED_ROWS,
                FlowResult.DELETED_ROWS,
                FlowResult.OUTPUT_ROWS,
                FlowResult.DROPPED_ROWS,
                FlowResult.LATE_ROWS);
        List<String> shown = metrics.stream()
                .filter(metric -> metrics.indexOf(metric) < 3
                        || results.stream().anyMatch(result -> result.metrics().containsKey(metric)))
                .toList();
        List<String> columns = new ArrayList<>(List.of("flow", "table", "status", "rows_read"));
        columns.addAll(shown);
        columns.addAll(List.of("version", "millis"));
        try (RowPrinter printer = new RowPrinter(out, format, columns)) {
            for (FlowResult result : results) {
                List<@Nullable Object> row = new ArrayList<>();
                row.add(result.name());
                row.add(result.target());
                row.add(result.status().name().toLowerCase(Locale.ROOT));
                row.add(result.rowsRead());
                shown.forEach(metric -> row.add(result.metrics().get(metric)));
                row.add(result.version().isPresent() ? result.version().getAsLong() : null);
                row.add(result.millis());
                printer.print(row);
            }
            printer.finish();
        }
    }

    /** Tables are named behind an equals sign only: in {@code --full-refresh pipeline.sql} the second word is a file. */
    static final class AttachedOnly implements IParameterPreprocessor {
        @Override
        public boolean preprocess(
                Stack<String> arguments, CommandSpec command, ArgSpec option, Map<String, Object> info) {
            if (!"=".equals(info.get("separator"))) {
                arguments.push(ALL_TABLES);
            }
            return false;
        }
    }
}
