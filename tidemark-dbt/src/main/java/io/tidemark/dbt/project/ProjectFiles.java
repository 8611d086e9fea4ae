package io.tidemark.dbt.project;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The files below a project's folder. Paths are relative to it and written with slashes. */
final class ProjectFiles {
    private final Path folder;

    ProjectFiles(Path folder) {
        this.folder = folder;
    }

    Path folder() {
        return folder;
    }

    /**
     * A file found in one of the project's folders.
     *
     * @param path relative to the project
     * @param inFolder relative to the folder that was searched
     */
    record Found(String path, String inFolder) {
        /** The file's name without its ending. */
        String stem() {
            String name = path.substring(path.lastIndexOf('/') + 1);
            int dot = name.lastIndexOf('.');
            return dot < 0 ? name : name.substring(0, dot);
        }

        /** The folders between the searched one and the file. */
        List<String> folders() {
            String[] parts = inFolder.split("/");
            return List.of(parts).subList(0, parts.length - 1);
        }
    }

    /** Files with one of the endings in some folders, sorted by path; folders that are not there have none. */
    List<Found> find(List<String> folders, String... endings) {
        List<Found> found = new ArrayList<>();
        for (String each : folders) {
            Path root = folder.resolve(each);
            if (!Files.isDirectory(root)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(root)) {
                files.filter(Files::isRegularFile)
                        .filter(file -> hasEnding(file, endings))
                        .map(file -> new Found(slashes(folder.relativize(file)), slashes(root.relativize(file))))
                        .forEach(found::add);
            } catch (IOException e) {
                throw TidemarkException.of(ErrorCode.IO_FAILED, "folder " + root + " cannot be read")
                        .cause(e)
                        .build();
            }
        }
        found.sort(java.util.Comparator.comparing(Found::path));
        return found;
    }

    private static boolean hasEnding(Path file, String... endings) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
        return Stream.of(endings).anyMatch(name::endsWith);
    }

    private static String slashes(Path path) {
        return path.toString().replace('\\', '/');
    }

    /** How errors name a file of the project. */
    String shown(String path) {
        Path file = folder.resolve(path).normalize();
        return file.toString();
    }

    /** The text of a file of the project. */
    String read(String path) {
        return readIfThere(folder.resolve(path))
                .orElseThrow(() -> TidemarkException.of(
                                ErrorCode.PROJECT_INVALID, "there is no file " + folder.resolve(path))
                        .build());
    }

    /** The text of a file, if there is one. */
    static Optional<String> readIfThere(Path file) {
        try {
            return Optional.of(Files.readString(file));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (MalformedInputException e) {
            throw TidemarkException.of(ErrorCode.PROJECT_INVALID, "file " + file + " is not UTF-8 text")
                    .cause(e)
                    .build();
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "file " + file + " could not be read: " + e.getMessage())
                    .cause(e)
                    .build();
        }
    }
}
