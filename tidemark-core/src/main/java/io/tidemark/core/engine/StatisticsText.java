package io.tidemark.core.engine;

import java.util.Optional;

/** Bounds of texts as Delta's statistics spell them. */
public final class StatisticsText {
    private static final int CHARACTERS_MAX = 32;
    private static final int ASCII_MAX = 0x7F;

    private StatisticsText() {}

    /**
     * A bound of at most 32 characters, or one more. A prefix is a lower bound; an upper bound needs a last character that
     * is above the one that was cut off.
     *
     * @param text the exact bound
     * @param upper whether it is an upper one
     * @return nothing if no bound is that short
     */
    public static Optional<Object> bound(String text, boolean upper) {
        if (text.codePointCount(0, text.length()) <= CHARACTERS_MAX) {
            return Optional.of(text);
        }
        int end = text.offsetByCodePoints(0, CHARACTERS_MAX);
        String prefix = text.substring(0, end);
        if (!upper) {
            return Optional.of(prefix);
        }
        int next = text.codePointAt(end);
        if (next < ASCII_MAX) {
            return Optional.of(prefix + (char) ASCII_MAX);
        }
        return next < Character.MAX_CODE_POINT
                ? Optional.of(prefix + Character.toString(Character.MAX_CODE_POINT))
                : Optional.empty();
    }
}
