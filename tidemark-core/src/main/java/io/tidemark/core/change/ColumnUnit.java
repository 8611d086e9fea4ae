package io.tidemark.core.change;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;

/**
 * The smallest part of a row that an event can author or leave alone: a column, or with IGNORE NULL UPDATES a leaf of a
 * struct column, or the fact that a struct is there at all.
 *
 * @param column index among the value columns
 * @param path field names from the column down to the part; empty for a whole column
 * @param presence whether this is the fact that the struct at {@code path} is there
 * @param type type of the part's value; BOOLEAN for a presence
 */
record ColumnUnit(int column, List<String> path, boolean presence, DataType type) {
    /** The units of a column that is authored or left alone as a whole. */
    static List<ColumnUnit> whole(int column, DataType type) {
        return List.of(new ColumnUnit(column, List.of(), false, type));
    }

    /** The units of a column under IGNORE NULL UPDATES: structs per field, recursively. */
    static List<ColumnUnit> nested(int column, DataType type) {
        List<ColumnUnit> units = new ArrayList<>();
        collect(column, List.of(), type, units);
        return units;
    }

    private static void collect(int column, List<String> path, DataType type, List<ColumnUnit> units) {
        if (!(type instanceof StructType struct)) {
            units.add(new ColumnUnit(column, path, false, type));
            return;
        }
        units.add(new ColumnUnit(column, path, true, ScalarType.BOOLEAN));
        for (StructField field : struct.fields()) {
            List<String> longer = new ArrayList<>(path);
            longer.add(field.name());
            collect(column, longer, field.type(), units);
        }
    }

    /** The part's value in a row whose column is the given expression. */
    String extract(String columnExpression, Dialect dialect) {
        String value = columnExpression;
        for (String field : path) {
            value = dialect.field(value, field);
        }
        return presence ? "(" + value + " IS NOT NULL)" : value;
    }

    /** Whether an event whose column is the given expression authors the part by not being NULL. */
    String isAuthoredByValue(String columnExpression, Dialect dialect) {
        String value = columnExpression;
        for (String field : path) {
            value = dialect.field(value, field);
        }
        return "(" + value + " IS NOT NULL)";
    }

    /** Name of the part in state files, for example {@code address.city}. */
    String label(String columnName) {
        List<String> parts = new ArrayList<>();
        parts.add(columnName);
        parts.addAll(path);
        return String.join(".", parts) + (presence ? "?" : "");
    }

    /** Puts a column together from the values of its units, in the order of {@link #nested}. */
    static String rebuild(DataType type, List<String> values, Dialect dialect) {
        return rebuild(type, values, new int[] {0}, dialect);
    }

    private static String rebuild(DataType type, List<String> values, int[] next, Dialect dialect) {
        String value = values.get(next[0]++);
        if (!(type instanceof StructType struct) || values.size() == 1) {
            return value;
        }
        List<String> names = new ArrayList<>();
        List<String> parts = new ArrayList<>();
        for (StructField field : struct.fields()) {
            names.add(field.name());
            parts.add(rebuild(field.type(), values, next, dialect));
        }
        return "CASE WHEN " + value + " THEN " + dialect.struct(names, parts) + " END";
    }
}
