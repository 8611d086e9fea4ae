package io.tidemark.compile.work;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.List;

/**
 * A group that could not be handled.
 *
 * @param key the value of the group's first column
 * @param cause what was thrown
 */
record GroupFailure(String key, Throwable cause) {
    private static final int LISTED_MAX = 10;

    /** The failures as one error: the first one's, with the others listed in its detail and carried along. */
    static TidemarkException together(String what, List<GroupFailure> failures, boolean wereMore) {
        List<TidemarkException> errors = new ArrayList<>();
        for (int i = 0; i < failures.size(); i++) {
            errors.add(failures.get(i).error(what, i == 0 ? others(failures, wereMore) : ""));
        }
        return TidemarkException.together(errors);
    }

    private static String others(List<GroupFailure> failures, boolean wereMore) {
        StringBuilder text = new StringBuilder();
        for (GroupFailure other : failures.subList(1, Math.min(failures.size(), LISTED_MAX + 1))) {
            text.append("\nAlso ")
                    .append(other.key)
                    .append(": ")
                    .append(message(other.cause))
                    .append('.');
        }
        if (wereMore || failures.size() > LISTED_MAX + 1) {
            text.append("\nMore partitions failed.");
        }
        return text.toString();
    }

    private static String message(Throwable cause) {
        if (cause instanceof TidemarkException error) {
            return error.code() + ", " + error.primary();
        }
        return cause.getMessage() == null ? cause.getClass().getName() : cause.getMessage();
    }

    private TidemarkException error(String what, String others) {
        boolean known = cause instanceof TidemarkException;
        TidemarkException.Builder error = TidemarkException.of(
                        known ? ((TidemarkException) cause).code() : ErrorCode.COMPILE_FAILED,
                        what + " failed for " + key + ": "
                                + (cause instanceof TidemarkException inner ? inner.primary() : message(cause)))
                .cause(cause);
        String detail = cause instanceof TidemarkException inner
                ? inner.detail().orElse("")
                : "It threw " + cause.getClass().getName() + ".";
        String all = (detail + others).strip();
        if (!all.isEmpty()) {
            error.detail(all);
        }
        if (cause instanceof TidemarkException inner) {
            inner.hint().ifPresent(error::hint);
        }
        return error.build();
    }
}
