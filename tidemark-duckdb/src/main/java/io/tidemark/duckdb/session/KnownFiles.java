package io.tidemark.duckdb.session;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files that relations read, so that an error message that names one can be told from other errors. */
public final class KnownFiles {
    private static final Pattern QUOTED = Pattern.compile("\"([^\"]+)\"|'([^']+)'");

    private final Set<String> dataFiles = new HashSet<>();
    private final Set<String> sourceFiles = new HashSet<>();
    /** By the path of a local copy, the file that users know. */
    private final Map<String, String> originals = new HashMap<>();

    /** Adds files of a Delta table. */
    public void addDataFiles(Collection<String> paths) {
        dataFiles.addAll(paths);
    }

    /** Adds the local copy of a file of a Delta table. */
    public void addCopy(String copy, String original) {
        dataFiles.add(copy);
        originals.put(copy, original);
    }

    /** Forgets a local copy. */
    public void removeCopy(String copy) {
        dataFiles.remove(copy);
        originals.remove(copy);
    }

    /** How users know a file. */
    String shown(String path) {
        return originals.getOrDefault(path, path);
    }

    /** Adds files of a source. */
    public void addSourceFiles(Collection<String> paths) {
        sourceFiles.addAll(paths);
    }

    /** Whether a path is a file of a Delta table. */
    public boolean isDataFile(String path) {
        return dataFiles.contains(path);
    }

    /** Whether relations read files of Delta tables. */
    boolean hasDataFiles() {
        return !dataFiles.isEmpty();
    }

    /** The known file that a message names, if any. */
    public Optional<String> namedIn(String message) {
        Matcher matcher = QUOTED.matcher(message);
        while (matcher.find()) {
            String path = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
            if (dataFiles.contains(path) || sourceFiles.contains(path)) {
                return Optional.of(path);
            }
        }
        // Paths that hold quotes themselves defeat the pattern; such folders are rare, so a plain search is good
        // enough.
        return dataFiles.stream()
                .filter(message::contains)
                .findFirst()
                .or(() -> sourceFiles.stream().filter(message::contains).findFirst());
    }
}
