package io.tidemark.app;

import io.tidemark.app.output.OutputFormat;
import io.tidemark.app.output.RowPrinter;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tidemark sql}: queries tables and makes small changes. */
@Command(
        name = "sql",
        mixinStandardHelpOptions = true,
        description = {
            "Runs statements over the tables of a warehouse: SELECT, INSERT, CREATE TABLE, CREATE VIEW,"
                    + " ALTER TABLE … SET TBLPROPERTIES, SHOW TABLES, DESCRIBE [HISTORY | DETAIL] t.",
            "Old versions: SELECT * FROM t VERSION AS OF 3, or TIMESTAMP AS OF '2025-01-31 12:00:00'.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  tidemark sql -e \"SHOW TABLES\"",
            "  tidemark sql -e \"SELECT * FROM customers VERSION AS OF 3\" --format csv",
            "  tidemark sql report.sql --format json",
            "  echo \"SELECT 1 AS one\" | tidemark sql -"
        })
final class SqlCommand implements Callable<Integer> {
    private static final int VALUE_WIDTH_MAX = 60;
    private static final Pattern CREATES = Pattern.compile("\\bCREATE\\b", Pattern.CASE_INSENSITIVE);

    @Option(names = "-e", paramLabel = "STATEMENT", description = "Statements to run, separated by semicolons.")
    private @Nullable String statement;

    @Parameters(arity = "0..1", paramLabel = "FILE", description = "A file of statements; - reads standard input.")
    private @Nullable String file;

    @Mixin
    private EngineOptions engineOptions = new EngineOptions();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "Format of rows: text, json or csv (default: ${DEFAULT-VALUE}).")
    private OutputFormat format = OutputFormat.TEXT;

    @Option(
            names = "--full-width",
            description = "Show long values whole; otherwise text shows their first 60 characters.")
    private boolean fullWidth;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        SourceText source = source();
        checkWarehouse(source);
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try (EngineLimits.OpenEngine open = engineOptions.open()) {
            Interrupts.cancelOnSignal(open.engine());
            Path base = Path.of("");
            if (file != null && !file.equals("-")) {
                Path parent = Path.of(file).toAbsolutePath().getParent();
                base = parent == null ? base : parent;
            }
            Session session = new Session(engineOptions.openWarehouse(), open.engine(), base);
            session.execute(source, result -> print(out, err, result));
        }
        return Main.DONE;
    }

    /** A folder that was named and does not exist is a slip of the pen, unless something is made in it. */
    private void checkWarehouse(SourceText source) {
        boolean named = spec.commandLine().getParseResult().hasMatchedOption("--warehouse");
        boolean makes = CREATES.matcher(source.text()).find();
        if (named && !makes && !engineOptions.warehouseExists()) {
            throw TidemarkException.of(
                            ErrorCode.FILE_NOT_FOUND,
                            "there is no warehouse "
                                    + engineOptions.openWarehouse().root())
                    .hint("correct --warehouse; tidemark run, CREATE TABLE and CREATE VIEW make one")
                    .build();
        }
    }

    private SourceText source() {
        if ((statement == null) == (file == null)) {
            throw TidemarkException.of(ErrorCode.USAGE, "give statements either with -e or in one file")
                    .hint("tidemark sql -e \"SELECT 1\", or tidemark sql FILE")
                    .build();
        }
        if (statement != null) {
            return new SourceText("<command line>", statement);
        }
        if ("-".equals(file)) {
            try {
                return new SourceText("<stdin>", new String(System.in.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw TidemarkException.of(ErrorCode.IO_FAILED, "standard input could not be read")
                        .cause(e)
                        .build();
            }
        }
        return new SourceText(String.valueOf(file), RunCommand.read(Path.of(String.valueOf(file))));
    }

    private void print(PrintWriter out, PrintWriter err, StatementResult result) {
        if (result instanceof StatementResult.Rows rows) {
            int width = fullWidth ? Integer.MAX_VALUE : VALUE_WIDTH_MAX;
            try (RowPrinter printer = new RowPrinter(out, format, rows.schema().names(), width)) {
                rows.rows().forEach(values -> {
                    printer.print(values);
                    return !out.checkError();
                });
                printer.finish();
            }
        } else if (result instanceof StatementResult.Done done && format == OutputFormat.TEXT) {
            out.flush();
            err.println(done.message());
        }
    }
}
