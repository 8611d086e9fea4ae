package io.tidemark.delta;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.delta.log.SchemaJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Wider types for columns that have rows: which there are, and how the log notes them. */
public final class WiderTypes {
    /** The property of tables whose columns may become wider. */
    public static final String ENABLED = "delta.enableTypeWidening";

    private static final String CHANGES = "delta.typeChanges";
    private static final List<DataType> INTEGERS =
            List.of(ScalarType.BYTE, ScalarType.SHORT, ScalarType.INTEGER, ScalarType.LONG);
    private static final int INTEGER_DIGITS = 10;
    private static final int LONG_DIGITS = 20;

    private WiderTypes() {}

    /** Whether a column of one type may become another without its files being written anew. */
    public static boolean isWider(DataType from, DataType to) {
        int integer = INTEGERS.indexOf(from);
        if (integer >= 0 && INTEGERS.contains(to)) {
            return integer <= INTEGERS.indexOf(to);
        }
        if (integer >= 0 && to instanceof DecimalType decimal) {
            return decimal.precision() - decimal.scale() >= digits(from);
        }
        if (from instanceof DecimalType narrow && to instanceof DecimalType wide) {
            return wide.scale() >= narrow.scale()
                    && wide.precision() - wide.scale() >= narrow.precision() - narrow.scale();
        }
        boolean floating = (integer >= 0 && from != ScalarType.LONG) || from == ScalarType.FLOAT;
        return (floating && to == ScalarType.DOUBLE) || (from == ScalarType.DATE && to == ScalarType.TIMESTAMP_NTZ);
    }

    /** How many digits a decimal needs before its point to be wider than an integer type. */
    public static int digits(DataType integer) {
        return integer == ScalarType.LONG ? LONG_DIGITS : INTEGER_DIGITS;
    }

    /** The field with its wider type, and with the change noted for readers of old files. */
    public static StructField widened(StructField field, DataType type) {
        List<Object> changes = new ArrayList<>();
        if (field.metadata().get(CHANGES) instanceof List<?> known) {
            changes.addAll(known);
        }
        changes.add(Map.of("fromType", SchemaJson.typeName(field.type()), "toType", SchemaJson.typeName(type)));
        Map<String, Object> metadata = new LinkedHashMap<>(field.metadata());
        metadata.put(CHANGES, changes);
        return new StructField(field.name(), type, field.nullable(), metadata);
    }
}
