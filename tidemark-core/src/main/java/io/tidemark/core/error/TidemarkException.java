package io.tidemark.core.error;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one exception that Tidemark throws on purpose. Its text has three parts, after the habit of PostgreSQL: a short
 * primary message that says what is wrong, an optional detail in sentences, and an optional hint that says what to do.
 */
public final class TidemarkException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Not the suppressed ones, to which Java adds what fails while resources are closed. */
    private final ArrayList<TidemarkException> others = new ArrayList<>();

    private final ErrorCode code;
    private final String primary;
    private final @Nullable String detail;
    private final @Nullable String hint;
    private final @Nullable TextLocation location;

    private TidemarkException(Builder builder) {
        super(builder.code + ": " + builder.primary, builder.cause);
        this.code = builder.code;
        this.primary = builder.primary;
        this.detail = builder.detail;
        this.hint = builder.hint;
        this.location = builder.location;
    }

    /** Starts an error with its code and primary message (lower-case start, no full stop). */
    public static Builder of(ErrorCode code, String primary) {
        return new Builder(code, primary);
    }

    /**
     * Several errors as one: the first, which carries the others along.
     *
     * @param errors at least one
     */
    public static TidemarkException together(List<TidemarkException> errors) {
        TidemarkException first = errors.get(0);
        for (TidemarkException error : errors) {
            for (TidemarkException each : error.all()) {
                if (first.all().stream().noneMatch(known -> known == each)) {
                    first.others.add(each);
                }
            }
        }
        return first;
    }

    /** This error and those that it carries along, see {@link #together}. */
    public List<TidemarkException> all() {
        List<TidemarkException> all = new ArrayList<>();
        all.add(this);
        all.addAll(others);
        return all;
    }

    /** The stable code. */
    public ErrorCode code() {
        return code;
    }

    /** What is wrong, in one line. */
    public String primary() {
        return primary;
    }

    /** More facts in whole sentences, if any: table, version, a sample of rows. */
    public Optional<String> detail() {
        return Optional.ofNullable(detail);
    }

    /** What to do about it, if known. */
    public Optional<String> hint() {
        return Optional.ofNullable(hint);
    }

    /** Where in the user's text, if the error comes from one. */
    public Optional<TextLocation> location() {
        return Optional.ofNullable(location);
    }

    /** Returns this error with a place, unless it already has one. */
    public TidemarkException at(TextLocation place) {
        if (location != null || !place.isKnown()) {
            return this;
        }
        Builder builder = new Builder(code, primary).at(place).cause(this);
        builder.detail = detail;
        builder.hint = hint;
        TidemarkException placed = builder.build();
        placed.others.addAll(others);
        return placed;
    }

    /** Renders all parts over several lines, without a stack trace. */
    public String render() {
        StringBuilder text = new StringBuilder();
        if (location != null) {
            text.append(location).append(": ");
        }
        text.append("error ").append(code).append(": ").append(primary);
        if (detail != null) {
            text.append("\n  ").append(detail.replace("\n", "\n  "));
        }
        if (hint != null) {
            text.append("\n  hint: ").append(hint.replace("\n", "\n  "));
        }
        return text.toString();
    }

    /** Collects the parts of an error. */
    public static final class Builder {
        private final ErrorCode code;
        private final String primary;
        private @Nullable String detail;
        private @Nullable String hint;
        private @Nullable TextLocation location;
        private @Nullable Throwable cause;

        private Builder(ErrorCode code, String primary) {
            this.code = code;
            this.primary = primary;
        }

        /** Adds facts in whole sentences. */
        public Builder detail(String text) {
            this.detail = text;
            return this;
        }

        /** Adds what to do. */
        public Builder hint(String text) {
            this.hint = text;
            return this;
        }

        /** Adds the place in the user's text; a place that is not known is left out. */
        public Builder at(TextLocation place) {
            this.location = place.isKnown() ? place : null;
            return this;
        }

        /** Adds the cause. */
        public Builder cause(Throwable reason) {
            this.cause = reason;
            return this;
        }

        /** Makes the exception. */
        public TidemarkException build() {
            return new TidemarkException(this);
        }
    }
}
