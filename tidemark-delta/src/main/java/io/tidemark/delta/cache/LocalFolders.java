package io.tidemark.delta.cache;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Folders of links and of files that are being written. */
final class LocalFolders {
    private static final Logger LOG = LoggerFactory.getLogger(LocalFolders.class);

    private LocalFolders() {}

    /** Deletes a folder; what cannot be deleted is left to the clean-up of a later process. */
    static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(folder)) {
            List<Path> deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("folder {} stays behind", folder, e);
        }
    }
}
