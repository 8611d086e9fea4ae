package io.tidemark.files;

import io.tidemark.core.error.TidemarkException;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.Serializable;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * A source file and its facts.
 *
 * @param path absolute path as given
 * @param name last part of the path
 * @param sizeBytes size on disk, packed if it is packed
 * @param modified time of the last change
 */
public record SourceFile(String path, String name, long sizeBytes, Instant modified) implements Serializable {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int GZIP_FIRST = 0x1f;
    private static final int GZIP_SECOND = 0x8b;
    private static final int BYTE_ORDER_MARK = 0xFEFF;

    /**
     * Looks files up.
     *
     * @param paths absolute paths
     * @return the files in the same order
     * @throws TidemarkException {@code FILE_NOT_FOUND}, {@code PERMISSION_DENIED} or {@code IO_FAILED}
     */
    public static List<SourceFile> all(List<String> paths) {
        return paths.stream().map(SourceFile::of).toList();
    }

    private static SourceFile of(String path) {
        Path file = Path.of(path);
        try {
            return new SourceFile(
                    path,
                    String.valueOf(file.getFileName()),
                    Files.size(file),
                    Files.getLastModifiedTime(file).toInstant());
        } catch (IOException e) {
            throw InputErrors.reading(path, e);
        }
    }

    /** The path below a folder, with slashes; the name alone if the file does not lie there. */
    String within(String folder) {
        Path file = Path.of(path);
        if (folder.isEmpty() || !file.startsWith(folder)) {
            return name;
        }
        return Path.of(folder).relativize(file).toString().replace('\\', '/');
    }

    /** Opens the text, unpacked if it is packed, without a byte order mark; bytes that are no text are an error. */
    BufferedReader open(Charset charset) throws IOException {
        InputStream raw = new BufferedInputStream(Files.newInputStream(Path.of(path)), BUFFER_BYTES);
        InputStream unpacked = isPacked(raw) ? new GZIPInputStream(raw, BUFFER_BYTES) : raw;
        Reader decoded = new InputStreamReader(
                unpacked,
                charset.newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT));
        BufferedReader reader = new BufferedReader(decoded, BUFFER_BYTES);
        reader.mark(1);
        if (reader.read() != BYTE_ORDER_MARK) {
            reader.reset();
        }
        return reader;
    }

    private static boolean isPacked(InputStream stream) throws IOException {
        stream.mark(2);
        int first = stream.read();
        int second = stream.read();
        stream.reset();
        return first == GZIP_FIRST && second == GZIP_SECOND;
    }
}
