package io.tidemark.delta.kernel;

/** A file of the log is broken. Made where the file is known, and found again under what Kernel wraps around it. */
final class LogFileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String path;

    LogFileException(String path, String reason, Throwable cause) {
        super(reason, cause);
        this.path = path;
    }

    String path() {
        return path;
    }
}
