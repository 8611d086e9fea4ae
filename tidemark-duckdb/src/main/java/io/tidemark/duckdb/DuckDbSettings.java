package io.tidemark.duckdb;

import io.tidemark.core.engine.RemoteFiles;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.nio.file.Path;

/**
 * Limits of an embedded engine.
 *
 * @param memoryLimitBytes memory that buffers and operators may use together; what is more goes to the temporary folder
 * @param threads worker threads
 * @param temporaryDirectory folder for what does not fit into memory; made when needed
 * @param remoteFiles local copies of files of tables that do not lie on a local disk
 */
public record DuckDbSettings(long memoryLimitBytes, int threads, Path temporaryDirectory, RemoteFiles remoteFiles) {
    /** The least memory with which the engine works at all. */
    public static final long MEMORY_LIMIT_BYTES_MIN = 64L * 1024 * 1024;
    /** The most worker threads. */
    public static final int THREADS_MAX = 1024;

    private static final long MEMORY_LIMIT_BYTES_DEFAULT = 1024L * 1024 * 1024;

    /** Checks the ranges. */
    public DuckDbSettings {
        if (memoryLimitBytes < MEMORY_LIMIT_BYTES_MIN) {
            throw TidemarkException.of(
                            ErrorCode.INVALID_SETTING, "memory limit of " + memoryLimitBytes + " bytes is too low")
                    .hint("Give at least " + MEMORY_LIMIT_BYTES_MIN + " bytes.")
                    .build();
        }
        if (threads < 1 || threads > THREADS_MAX) {
            throw TidemarkException.of(ErrorCode.INVALID_SETTING, threads + " threads are out of range")
                    .hint("Give 1 to " + THREADS_MAX + " threads.")
                    .build();
        }
    }

    /** Limits of an engine that works on local tables only. */
    public DuckDbSettings(long memoryLimitBytes, int threads, Path temporaryDirectory) {
        this(memoryLimitBytes, threads, temporaryDirectory, RemoteFiles.NONE);
    }

    /** One gibibyte of memory and one thread per processor. */
    public static DuckDbSettings defaults(Path temporaryDirectory) {
        int processors = Runtime.getRuntime().availableProcessors();
        return new DuckDbSettings(
                MEMORY_LIMIT_BYTES_DEFAULT, Math.max(1, Math.min(THREADS_MAX, processors)), temporaryDirectory);
    }

    /** These settings with another memory limit. */
    public DuckDbSettings withMemoryLimitBytes(long bytes) {
        return new DuckDbSettings(bytes, threads, temporaryDirectory, remoteFiles);
    }

    /** These settings with another number of threads. */
    public DuckDbSettings withThreads(int count) {
        return new DuckDbSettings(memoryLimitBytes, count, temporaryDirectory, remoteFiles);
    }

    /** These settings for tables some of which do not lie on a local disk; the caller closes what it gives. */
    public DuckDbSettings withRemoteFiles(RemoteFiles files) {
        return new DuckDbSettings(memoryLimitBytes, threads, temporaryDirectory, files);
    }
}
