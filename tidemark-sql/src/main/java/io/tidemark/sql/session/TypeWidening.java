package io.tidemark.sql.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.SchemaJson;
import io.tidemark.sql.parse.TableChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Wider types for columns that have rows: which there are, and how the log notes them. */
final class TypeWidening {
    private static final String ENABLED = "delta.enableTypeWidening";
    private static final String CHANGES = "delta.typeChanges";
    private static final List<DataType> INTEGERS =
            List.of(ScalarType.BYTE, ScalarType.SHORT, ScalarType.INTEGER, ScalarType.LONG);
    private static final int INTEGER_DIGITS = 10;
    private static final int LONG_DIGITS = 20;

    private TypeWidening() {}

    /** Refuses changes of type that old files do not allow. */
    static void check(Snapshot table, StructField field, TableChange.ColumnType change) {
        if (!isWider(field.type(), change.type())) {
            throw TidemarkException.of(
                            ErrorCode.SCHEMA_MISMATCH,
                            "column " + field.name() + " of type "
                                    + field.type().sql() + " cannot become "
                                    + change.type().sql())
                    .at(change.column().location())
                    .hint("types can only become wider: TINYINT, SMALLINT, INT, BIGINT, DECIMAL; FLOAT to DOUBLE;"
                            + " DATE to TIMESTAMP_NTZ")
                    .build();
        }
        if (!Boolean.parseBoolean(table.properties().getOrDefault(ENABLED, "false"))) {
            throw TidemarkException.of(
                            ErrorCode.TABLE_FEATURE_UNSUPPORTED, "the table does not allow wider types of its columns")
                    .at(change.column().location())
                    .hint("ALTER TABLE ... SET TBLPROPERTIES ('" + ENABLED + "' = 'true')")
                    .build();
        }
    }

    private static boolean isWider(DataType from, DataType to) {
        int integer = INTEGERS.indexOf(from);
        if (integer >= 0 && INTEGERS.contains(to)) {
            return integer <= INTEGERS.indexOf(to);
        }
        if (integer >= 0 && to instanceof DecimalType decimal) {
            int digits = from == ScalarType.LONG ? LONG_DIGITS : INTEGER_DIGITS;
            return decimal.precision() - decimal.scale() >= digits;
        }
        if (from instanceof DecimalType narrow && to instanceof DecimalType wide) {
            return wide.scale() >= narrow.scale()
                    && wide.precision() - wide.scale() >= narrow.precision() - narrow.scale();
        }
        boolean floating = (integer >= 0 && from != ScalarType.LONG) || from == ScalarType.FLOAT;
        return (floating && to == ScalarType.DOUBLE) || (from == ScalarType.DATE && to == ScalarType.TIMESTAMP_NTZ);
    }

    /** The field with its wider type, and with the change noted for readers of old files. */
    static StructField widened(StructField field, DataType type) {
        List<Object> changes = new ArrayList<>();
        if (field.metadata().get(CHANGES) instanceof List<?> known) {
            changes.addAll(known);
        }
        changes.add(Map.of("fromType", SchemaJson.typeName(field.type()), "toType", SchemaJson.typeName(type)));
        return TableAlterer.withMetadata(
                new StructField(field.name(), type, field.nullable(), field.metadata()), CHANGES, changes);
    }
}
