package io.tidemark.dbt.source;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Tells without reading them whether files are still the same: by path, size, times of modification and of change, and
 * identity. It must be asked before the files are read: then a file that changes meanwhile has another mark the next time.
 */
final class FileMarks {
    /** A file may be written again within one tick of its file system's clock, and look the same: so long it has no mark. */
    private static final Duration TICK = Duration.ofMillis(100);
    /** The same where times have whole seconds, or every second one. */
    private static final Duration COARSE_TICK = Duration.ofMillis(2500);

    private FileMarks() {}

    /**
     * One mark of some files.
     *
     * @return nothing if one of them is not there, is no file, or was modified a moment ago
     */
    static Optional<String> of(List<Path> files) {
        StringBuilder text = new StringBuilder();
        for (Path file : files) {
            Optional<String> mark = mark(file);
            if (mark.isEmpty()) {
                return mark;
            }
            text.append(mark.get()).append('\n');
        }
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return Optional.of(HexFormat.of().formatHex(hash));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Optional<String> mark(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            Instant modified = attributes.lastModifiedTime().toInstant();
            Duration tick = modified.equals(modified.truncatedTo(ChronoUnit.SECONDS)) ? COARSE_TICK : TICK;
            if (!attributes.isRegularFile() || modified.plus(tick).isAfter(Instant.now())) {
                return Optional.empty();
            }
            return Optional.of(file + "\n" + attributes.size() + " " + modified + " " + changed(file) + " "
                    + attributes.fileKey());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Tells files apart whose time of modification was set by hand; not all systems have it. */
    private static String changed(Path file) throws IOException {
        try {
            return String.valueOf(Files.getAttribute(file, "unix:ctime"));
        } catch (UnsupportedOperationException | IllegalArgumentException e) {
            return "";
        }
    }
}
