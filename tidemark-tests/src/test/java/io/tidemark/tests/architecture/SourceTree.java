package io.tidemark.tests.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** The repository's files, without what builds and version control leave in it. */
final class SourceTree {
    private static final Set<String> LEFT_OUT = Set.of("target", ".git", ".mvn", ".idea", ".vscode", "node_modules");

    private SourceTree() {}

    /** The folder that holds the build's launcher. */
    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("mvnw"))) {
            folder = Objects.requireNonNull(folder.getParent(), "tests run inside the repository");
        }
        return folder;
    }

    /** Files whose names end so, sorted. */
    static List<Path> files(String... endings) {
        try (Stream<Path> all = Files.walk(root())) {
            return all.filter(SourceTree::isSource)
                    .filter(file -> Stream.of(endings)
                            .anyMatch(ending -> file.getFileName().toString().endsWith(ending)))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isSource(Path file) {
        for (Path part : root().relativize(file)) {
            // Below the source folders a package may bear any name.
            if (part.toString().equals("src")) {
                break;
            }
            if (LEFT_OUT.contains(part.toString())) {
                return false;
            }
        }
        return Files.isRegularFile(file);
    }

    static List<String> lines(Path file) {
        return text(file).lines().toList();
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The file's path inside the repository, for messages. */
    static String name(Path file) {
        return root().relativize(file).toString();
    }
}
