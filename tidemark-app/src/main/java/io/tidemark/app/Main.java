package io.tidemark.app;

import io.tidemark.core.error.ErrorCategory;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.grammar.Words;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The program {@code tidemark}. Exit codes: 0 done, 1 failed, 2 wrong use. */
@Command(
        name = "tidemark",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        description = {
            "Keeps Delta Lake tables in step with change streams: SCD type 1, SCD type 2 and bitemporal history from"
                    + " one SQL file.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  tidemark run pipeline.sql                         update all tables of a pipeline",
            "  tidemark sql -e \"SELECT * FROM customers LIMIT 5\"  look at a table",
            "  tidemark sql -e \"DESCRIBE HISTORY customers\"       what happened to it",
            "  tidemark changes customers --from 3               which rows changed since version 3",
            "  tidemark snapshot my-dbt-project                  run the snapshots of a dbt project",
            "  tidemark catalog log maps                         versions of a catalog of partitions",
            "  tidemark init my-pipeline                         start a pipeline of your own",
            "",
            "Exit codes: 0 done, 1 failed, 2 wrong use."
        },
        subcommands = {
            RunCommand.class,
            SqlCommand.class,
            ChangesCommand.class,
            SnapshotCommand.class,
            CatalogCommand.class,
            InitCommand.class,
            ConformanceCommand.class,
            CommandLine.HelpCommand.class
        })
public final class Main implements Runnable {
    /** Exit code: the work is done. */
    static final int DONE = 0;
    /** Exit code: the work failed. */
    static final int FAILED = 1;
    /** Exit code: the command line is wrong. */
    static final int USAGE = 2;

    private static final int HELP_WIDTH = 100;

    @Spec
    private CommandSpec spec;

    private Main() {}

    /** Runs the program and exits with its code. */
    public static void main(String... arguments) {
        StandardOutput standard = new StandardOutput();
        PrintWriter out = new PrintWriter(standard, false, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int code = run(out, err, arguments);
        out.flush();
        Optional<TidemarkException> lost = standard.error();
        lost.ifPresent(error -> err.println(error.render()));
        err.flush();
        Interrupts.ended();
        System.exit(lost.isPresent() && code == DONE ? FAILED : code);
    }

    /** Runs the program with the given outputs and returns its exit code. */
    static int run(PrintWriter out, PrintWriter err, String... arguments) {
        CommandLine commands = new CommandLine(new Main());
        commands.setOut(out);
        commands.setErr(err);
        commands.setCaseInsensitiveEnumValuesAllowed(true);
        commands.setUsageHelpWidth(HELP_WIDTH);
        commands.setExecutionExceptionHandler((exception, command, result) -> report(exception, command));
        commands.setParameterExceptionHandler((exception, given) -> wrongUse(exception));
        commands.setExitCodeExceptionMapper(exception -> USAGE);
        return commands.execute(arguments);
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** A wrong command line is an error like others: one line and a hint, not a page of help. */
    private static int wrongUse(CommandLine.ParameterException exception) {
        CommandLine command = exception.getCommandLine();
        String name = command.getCommandSpec().qualifiedName(" ");
        String text = String.valueOf(exception.getMessage());
        String hint = name + " --help shows how it is used";
        if (exception instanceof CommandLine.UnmatchedArgumentException unmatched && command.getParent() == null) {
            String word = unmatched.getUnmatched().get(0);
            hint = Words.nearest(word, command.getSubcommands().keySet())
                    .map(near -> "did you mean " + near + "?")
                    .orElse("the commands are "
                            + String.join(", ", command.getSubcommands().keySet()));
        }
        TidemarkException error = TidemarkException.of(
                        ErrorCode.USAGE, text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1))
                .hint(hint)
                .build();
        command.getErr().println(error.render());
        command.getErr().flush();
        return USAGE;
    }

    /** Users see what is wrong and where; only a defect shows its stack trace. */
    private static int report(Exception exception, CommandLine command) {
        PrintWriter err = command.getErr();
        command.getOut().flush();
        if (exception instanceof TidemarkException error) {
            for (TidemarkException each : error.all()) {
                err.println(each.render());
                if (each.code().category() == ErrorCategory.BUG) {
                    each.printStackTrace(err);
                }
            }
            if (error.all().size() > 1) {
                err.println(error.all().size() + " errors");
            }
        } else {
            err.println("error INTERNAL: " + exception);
            err.println("  hint: this is a defect of Tidemark; please report it with the lines below");
            exception.printStackTrace(err);
        }
        err.flush();
        return exception instanceof TidemarkException error && error.code() == ErrorCode.USAGE ? USAGE : FAILED;
    }
}
