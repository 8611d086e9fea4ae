package io.tidemark.app;

import io.tidemark.app.output.OutputFormat;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tidemark snapshot}: runs the snapshots of a dbt project. */
@Command(
        name = "snapshot",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the snapshots of a dbt project as they are: the query of each is read once and compared with the current"
                    + " rows of its Delta table, and what differs is one commit. The table is SCHEMA.NAME of the"
                    + " warehouse, by dbt's rules of names.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  tidemark snapshot                                 the project in this folder",
            "  tidemark snapshot shop --select tag:daily --target prod",
            "  tidemark snapshot shop --dry-run                  read, compare and check everything, change nothing",
            "",
            "Models that are views or ephemeral are part of the query; tables must be there: in the warehouse, in the",
            "profile's DuckDB file, as files (external_location) or in a database (meta: jdbc_url)."
        })
final class SnapshotCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "PROJECT_DIR",
            defaultValue = ".",
            description = "Folder with dbt_project.yml (default: this folder).")
    Path folder = Path.of(".");

    @Option(
            names = {"-s", "--select"},
            arity = "1..*",
            paramLabel = "SELECTOR",
            description = "Snapshots to run: names, tag:TAG, path:FOLDER (default: all).")
    List<String> select = List.of();

    @Option(names = "--exclude", arity = "1..*", paramLabel = "SELECTOR", description = "Snapshots to leave out.")
    List<String> exclude = List.of();

    @Option(
            names = {"-t", "--target"},
            paramLabel = "TARGET",
            description = "Output of the profile (default: the profile's).")
    @Nullable
    String target;

    @Option(names = "--profile", paramLabel = "PROFILE", description = "Profile to use (default: the project's).")
    @Nullable
    String profile;

    @Option(
            names = "--profiles-dir",
            paramLabel = "DIR",
            description = "Folder of profiles.yml (default: DBT_PROFILES_DIR, the project's folder, ~/.dbt).")
    @Nullable
    Path profilesFolder;

    @Option(names = "--vars", paramLabel = "YAML", description = "Variables, for example '{limit: 10}'.")
    @Nullable
    String variables;

    @Option(names = "--dry-run", description = "Read, compare and check everything; change nothing.")
    boolean dryRun;

    @Option(
            names = "--import",
            description = "Make the tables of those that dbt keeps in the profile's DuckDB file or PostgreSQL database,"
                    + " and run nothing; later runs continue them.")
    boolean importTables;

    @Option(names = "--show-sql", description = "Print the SQL of each snapshot's query.")
    boolean showSql;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "Format of the results: text, json or csv (default: ${DEFAULT-VALUE}).")
    OutputFormat format = OutputFormat.TEXT;

    @Mixin
    EngineOptions engineOptions = new EngineOptions();

    @Spec
    private CommandSpec spec;

    /** The work is in a class of its own, so that other commands do not load the module. */
    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        return new SnapshotRun(this, out, err).run();
    }
}
