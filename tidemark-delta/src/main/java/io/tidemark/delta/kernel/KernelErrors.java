package io.tidemark.delta.kernel;

import io.delta.kernel.exceptions.KernelException;
import io.delta.kernel.exceptions.TableNotFoundException;
import io.delta.kernel.exceptions.UnsupportedProtocolVersionException;
import io.delta.kernel.exceptions.UnsupportedTableFeatureException;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.FileNotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Turns what Kernel throws into errors of the product. */
final class KernelErrors {
    private static final int CAUSES_MAX = 20;

    private KernelErrors() {}

    /** Runs a piece of work of Kernel. */
    static <T> T translating(String table, String what, Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            throw translate(table, what, e);
        }
    }

    static TidemarkException translate(String table, String what, RuntimeException e) {
        List<Throwable> causes = causes(e);
        Optional<TidemarkException> own = first(causes, TidemarkException.class);
        if (own.isPresent()) {
            return own.get();
        }
        Optional<LogFileException> broken = first(causes, LogFileException.class);
        if (broken.isPresent()) {
            return corrupt(table, what, "the file " + broken.get().path(), sentence(broken.get()), e);
        }
        Optional<FileNotFoundException> missing = first(causes, FileNotFoundException.class);
        if (e instanceof TableNotFoundException) {
            return TidemarkException.of(ErrorCode.TABLE_NOT_FOUND, "there is no Delta table at " + table)
                    .cause(e)
                    .build();
        }
        if (missing.isPresent()) {
            return corrupt(table, what, "the file " + sentence(missing.get()), "it does not exist", e);
        }
        if (e instanceof UnsupportedProtocolVersionException
                || e instanceof UnsupportedTableFeatureException
                || isCatalogManaged(e)) {
            return TidemarkException.of(ErrorCode.TABLE_FEATURE_UNSUPPORTED, "table " + table + " cannot be read")
                    .detail(sentence(e))
                    .cause(e)
                    .build();
        }
        return corrupt(table, what, "the log", sentence(e), e);
    }

    /** Whether Kernel says that a version is not there, as opposed to one that is broken. */
    static boolean saysVersionMissing(RuntimeException e) {
        return e.getClass() == KernelException.class
                && e.getMessage() != null
                && e.getMessage().contains("version");
    }

    static String sentence(Throwable e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private static TidemarkException corrupt(String table, String what, String place, String reason, Exception e) {
        return TidemarkException.of(
                        ErrorCode.LOG_CORRUPT, "the log of table " + table + " is broken: " + place + ": " + reason)
                .detail("It happened at " + what + ". Nothing was read from the broken log.")
                .hint("Restore the file from a backup; no rows are returned until then.")
                .cause(e)
                .build();
    }

    private static boolean isCatalogManaged(RuntimeException e) {
        return e.getMessage() != null && e.getMessage().contains("catalogManaged");
    }

    private static List<Throwable> causes(Throwable e) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable cause = e; cause != null && causes.size() < CAUSES_MAX; cause = cause.getCause()) {
            causes.add(cause);
        }
        return causes;
    }

    private static <T> Optional<T> first(List<Throwable> causes, Class<T> type) {
        return causes.stream().filter(type::isInstance).map(type::cast).findFirst();
    }
}
