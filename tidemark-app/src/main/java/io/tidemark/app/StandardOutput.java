package io.tidemark.app;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The process's output. Writers swallow its failures, but a result that did not arrive is no success: it remembers. */
final class StandardOutput extends OutputStream {
    private static final int BUFFER_BYTES = 1 << 16;

    private final OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER_BYTES);
    private @Nullable IOException failure;

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    @Override
    public void flush() throws IOException {
        try {
            out.flush();
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    /** The error to report, unless the reader simply wanted no more, as {@code head} does. */
    Optional<TidemarkException> error() {
        IOException known = failure;
        if (known == null) {
            return Optional.empty();
        }
        String text = String.valueOf(known.getMessage());
        if (text.toLowerCase(Locale.ROOT).contains("broken pipe")) {
            return Optional.empty();
        }
        ErrorCode code = text.contains("No space left") ? ErrorCode.DISK_FULL : ErrorCode.IO_FAILED;
        return Optional.of(TidemarkException.of(code, "the output could not be written: " + text)
                .cause(known)
                .build());
    }
}
