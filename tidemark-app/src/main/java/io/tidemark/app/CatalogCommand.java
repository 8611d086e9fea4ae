package io.tidemark.app;

import io.tidemark.app.output.OutputFormat;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code tidemark catalog}: versioned catalogs of partitions. The work is in {@link CatalogRun}, so that other commands do
 * not load the module.
 */
@Command(
        name = "catalog",
        mixinStandardHelpOptions = true,
        description = {
            "Makes, fills and reads versioned catalogs: layers of named partitions with payloads, in one Delta table. Each"
                    + " publication is one version of all layers.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  tidemark catalog create maps --layer docs --layer 'tiles:levels=8-12:content-type=image/png'",
            "  tidemark catalog put maps tiles --from my-tiles --snapshot",
            "  tidemark catalog list maps tiles --format csv",
            "  tidemark catalog get maps tiles 377894 --to tile.png",
            "  tidemark catalog diff maps 3 7",
            "  tidemark catalog verify maps",
            "",
            "LOCATION is a local folder, s3://bucket/folder or hdfs://host/folder."
        },
        subcommands = HelpCommand.class)
final class CatalogCommand implements Runnable {
    private static final String VERSION_TEXT = "Version to read (default: the latest).";

    @Spec
    private CommandSpec spec;

    CatalogCommand() {}

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** What all of the commands take. */
    static final class Common {
        @Parameters(index = "0", paramLabel = "LOCATION", description = "Folder of the catalog.")
        String location = "";

        @Option(
                names = "--format",
                paramLabel = "FORMAT",
                defaultValue = "text",
                description = "Format of results: text, json or csv (default: ${DEFAULT-VALUE}).")
        OutputFormat format = OutputFormat.TEXT;

        @Mixin
        EngineLimits engine = new EngineLimits();
    }

    private CatalogRun work(Common common) {
        return new CatalogRun(
                common, spec.commandLine().getOut(), spec.commandLine().getErr());
    }

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = "Makes a catalog in a folder in which there is no table yet.")
    int create(
            @Mixin Common common,
            @Option(
                            names = "--layer",
                            paramLabel = "ID[:OPTION…]",
                            description = {
                                "A layer, any number of times. Options: levels=8-12 or levels=8+12 (partitions are HERE tiles of"
                                        + " these levels; names of any kind otherwise), digest=MD5|SHA-1|SHA-256|SHA-512"
                                        + " (default SHA-256), content-type=TYPE, inline=SIZE (larger payloads get files of"
                                        + " their own; default 64KiB), empty (payloads of zero bytes are allowed)."
                            })
                    List<String> layers,
            @Option(names = "--id", paramLabel = "ID", description = "The catalog's id (default: the folder's name).")
                    @Nullable
                    String id,
            @Option(
                            names = "--set",
                            paramLabel = "NAME=VALUE",
                            description =
                                    "A setting of the catalog; stateLayer is the id of the layer that is reserved for the"
                                            + " state of programs (default: state).")
                    List<String> settings) {
        return work(common).create(orNone(layers), id, orNone(settings));
    }

    @Command(
            name = "layers",
            mixinStandardHelpOptions = true,
            description = "Lists the layers; with --layer adds layers, or changes options of those that are there.")
    int layers(
            @Mixin Common common,
            @Option(
                            names = "--layer",
                            paramLabel = "ID[:OPTION…]",
                            description = "A layer to add or change, as for create; options that are not given stay.")
                    List<String> layers) {
        return work(common).layers(orNone(layers));
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Lists the partitions of a version, without reading payloads.")
    int list(
            @Mixin Common common,
            @Parameters(index = "1", arity = "0..1", paramLabel = "LAYER", description = "The layer (default: all).")
                    @Nullable
                    String layer,
            @Option(names = "--version-number", paramLabel = "N", description = VERSION_TEXT) @Nullable Long version) {
        return work(common).list(layer, version);
    }

    @Command(
            name = "get",
            mixinStandardHelpOptions = true,
            description = "Writes the payload of a partition to a file or to the output, and checks it.")
    int get(
            @Mixin Common common,
            @Parameters(index = "1", paramLabel = "LAYER", description = "The layer.") String layer,
            @Parameters(index = "2", paramLabel = "PARTITION", description = "The partition's name.") String partition,
            @Option(names = "--version-number", paramLabel = "N", description = VERSION_TEXT) @Nullable Long version,
            @Option(
                            names = "--to",
                            paramLabel = "FILE",
                            description =
                                    "The file (default: the standard output). It is there only if the payload is right.")
                    @Nullable
                    Path file) {
        return work(common).get(layer, partition, version, file);
    }

    @Command(
            name = "put",
            mixinStandardHelpOptions = true,
            description = {
                "Publishes files as partitions of a layer: one version, if anything differs from what is published."
            })
    int put(
            @Mixin Common common,
            @Parameters(index = "1", paramLabel = "LAYER", description = "The layer.") String layer,
            @Parameters(
                            index = "2..*",
                            arity = "0..*",
                            paramLabel = "NAME=FILE",
                            description = "A partition and the file with its payload; NAME= deletes the partition.")
                    List<String> partitions,
            @Option(
                            names = "--from",
                            paramLabel = "DIR",
                            description = "A folder whose files are partitions of the names of the files.")
                    @Nullable
                    Path folder,
            @Option(
                            names = "--snapshot",
                            description = "What is given is the whole layer: other partitions are deleted.")
                    boolean snapshot,
            @Option(
                            names = "--base",
                            paramLabel = "N",
                            description =
                                    "The version that this follows; another one is a conflict (default: the latest).")
                    @Nullable
                    Long base,
            @Option(names = "--dry-run", description = "Compare and check everything; publish nothing.")
                    boolean dryRun) {
        return work(common).put(new CatalogRun.Put(layer, orNone(partitions), folder, snapshot, base, dryRun));
    }

    @Command(
            name = "log",
            mixinStandardHelpOptions = true,
            description = "Lists the versions, newest first, with what each did and what it was made from.")
    int log(
            @Mixin Common common,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "20",
                            description = "As many at most (default: ${DEFAULT-VALUE}).")
                    int limit) {
        return work(common).log(limit);
    }

    @Command(
            name = "diff",
            mixinStandardHelpOptions = true,
            description = {
                "Lists the partitions that differ between two versions: added, changed or deleted. What was changed and changed"
                        + " back does not differ."
            })
    int diff(
            @Mixin Common common,
            @Parameters(index = "1", paramLabel = "FROM", description = "A version; 0 is the empty one.") long from,
            @Parameters(
                            index = "2",
                            arity = "0..1",
                            paramLabel = "TO",
                            description = "Another version (default: the latest).")
                    @Nullable
                    Long to,
            @Option(names = "--layer", paramLabel = "ID", description = "A layer, any number of times (default: all).")
                    List<String> layers) {
        return work(common).diff(from, to, orNone(layers));
    }

    @Command(
            name = "verify",
            mixinStandardHelpOptions = true,
            description = {
                "Reads all payloads of a version and checks them, and the state; lists what is wrong. The exit code is 1 if"
                        + " anything is."
            })
    int verify(
            @Mixin Common common,
            @Option(names = "--version-number", paramLabel = "N", description = VERSION_TEXT) @Nullable Long version,
            @Option(names = "--layer", paramLabel = "ID", description = "A layer, any number of times (default: all).")
                    List<String> layers) {
        return work(common).verify(version, orNone(layers));
    }

    @Command(
            name = "clean",
            mixinStandardHelpOptions = true,
            description = {
                "Deletes payload files that no kept version names, and files of the state that no version pins, if they are old"
                        + " enough. VACUUM cleans up the table's rows."
            })
    int clean(
            @Mixin Common common,
            @Option(
                            names = "--keep-from",
                            paramLabel = "N",
                            description = "Give up all versions before N first (default: all are kept).")
                    @Nullable
                    Long oldest,
            @Option(
                            names = "--grace",
                            paramLabel = "DURATION",
                            description =
                                    "How old unused files must be, for example '30 days' (default, and least: the table's"
                                            + " delta.deletedFileRetentionDuration, 7 days unless set).")
                    @Nullable
                    String grace,
            @Option(names = "--dry-run", description = "List the files; delete nothing.") boolean dryRun) {
        return work(common).clean(oldest, grace, dryRun);
    }

    private static List<String> orNone(@Nullable List<String> given) {
        return given == null ? List.of() : given;
    }
}
