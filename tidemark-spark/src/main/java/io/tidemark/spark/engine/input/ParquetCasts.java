package io.tidemark.spark.engine.input;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Casts values of files to declared types; unlike Spark's own casts, fields of structs are found by name. */
final class ParquetCasts {
    private ParquetCasts() {}

    /** The value as one of the other type; a value that it cannot hold fails the query. */
    static Column cast(Column value, DataType from, DataType to) {
        if (from.equals(to)) {
            return value;
        }
        if (from instanceof StructType source && to instanceof StructType target) {
            return struct(value, source, target);
        }
        if (from instanceof ArrayType source && to instanceof ArrayType target) {
            return functions.transform(value, element -> cast(element, source.elementType(), target.elementType()));
        }
        if (from instanceof MapType source && to instanceof MapType target) {
            return functions.map_from_arrays(
                    functions.transform(
                            functions.map_keys(value), key -> cast(key, source.keyType(), target.keyType())),
                    functions.transform(
                            functions.map_values(value), entry -> cast(entry, source.valueType(), target.valueType())));
        }
        return value.cast(to);
    }

    private static Column struct(Column value, StructType source, StructType target) {
        Column[] fields = new Column[target.length()];
        for (int i = 0; i < fields.length; i++) {
            StructField field = target.fields()[i];
            Column found = functions.lit(null).cast(field.dataType());
            for (StructField candidate : source.fields()) {
                if (candidate.name().equalsIgnoreCase(field.name())) {
                    found = cast(value.getField(candidate.name()), candidate.dataType(), field.dataType());
                    break;
                }
            }
            fields[i] = found.as(field.name());
        }
        return functions.when(value.isNotNull(), functions.struct(fields));
    }
}
