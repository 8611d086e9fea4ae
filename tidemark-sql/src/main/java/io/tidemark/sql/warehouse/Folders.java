package io.tidemark.sql.warehouse;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Lists sub-folders, which {@code Storage} does not; a warehouse is a local folder. */
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
}
