package io.tidemark.app;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tidemark init}: writes a small pipeline with its source to start from. */
@Command(
        name = "init",
        mixinStandardHelpOptions = true,
        description = {"Writes a small pipeline and its source into a folder, ready to run.", ""})
final class InitCommand implements Callable<Integer> {
    private static final Map<String, String> FILES = Map.of(
            "pipeline.sql", "pipeline.sql",
            "events/0001.csv", "0001.csv",
            "events/0002.csv", "0002.csv");

    @Parameters(arity = "0..1", paramLabel = "DIR", defaultValue = ".", description = "The folder (default: here).")
    private Path folder = Path.of(".");

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        for (Map.Entry<String, String> file : new TreeMap<>(FILES).entrySet()) {
            Path path = folder.resolve(file.getKey());
            if (Files.exists(path)) {
                throw TidemarkException.of(ErrorCode.USAGE, "file " + path + " exists already")
                        .hint("choose an empty folder")
                        .build();
            }
        }
        for (Map.Entry<String, String> file : new TreeMap<>(FILES).entrySet()) {
            write(folder.resolve(file.getKey()), file.getValue());
            out.println("wrote " + folder.resolve(file.getKey()));
        }
        Path pipeline = folder.resolve("pipeline.sql");
        // A warehouse of its own: another pipeline's may have a table of this name.
        String warehouse = " --warehouse " + folder.resolve("warehouse");
        out.println("next: tidemark run " + pipeline + warehouse);
        out.println("then: tidemark sql -e \"SELECT * FROM customers\"" + warehouse);
        return Main.DONE;
    }

    private static void write(Path path, String resource) {
        try (InputStream content = InitCommand.class.getResourceAsStream("/init/" + resource)) {
            if (content == null) {
                throw new IllegalStateException("resource " + resource + " is missing from the jar");
            }
            Path parent = path.getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Files.write(path, content.readAllBytes(), StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException e) {
            throw TidemarkException.of(ErrorCode.USAGE, "file " + path + " exists already")
                    .cause(e)
                    .build();
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "file " + path + " could not be written: " + e.getMessage())
                    .cause(e)
                    .build();
        }
    }
}
