package io.tidemark.delta.storage;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.ReadOnlyFileSystemException;

/** Turns what a file system throws into errors of the product. */
public final class StorageErrors {
    private StorageErrors() {}

    /**
     * The error for a failure.
     *
     * @param action what was tried, as in "cannot read"
     * @param path the file or folder
     */
    public static TidemarkException translate(IOException e, String action, String path) {
        ErrorCode code = codeOf(e);
        String text = textOf(e);
        return switch (code) {
            case FILE_NOT_FOUND ->
                TidemarkException.of(code, "file not found: " + path).cause(e).build();
            case PERMISSION_DENIED ->
                TidemarkException.of(code, "no permission to " + action + " " + path)
                        .detail("The file system says: " + text + ".")
                        .cause(e)
                        .build();
            case DISK_FULL ->
                TidemarkException.of(code, "no space left to " + action + " " + path)
                        .detail("The file system says: " + text + ".")
                        .cause(e)
                        .build();
            case INTERRUPTED ->
                TidemarkException.of(code, "interrupted: could not " + action + " " + path)
                        .cause(e)
                        .build();
            default ->
                TidemarkException.of(ErrorCode.IO_FAILED, "cannot " + action + " " + path + ": " + text)
                        .cause(e)
                        .build();
        };
    }

    static TidemarkException readOnly(ReadOnlyFileSystemException e, String action, String path) {
        return TidemarkException.of(ErrorCode.PERMISSION_DENIED, "no permission to " + action + " " + path)
                .detail("The file system is read-only.")
                .cause(e)
                .build();
    }

    static TidemarkException badPath(String path, Exception e) {
        return TidemarkException.of(ErrorCode.IO_FAILED, "not a path of the local file system: " + path)
                .cause(e)
                .build();
    }

    private static ErrorCode codeOf(IOException e) {
        if (e instanceof NoSuchFileException || e instanceof FileNotFoundException) {
            return ErrorCode.FILE_NOT_FOUND;
        }
        if (e instanceof AccessDeniedException) {
            return ErrorCode.PERMISSION_DENIED;
        }
        if (e instanceof ClosedByInterruptException || e instanceof InterruptedIOException) {
            return ErrorCode.INTERRUPTED;
        }
        // The JDK has no exception types for these: the system's own text is all there is.
        String text = textOf(e);
        if (text.contains("No space left") || text.contains("Disk quota exceeded")) {
            return ErrorCode.DISK_FULL;
        }
        if (text.contains("Read-only file system")) {
            return ErrorCode.PERMISSION_DENIED;
        }
        return ErrorCode.IO_FAILED;
    }

    private static String textOf(IOException e) {
        if (e instanceof FileSystemException system && system.getReason() != null) {
            return system.getReason();
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
