package io.tidemark.core.engine;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.StructType;
import java.util.List;
import java.util.Optional;

/**
 * What engines spell differently. Plans of {@code tidemark-core} are written in the SQL that all engines share
 * (window functions, {@code FILTER}, {@code IS DISTINCT FROM}, {@code CASE}, {@code NULLS FIRST} always written) and
 * ask a dialect for the rest.
 */
public interface Dialect {
    /** Quotes a name. */
    String name(String identifier);

    /** A relation of the engine, where possible in a spelling that no name which a query defines itself (WITH) hides. */
    default String relation(String relation) {
        return name(relation);
    }

    /** A string literal. */
    String string(String value);

    /** The engine's spelling of a type, for casts. */
    String type(DataType type);

    /** A constructor of a non-NULL struct value. */
    String struct(List<String> names, List<String> expressions);

    /** The field of a struct-typed expression; NULL for a NULL struct. */
    String field(String expression, String name);

    /**
     * The last non-NULL value in a window.
     *
     * @param expression the value
     * @param window what stands between the parentheses of OVER, frame included
     */
    String lastNonNull(String expression, String window);

    /** Whether an ARRAY&lt;STRING&gt; expression holds a string (given as a plain value), without regard to case; NULL if the array is NULL. */
    String containsIgnoreCase(String array, String value);

    /** A boolean: whether an ARRAY&lt;STRING&gt; expression holds a NULL element or one outside the given names. */
    String hasElementOutside(String array, List<String> names);

    /**
     * An expression that can be compared and grouped in place of the given one: the expression itself, or a normal form
     * where the engine cannot compare the type (maps).
     */
    String comparable(String expression, DataType type);

    /**
     * A number that is equal for lists of values of which none is distinct from the other; different lists may share it.
     *
     * @param expressions at least one, in {@link #comparable} form
     */
    String hash(List<String> expressions);

    /**
     * A BIGINT that orders and equals as the given expression does, NULL for NULL; empty if there is none for its type.
     *
     * @param expression a value that orders as sequences do
     */
    default Optional<String> orderNumber(String expression, DataType type) {
        return Optional.empty();
    }

    /** The value of a type whose {@link #orderNumber} a BIGINT expression is; NULL for NULL. */
    default String ofOrderNumber(String number, DataType type) {
        throw new IllegalArgumentException("no numbers stand for values of type " + type);
    }

    /** A NULL of a type. */
    default String nullOf(DataType type) {
        return "CAST(NULL AS " + type(type) + ")";
    }

    /** A SELECT without rows and with the given columns. */
    default String emptySelect(StructType columns) {
        StringBuilder select = new StringBuilder("SELECT ");
        for (int i = 0; i < columns.fields().size(); i++) {
            var field = columns.fields().get(i);
            select.append(i == 0 ? "" : ", ")
                    .append(nullOf(field.type()))
                    .append(" AS ")
                    .append(name(field.name()));
        }
        return select.append(" WHERE 1 = 0").toString();
    }
}
