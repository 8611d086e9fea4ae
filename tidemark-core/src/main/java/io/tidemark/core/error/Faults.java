package io.tidemark.core.error;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Collects the errors of several checks, so that one run tells a user of all of them. */
public final class Faults {
    private final List<TidemarkException> faults = new ArrayList<>();

    /** Runs a check and keeps its errors. */
    public void check(Runnable check) {
        find(() -> {
            check.run();
            return Boolean.TRUE;
        });
    }

    /** The result of a check, or nothing if it failed. */
    public <T> Optional<T> find(Supplier<T> check) {
        try {
            return Optional.of(check.get());
        } catch (TidemarkException e) {
            add(e);
            return Optional.empty();
        }
    }

    /** Adds an error. */
    public void add(TidemarkException fault) {
        for (TidemarkException each : fault.all()) {
            if (faults.stream().noneMatch(known -> known == each)) {
                faults.add(each);
            }
        }
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return faults.isEmpty();
    }

    /** All errors so far. */
    public List<TidemarkException> list() {
        return List.copyOf(faults);
    }

    /** Throws all errors together if there are any. */
    public void throwAny() {
        if (!faults.isEmpty()) {
            throw TidemarkException.together(faults);
        }
    }
}
