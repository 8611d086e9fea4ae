package io.tidemark.app;

import io.tidemark.app.output.OutputFormat;
import io.tidemark.app.output.RowPrinter;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.feed.Bound;
import io.tidemark.delta.feed.ChangeFeed;
import io.tidemark.sql.query.VersionSpec;
import io.tidemark.sql.warehouse.RelationSource;
import io.tidemark.sql.warehouse.Relations;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tidemark changes}: prints the change data feed of a table. */
@Command(
        name = "changes",
        mixinStandardHelpOptions = true,
        description = {
            "Prints which rows of a table were inserted, updated and deleted, in the order of versions. Rows have the"
                    + " table's columns and _change_type, _commit_version, _commit_timestamp.",
            "The table records its changes once its property delta.enableChangeDataFeed is true.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  tidemark changes customers",
            "  tidemark changes customers --from 3 --to 5 --format csv",
            "  tidemark changes shop.orders --from '2026-01-01' --to '2026-01-31 12:00:00'",
            "",
            "In SQL: SELECT * FROM table_changes('customers', 3, 5)"
        })
final class ChangesCommand implements Callable<Integer> {
    @Parameters(paramLabel = "TABLE", description = "The table: name, or schema.name.")
    private String table = "";

    @Option(
            names = "--from",
            paramLabel = "VERSION|TIMESTAMP",
            description = "First version, or first one at or after a time in UTC (default: as far back as the changes"
                    + " are recorded).")
    private @Nullable String from;

    @Option(
            names = "--to",
            paramLabel = "VERSION|TIMESTAMP",
            description = "Last version, or last one at or before a time in UTC (default: the latest).")
    private @Nullable String to;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "Format of rows: text, json or csv (default: ${DEFAULT-VALUE}).")
    private OutputFormat format = OutputFormat.TEXT;

    @Mixin
    private EngineOptions engineOptions = new EngineOptions();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        Bound first = bound(from, "--from").orElse(Bound.beginning());
        Optional<Bound> last = bound(to, "--to");
        TableName name = tableName();
        PrintWriter out = spec.commandLine().getOut();
        try (EngineLimits.OpenEngine open = engineOptions.open();
                Relations relations =
                        new Relations(engineOptions.openWarehouse(), open.engine(), RelationSource.NONE, Path.of(""))) {
            Interrupts.cancelOnSignal(open.engine());
            ChangeFeed feed = relations.changes(name, first, last, TextLocation.NONE);
            try (RowPrinter printer = new RowPrinter(out, format, feed.schema().names())) {
                feed.forEach(open.engine(), values -> {
                    printer.print(values);
                    return !out.checkError();
                });
            }
        }
        return Main.DONE;
    }

    private TableName tableName() {
        String[] parts = table.split("\\.", -1);
        if (parts.length > 2 || table.isBlank()) {
            throw TidemarkException.of(ErrorCode.USAGE, "'" + table + "' is not the name of a table")
                    .hint("write table or schema.table")
                    .build();
        }
        return parts.length == 1 ? TableName.of(parts[0]) : new TableName(parts[0], parts[1]);
    }

    private static Optional<Bound> bound(@Nullable String text, String option) {
        if (text == null) {
            return Optional.empty();
        }
        return Optional.of(VersionSpec.parse(text, ZoneOffset.UTC)
                .orElseThrow(() -> TidemarkException.of(
                                ErrorCode.USAGE,
                                option + " takes a version or a timestamp, and '" + text + "' is neither")
                        .hint("write " + option + " 3, or " + option + " '2026-01-31 12:00:00'")
                        .build())
                .bound());
    }
}
