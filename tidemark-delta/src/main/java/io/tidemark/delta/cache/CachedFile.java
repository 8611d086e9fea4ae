package io.tidemark.delta.cache;

import io.tidemark.delta.storage.StorageErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A copy in the cache as it was found. */
record CachedFile(Path path, long size, FileTime used) {
    private static final Logger LOG = LoggerFactory.getLogger(CachedFile.class);

    /** All copies, the one that was not used for longest first. */
    static List<CachedFile> list(Path folder) {
        List<CachedFile> found = new ArrayList<>();
        try (Stream<Path> paths = Files.list(folder)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                look(path, found);
            }
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw StorageErrors.translate(e, "list", folder.toString());
        }
        found.sort(Comparator.comparing(CachedFile::used).thenComparing(CachedFile::path));
        return found;
    }

    private static void look(Path path, List<CachedFile> found) throws IOException {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            found.add(new CachedFile(path, attributes.size(), attributes.lastModifiedTime()));
        } catch (NoSuchFileException e) {
            // another process has just made room
            LOG.trace("{} is gone", path, e);
        }
    }

    /** Whether somebody reads it: then it has a second link, and deleting this one would free nothing. */
    boolean inUse() {
        try {
            return Files.getAttribute(path, "unix:nlink") instanceof Integer links && links > 1;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            LOG.trace("the links of {} cannot be counted", path, e);
            return false;
        }
    }

    boolean delete() {
        try {
            Files.deleteIfExists(path);
            return true;
        } catch (IOException e) {
            LOG.debug("{} stays in the cache", path, e);
            return false;
        }
    }
}
