package io.tidemark.core.change;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;

/**
 * The leaves of a sequence. Engines order structs differently where fields are NULL, so plans compare a STRUCT sequence
 * leaf by leaf and put it together again only in the target's columns.
 *
 * @param type the type of the sequence
 */
record SequenceShape(DataType type) {
    /** Types of the leaves in order of comparison. */
    List<DataType> leafTypes() {
        List<DataType> leaves = new ArrayList<>();
        collect(type, leaves);
        return leaves;
    }

    /** How many leaves there are. */
    int leafCount() {
        return leafTypes().size();
    }

    /** Expressions of the leaves of a value of this type. */
    List<String> split(String expression, Dialect dialect) {
        List<String> leaves = new ArrayList<>();
        split(type, expression, dialect, leaves);
        return leaves;
    }

    /** The value put together from its leaves; NULL if all leaves are NULL. */
    String join(List<String> leaves, Dialect dialect) {
        if (!(type instanceof StructType)) {
            return leaves.get(0);
        }
        String value = join(type, leaves, 0, dialect);
        return "CASE WHEN " + Sql.allNull(leaves) + " THEN NULL ELSE " + value + " END";
    }

    private static void collect(DataType type, List<DataType> leaves) {
        if (type instanceof StructType struct) {
            struct.fields().forEach(field -> collect(field.type(), leaves));
        } else {
            leaves.add(type);
        }
    }

    private static void split(DataType type, String expression, Dialect dialect, List<String> leaves) {
        if (type instanceof StructType struct) {
            struct.fields()
                    .forEach(field -> split(field.type(), dialect.field(expression, field.name()), dialect, leaves));
        } else {
            leaves.add(expression);
        }
    }

    private static String join(DataType type, List<String> leaves, int from, Dialect dialect) {
        if (!(type instanceof StructType struct)) {
            return leaves.get(from);
        }
        List<String> names = new ArrayList<>();
        List<String> values = new ArrayList<>();
        int next = from;
        for (StructField field : struct.fields()) {
            names.add(field.name());
            values.add(join(field.type(), leaves, next, dialect));
            next += new SequenceShape(field.type()).leafCount();
        }
        return dialect.struct(names, values);
    }
}
