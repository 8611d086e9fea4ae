package io.tidemark.sql.warehouse;

import io.tidemark.core.engine.InputScan;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.query.RelationReference.FilesReference;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the files that {@code read_files} means, and what it says about them. */
public final class SourceFiles {
    private static final String FORMAT = "format";
    private static final String SCHEMA = "schema";
    private static final String PATTERN_CHARACTERS = "*?[{";
    private static final Comparator<String> BY_BYTES = (left, right) ->
            Arrays.compareUnsigned(left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));

    /** Endings of file names that tell a format, with the one that {@code .gz} may follow. */
    private static final Map<String, InputScan.Format> ENDINGS = Map.of(
            ".csv", InputScan.Format.CSV,
            ".tsv", InputScan.Format.CSV,
            ".json", InputScan.Format.JSON,
            ".jsonl", InputScan.Format.JSON,
            ".ndjson", InputScan.Format.JSON,
            ".parquet", InputScan.Format.PARQUET);

    private SourceFiles() {}

    /**
     * The scan of all files that there are now.
     *
     * @param reference the call
     * @param baseFolder where relative paths begin
     */
    public static InputScan scan(FilesReference reference, Path baseFolder) {
        List<String> files = list(reference.path(), baseFolder, reference.location());
        if (files.isEmpty()) {
            throw TidemarkException.of(ErrorCode.FILE_NOT_FOUND, "no file matches " + reference.path())
                    .at(reference.location())
                    .hint("relative paths begin at " + baseFolder.toAbsolutePath())
                    .build();
        }
        return scan(reference, baseFolder, files);
    }

    /** The scan of given files of a call, by its options. */
    public static InputScan scan(FilesReference reference, Path baseFolder, List<String> files) {
        Map<String, String> options = new HashMap<>(reference.options());
        InputScan.Format format = format(reference, options.remove(FORMAT), files);
        options.remove(SCHEMA);
        Path start = start(reference.path(), baseFolder);
        Path folder = Files.isRegularFile(start) ? start.getParent() : start;
        return new InputScan(format, reference.schema(), options, files, String.valueOf(folder), reference.location());
    }

    /**
     * The files of a path: the file itself, all files below a folder, or all that match a pattern with {@code *},
     * {@code **}, <code>?</code>, {@code [a-z]} or {@code {a,b}}. Names that begin with a dot or underscore are left out.
     * Absolute paths in the order of their bytes.
     */
    public static List<String> list(String path, Path baseFolder, TextLocation location) {
        if (path.contains("://") && !path.startsWith("file:")) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE, "source files must be local, but " + path + " is not")
                    .at(location)
                    .hint("copy the files to a local folder, or name them by a local path")
                    .build();
        }
        int pattern = firstPatternCharacter(path);
        try {
            Path start = start(path, baseFolder);
            if (!Files.exists(start)) {
                return List.of();
            }
            return pattern < 0 ? below(start, start) : matching(start, path.substring(folderEnd(path)));
        } catch (InvalidPathException | PatternSyntaxException e) {
            throw TidemarkException.of(ErrorCode.FILE_NOT_FOUND, "'" + path + "' is not a path")
                    .at(location)
                    .cause(e)
                    .build();
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "cannot list the files of " + path)
                    .at(location)
                    .cause(e)
                    .build();
        }
    }

    /** The part of a path before its first pattern. */
    private static Path start(String path, Path baseFolder) {
        String plain = path.substring(0, folderEnd(path));
        return baseFolder
                .resolve(plain.startsWith("file:") ? plain.substring("file:".length()) : plain)
                .toAbsolutePath()
                .normalize();
    }

    private static int folderEnd(String path) {
        int pattern = firstPatternCharacter(path);
        return pattern < 0 ? path.length() : path.lastIndexOf('/', pattern) + 1;
    }

    private static List<String> matching(Path folder, String pattern) throws IOException {
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
        try (Stream<Path> found = Files.walk(throughLink(folder))) {
            return sorted(folder, found.map(Path::normalize).filter(file -> matcher.matches(folder.relativize(file))));
        }
    }

    private static List<String> below(Path start, Path root) throws IOException {
        if (!Files.isDirectory(start)) {
            return List.of(start.toString());
        }
        try (Stream<Path> found = Files.walk(throughLink(start))) {
            return sorted(root, found.map(Path::normalize));
        }
    }

    /** A folder may itself be a link; links below it are not followed, as they may lead in circles. */
    private static Path throughLink(Path folder) {
        return folder.resolve(".");
    }

    private static List<String> sorted(Path root, Stream<Path> files) {
        return files.filter(file -> Files.isRegularFile(file) && isVisible(root.relativize(file)))
                .map(Path::toString)
                .sorted(BY_BYTES)
                .toList();
    }

    private static boolean isVisible(Path relative) {
        for (Path part : relative) {
            String name = part.toString();
            if (name.startsWith(".") || name.startsWith("_")) {
                return false;
            }
        }
        return true;
    }

    private static int firstPatternCharacter(String path) {
        for (int i = 0; i < path.length(); i++) {
            if (PATTERN_CHARACTERS.indexOf(path.charAt(i)) >= 0) {
                return i;
            }
        }
        return -1;
    }

    private static InputScan.Format format(FilesReference reference, @Nullable String said, List<String> files) {
        Optional<InputScan.Format> format = said == null ? byEnding(files) : byName(said);
        return format.orElseThrow(() -> TidemarkException.of(
                        said == null ? ErrorCode.SYNTAX_ERROR : ErrorCode.UNSUPPORTED_FEATURE,
                        said == null
                                ? "the format of " + reference.path() + " cannot be told from its name"
                                : "the format " + said + " is not supported")
                .at(reference.optionPlaces().getOrDefault(FORMAT, reference.location()))
                .hint("write format => 'csv', 'json', 'parquet' or 'debezium'")
                .build());
    }

    private static Optional<InputScan.Format> byName(String said) {
        return Arrays.stream(InputScan.Format.values())
                .filter(format -> format.name().equalsIgnoreCase(said))
                .findFirst();
    }

    private static Optional<InputScan.Format> byEnding(List<String> files) {
        if (files.isEmpty()) {
            return Optional.empty();
        }
        String name = files.get(0).toLowerCase(Locale.ROOT);
        String plain = name.endsWith(".gz") ? name.substring(0, name.length() - ".gz".length()) : name;
        return ENDINGS.entrySet().stream()
                .filter(ending -> plain.endsWith(ending.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }
}
