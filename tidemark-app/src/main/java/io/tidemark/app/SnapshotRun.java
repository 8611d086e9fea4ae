package io.tidemark.app;

import io.tidemark.app.output.OutputFormat;
import io.tidemark.app.output.RowPrinter;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.SnapshotRunner;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.project.ProjectOptions;
import io.tidemark.dbt.project.Selection;
import io.tidemark.dbt.project.SnapshotNode;
import io.tidemark.dbt.run.SnapshotResult;
import io.tidemark.dbt.run.SnapshotResult.Counts;
import io.tidemark.dbt.yaml.YamlNode;
import io.tidemark.dbt.yaml.YamlReader;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What {@link SnapshotCommand} does. */
final class SnapshotRun {
    private static final List<String> COLUMNS = List.of(
            "snapshot",
            "table",
            "status",
            "source_rows",
            "new",
            "changed",
            "deleted",
            "removed",
            "missed",
            "version",
            "millis");

    private final SnapshotCommand command;
    private final PrintWriter out;
    private final PrintWriter err;

    SnapshotRun(SnapshotCommand command, PrintWriter out, PrintWriter err) {
        this.command = command;
        this.out = out;
        this.err = err;
    }

    int run() {
        Project project = Project.read(new ProjectOptions(
                command.folder,
                Optional.ofNullable(command.profilesFolder),
                Optional.ofNullable(command.profile),
                Optional.ofNullable(command.target),
                variables(),
                System.getenv()));
        List<SnapshotNode> chosen = Selection.of(project.snapshots(), command.select, command.exclude);
        if (chosen.isEmpty() && !project.snapshots().isEmpty()) {
            throw TidemarkException.of(ErrorCode.UNKNOWN_NODE, "--select and --exclude leave no snapshot to run")
                    .build();
        }
        if (chosen.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.UNKNOWN_NODE, "the project " + project.name() + " has no snapshot to run")
                    .hint(
                            "snapshots are blocks {% snapshot name %} in the folder snapshots, or entries of snapshots: in a"
                                    + " YAML file")
                    .build();
        }
        SnapshotRunner.Report report;
        try (EngineLimits.OpenEngine open = command.engineOptions.open()) {
            Interrupts.cancelOnSignal(open.engine());
            SnapshotRunner runner = new SnapshotRunner(project, open.engine(), command.engineOptions.openWarehouse());
            report = command.importTables
                    ? runner.importTables(chosen, !command.dryRun, listener())
                    : runner.run(chosen, Clock.systemUTC().instant(), !command.dryRun, listener());
        }
        print(report.results());
        if (!report.errors().isEmpty()) {
            throw TidemarkException.together(report.errors());
        }
        return Main.DONE;
    }

    private SnapshotRunner.Listener listener() {
        return new SnapshotRunner.Listener() {
            @Override
            public void compiled(SnapshotNode node, String sql) {
                if (command.showSql) {
                    err.println("-- " + node.name() + "\n" + sql + "\n");
                    err.flush();
                }
            }

            @Override
            public void ended(SnapshotResult result) {
                result.warnings().forEach(warning -> err.println("warning: " + result.snapshot() + ": " + warning));
                err.flush();
            }
        };
    }

    private Map<String, @Nullable Object> variables() {
        if (command.variables == null) {
            return Map.of();
        }
        YamlNode node = YamlReader.read("--vars", command.variables);
        if (!node.isMapping()) {
            throw TidemarkException.of(ErrorCode.USAGE, "--vars is no mapping: " + command.variables)
                    .hint("write --vars '{name: value}'")
                    .build();
        }
        Map<String, @Nullable Object> variables = new LinkedHashMap<>();
        node.entries().forEach((name, value) -> variables.put(name, value.plain()));
        return variables;
    }

    private void print(List<SnapshotResult> results) {
        try (RowPrinter printer = new RowPrinter(out, command.format, COLUMNS)) {
            for (SnapshotResult result : results) {
                Counts counts = result.counts();
                List<@Nullable Object> row = new ArrayList<>();
                row.add(result.snapshot());
                row.add(result.table());
                String status = result.status().name().toLowerCase(Locale.ROOT);
                row.add(command.dryRun && result.version().isEmpty() ? planned(status) : status);
                row.add(counts.sourceRows());
                row.add(counts.newKeys());
                row.add(counts.changedKeys());
                row.add(counts.deletedKeys());
                row.add(counts.removedRows());
                row.add(counts.missedChanges());
                row.add(result.version().isPresent() ? result.version().getAsLong() : null);
                row.add(result.millis());
                printer.print(row);
            }
            printer.finish();
        }
        if (command.dryRun && command.format == OutputFormat.TEXT) {
            out.println("nothing was changed");
        }
        out.flush();
    }

    private static String planned(String status) {
        return switch (status) {
            case "created" -> "would be created";
            case "updated" -> "would be updated";
            default -> status;
        };
    }
}
