package io.tidemark.app;

import io.tidemark.app.conformance.ConformanceRun;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tidemark conformance}: runs hand-derived cases through the whole product. */
@Command(
        name = "conformance",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the cases of a folder (*.json) from pipeline text to Delta table and compares the rows after each"
                    + " update. Prints a line for each case, then the counts.",
            ""
        })
final class ConformanceCommand implements Callable<Integer> {
    @Parameters(arity = "1", paramLabel = "DIR", description = "Folder of cases.")
    private Path folder = Path.of(".");

    @Option(
            names = "--variants",
            description = "Also run each case without ties with its events shuffled and one event per update.")
    private boolean variants;

    @Option(
            names = "--keep",
            paramLabel = "DIR",
            description = "Keep the folder of each case, with its events and its warehouse, in DIR.")
    private @Nullable Path keep;

    @Mixin
    private EngineOptions engineOptions = new EngineOptions();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        ConformanceRun run = new ConformanceRun(engineOptions::open, out, variants, Optional.ofNullable(keep));
        return run.run(folder) ? Main.DONE : Main.FAILED;
    }
}
