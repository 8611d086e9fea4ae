package io.tidemark.duckdb.sql;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.duckdb.session.Spelling;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** One call of a function in a query, as a rule sees it. */
final class CallSite {
    private final String name;
    private final List<Typed> arguments;
    private final Suffix suffix;
    private final Positions positions;
    private final int offset;
    private final DecimalFunctions decimals;

    /**
     * What stands around the arguments of an aggregate or window function.
     *
     * @param distinct whether DISTINCT stands before them
     * @param ignoreNulls whether NULLs are left out
     * @param order an ORDER BY among them, or empty
     * @param filter the condition of FILTER, or empty
     * @param over the window in parentheses, or empty
     */
    record Suffix(boolean distinct, boolean ignoreNulls, String order, String filter, String over) {
        static final Suffix NONE = new Suffix(false, false, "", "", "");

        boolean isPlain() {
            return equals(NONE);
        }
    }

    CallSite(
            String name,
            List<Typed> arguments,
            Suffix suffix,
            Positions positions,
            int offset,
            DecimalFunctions decimals) {
        this.name = name;
        this.arguments = List.copyOf(arguments);
        this.suffix = suffix;
        this.positions = positions;
        this.offset = offset;
        this.decimals = decimals;
    }

    String name() {
        return name;
    }

    /** Whether the type of the first argument is known, is not that of a bare NULL, and fails the test. */
    boolean isOtherThan(Predicate<Typed> test) {
        Typed first = arguments.get(0);
        return first.isKnown() && !first.isVoid() && !test.test(first);
    }

    /** Whether the binder is still to be asked for a type. */
    boolean isPending() {
        return arguments.stream().anyMatch(Typed::pending);
    }

    /** An expression that holds all arguments, so that the binder is asked for them, and is NULL. */
    static String placeholder(List<Typed> values, String nothing) {
        return values.stream()
                .map(value -> value.sql() + " IS NULL")
                .collect(Collectors.joining(" OR ", "CASE WHEN ", " THEN " + nothing + " END"));
    }

    /** Stands for the call until the types of its arguments are known. */
    String placeholder() {
        return placeholder(arguments, "NULL");
    }

    /** This call with other arguments. */
    CallSite with(List<Typed> others) {
        return new CallSite(name, others, suffix, positions, offset, decimals);
    }

    /** This call with NULLs left out or not. */
    CallSite withIgnoreNulls(boolean ignore) {
        Suffix other = new Suffix(suffix.distinct(), ignore, suffix.order(), suffix.filter(), suffix.over());
        return new CallSite(name, arguments, other, positions, offset, decimals);
    }

    Suffix suffix() {
        return suffix;
    }

    DecimalFunctions decimals() {
        return decimals;
    }

    Arithmetic arithmetic() {
        return new Arithmetic(decimals, positions);
    }

    int offset() {
        return offset;
    }

    /** The type of an argument that the binder was asked for. */
    DataType knownType(int index) {
        DataType type = arguments.get(index).type();
        return type == null ? ScalarType.VOID : type;
    }

    int count() {
        return arguments.size();
    }

    Typed argument(int index) {
        return arguments.get(index);
    }

    List<Typed> arguments() {
        return arguments;
    }

    String sql(int index) {
        return arguments.get(index).sql();
    }

    /** A call of an aggregate or window function with this site's DISTINCT, FILTER and OVER. */
    String aggregate(String function, List<String> values, Optional<String> condition) {
        StringBuilder call = new StringBuilder(function).append("(");
        call.append(suffix.distinct() ? "DISTINCT " : "").append(String.join(", ", values));
        call.append(suffix.ignoreNulls() ? " IGNORE NULLS" : "");
        call.append(suffix.order().isEmpty() ? "" : " ORDER BY " + suffix.order())
                .append(")");
        List<String> conditions = new ArrayList<>();
        condition.ifPresent(conditions::add);
        if (!suffix.filter().isEmpty()) {
            conditions.add(suffix.filter());
        }
        if (!conditions.isEmpty()) {
            call.append(" FILTER (WHERE ")
                    .append(String.join(" AND ", conditions))
                    .append(")");
        }
        return call.append(suffix.over().isEmpty() ? "" : " OVER " + suffix.over())
                .toString();
    }

    /** An argument cast to a type by Spark's implicit rules. */
    String coerced(int index, DataType to) {
        Typed value = arguments.get(index);
        DataType from = value.type();
        if (from == null || from.equals(to)) {
            return value.sql();
        }
        boolean allowed = from == ScalarType.VOID
                || to == ScalarType.STRING
                || from == ScalarType.STRING
                || (Typed.isNumeric(from) && Typed.isNumeric(to))
                || (Typed.isTime(from) && Typed.isTime(to))
                || from instanceof ArrayType;
        String literal = value.isString() ? value.literal() : null;
        return Optional.of(allowed)
                .filter(yes -> yes)
                .flatMap(yes -> literal == null
                        ? Casts.write(value.sql(), from, to, Casts.Mode.STRICT)
                        : Casts.writeLiteral(literal, value.sql(), to, Casts.Mode.STRICT))
                .orElseThrow(() -> wrongType(index, from));
    }

    TidemarkException wrongType(int index, DataType found) {
        return positions
                .error(
                        ErrorCode.QUERY_INVALID,
                        "argument " + (index + 1) + " of " + name + " cannot be of type " + found.sql(),
                        offset)
                .build();
    }

    TidemarkException unsupported(String why) {
        return positions
                .error(ErrorCode.UNSUPPORTED_FEATURE, name + ": " + why, offset)
                .build();
    }

    TidemarkException invalid(String why) {
        return positions
                .error(ErrorCode.QUERY_INVALID, name + ": " + why, offset)
                .build();
    }

    /** The text of an argument that must be a string literal. */
    String literal(int index) {
        Typed value = arguments.get(index);
        String text = value.literal();
        if (text == null || !value.isString()) {
            throw unsupported("argument " + (index + 1) + " must be a string literal");
        }
        return text;
    }

    /** All arguments cast to their common type. */
    List<String> unified() {
        return unified(arguments);
    }

    /** Expressions cast to their common type. */
    List<String> unified(List<Typed> values) {
        DataType common = ScalarType.VOID;
        for (Typed value : values) {
            DataType type = value.type();
            if (type == null) {
                return values.stream().map(Typed::sql).toList();
            }
            DataType before = common;
            common = WideTypes.common(common, type)
                    .orElseThrow(
                            () -> invalid("the types " + before.sql() + " and " + type.sql() + " do not fit together"));
        }
        List<String> casts = new ArrayList<>();
        for (Typed value : values) {
            DataType type = value.type();
            boolean same = common.equals(type) || common == ScalarType.VOID;
            casts.add(same ? value.sql() : "CAST(" + value.sql() + " AS " + Spelling.type(common) + ")");
        }
        return casts;
    }
}
