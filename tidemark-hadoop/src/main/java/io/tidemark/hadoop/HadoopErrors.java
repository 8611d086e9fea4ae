package io.tidemark.hadoop;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.StorageErrors;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.hdfs.protocol.QuotaExceededException;
import org.apache.hadoop.security.AccessControlException;

/** Turns what Hadoop's file systems throw into errors of the product. */
final class HadoopErrors {
    private HadoopErrors() {}

    static TidemarkException translate(IOException e, String action, String path) {
        return StorageErrors.translate(plain(e), action, path);
    }

    /** The same failure as the local disk would report it. */
    private static IOException plain(IOException e) {
        String line = firstLine(e);
        IOException same;
        if (e instanceof AccessControlException) {
            same = new AccessDeniedException(null, null, line);
        } else if (e instanceof QuotaExceededException || line.contains("could only be written to 0 of the")) {
            same = new IOException("No space left: " + line);
        } else if (e instanceof FileNotFoundException
                || e instanceof FileAlreadyExistsException
                || e instanceof ParentNotDirectoryException) {
            return e;
        } else {
            // Messages of the name node end with the stack of its own thread.
            same = line.equals(e.getMessage()) ? e : new IOException(line);
        }
        if (same != e) {
            same.initCause(e);
        }
        return same;
    }

    private static String firstLine(IOException e) {
        String message = e.getMessage();
        return message == null || message.isBlank()
                ? e.getClass().getSimpleName()
                : message.lines().findFirst().orElse(message);
    }
}
