package io.tidemark.tests.faults;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Counts the operations of a run and lets some of them fail. One plan serves one run. */
final class FaultPlan {
    /** What an operation does. */
    enum Kind {
        /** It only reads, so that failing after it is the same as failing before it. */
        READ,
        /** It changes something at once. */
        CHANGE,
        /** It changes something in steps, so that half of it may be done. */
        WRITE
    }

    /** How an operation fails. */
    enum Mode {
        /** Nothing is done. */
        BEFORE,
        /** All is done, but the caller sees a failure. */
        AFTER,
        /** Half is done. */
        TORN;

        boolean suits(Kind kind) {
            return this == BEFORE || kind == Kind.WRITE || (this == AFTER && kind == Kind.CHANGE);
        }
    }

    /**
     * An operation of the run.
     *
     * @param kind what it does
     * @param name its name and the last part of the path that it works on
     */
    record Operation(Kind kind, String name) {}

    private final int first;
    private final int last;
    private final Mode mode;
    private final List<Operation> operations = new ArrayList<>();
    private int failures;

    private FaultPlan(int first, int last, Mode mode) {
        this.first = first;
        this.last = last;
        this.mode = mode;
    }

    /** Lets operations fail, numbered from 0; all later ones too if {@code count} is the greatest integer. */
    static FaultPlan failing(int first, int count, Mode mode) {
        return new FaultPlan(first, count == Integer.MAX_VALUE ? count : first + count - 1, mode);
    }

    /** Lets nothing fail. */
    static FaultPlan none() {
        return new FaultPlan(Integer.MAX_VALUE, Integer.MAX_VALUE, Mode.BEFORE);
    }

    /** The operations so far. */
    synchronized List<Operation> operations() {
        return List.copyOf(operations);
    }

    /** How many of them failed. */
    synchronized int failures() {
        return failures;
    }

    /** Runs an operation of which nothing can be half done. */
    <T> T run(Kind kind, String name, Supplier<T> work) {
        return run(kind, name, work, () -> {});
    }

    /** Runs an operation, or fails it as planned. */
    <T> T run(Kind kind, String name, Supplier<T> work, Runnable half) {
        Mode wanted = next(kind, name);
        if (wanted == null) {
            return work.get();
        }
        if (wanted == Mode.AFTER) {
            T unused = work.get();
        } else if (wanted == Mode.TORN) {
            half.run();
        }
        throw TidemarkException.of(ErrorCode.IO_FAILED, "injected failure " + wanted + ": " + name)
                .build();
    }

    private synchronized @Nullable Mode next(Kind kind, String name) {
        int number = operations.size();
        operations.add(new Operation(kind, name));
        if (number < first || number > last) {
            return null;
        }
        failures++;
        return mode.suits(kind) ? mode : Mode.BEFORE;
    }
}
