package io.tidemark.sql.warehouse;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Lists and deletes folders, which {@code Storage} does not; a warehouse is a local folder. */
final class Folders {
    private Folders() {}

    /** The names of the folders in a folder, sorted; none if it does not exist. */
    static List<String> in(String folder) {
        try (Stream<Path> children = Files.list(Path.of(folder))) {
            return children.filter(Files::isDirectory)
                    .map(child -> child.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "cannot list " + folder)
                    .cause(e)
                    .build();
        }
    }

    /** Deletes a folder with all that is in it. */
    static void delete(String folder) {
        try (Stream<Path> paths = Files.walk(Path.of(folder))) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "cannot delete " + folder)
                    .cause(e)
                    .build();
        }
    }
}
