package io.tidemark.tests.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders as a whole. */
final class FolderCopy {
    private static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    private FolderCopy() {}

    /** Makes a folder equal to another one. */
    static void replace(Path target, Path source) {
        delete(target);
        try {
            for (Path path : all(source)) {
                Files.copy(
                        path, target.resolve(source.relativize(path).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether two folders have the same files with the same contents. */
    static boolean isEqual(Path first, Path second) {
        try {
            List<Path> files = files(first);
            if (files.size() != files(second).size()) {
                return false;
            }
            for (Path file : files) {
                Path other = second.resolve(first.relativize(file).toString());
                if (!Files.isRegularFile(other) || Files.mismatch(file, other) >= 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Names and sizes of all files, without what is random in the names. */
    static String shape(Path folder) {
        try {
            List<String> shape = new ArrayList<>();
            for (Path file : files(folder)) {
                shape.add(folder.relativize(file).toString().replaceAll(UUID, "*") + " " + Files.size(file));
            }
            Collections.sort(shape);
            return String.join("\n", shape);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void delete(Path folder) {
        try {
            for (Path path :
                    all(folder).stream().sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes all files look old. */
    static void age(Path folder, Duration age) {
        FileTime time = FileTime.from(Instant.now().minus(age));
        try {
            for (Path file : files(folder)) {
                Files.setLastModifiedTime(file, time);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The files in a folder and below. */
    static List<Path> files(Path folder) {
        return all(folder).stream().filter(Files::isRegularFile).toList();
    }

    private static List<Path> all(Path folder) {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
