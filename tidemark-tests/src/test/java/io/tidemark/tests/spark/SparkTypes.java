package io.tidemark.tests.spark;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's types and values in Tidemark's terms. */
final class SparkTypes {
    private SparkTypes() {}

    static StructType schema(org.apache.spark.sql.types.StructType spark) {
        List<StructField> fields = new ArrayList<>();
        for (org.apache.spark.sql.types.StructField field : spark.fields()) {
            fields.add(StructField.of(field.name(), type(field.dataType())));
        }
        return new StructType(fields);
    }

    private static DataType type(org.apache.spark.sql.types.DataType spark) {
        if (spark instanceof org.apache.spark.sql.types.StructType struct) {
            return schema(struct);
        }
        if (spark instanceof org.apache.spark.sql.types.ArrayType array) {
            return new ArrayType(type(array.elementType()), true);
        }
        if (spark instanceof org.apache.spark.sql.types.MapType map) {
            return new MapType(type(map.keyType()), type(map.valueType()), true);
        }
        if (spark instanceof org.apache.spark.sql.types.DecimalType decimal) {
            return new DecimalType(decimal.precision(), decimal.scale());
        }
        String name = spark.simpleString();
        for (ScalarType scalar : ScalarType.values()) {
            if (scalar.sql().equalsIgnoreCase(name)) {
                return scalar;
            }
        }
        throw new IllegalArgumentException("no type of Tidemark is like Spark's " + name);
    }

    /** A value by the rule of {@code Engine.stream}; scalars are right already. */
    static @Nullable Object value(@Nullable Object spark) {
        if (spark instanceof Row row) {
            Map<String, @Nullable Object> struct = new LinkedHashMap<>();
            String[] names = row.schema().fieldNames();
            for (int i = 0; i < names.length; i++) {
                struct.put(names[i], value(row.get(i)));
            }
            return struct;
        }
        if (spark instanceof scala.collection.Seq<?> array) {
            List<@Nullable Object> list = new ArrayList<>();
            CollectionConverters.asJava(array).forEach(element -> list.add(value(element)));
            return list;
        }
        if (spark instanceof scala.collection.Map<?, ?> entries) {
            Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
            CollectionConverters.asJava(entries).forEach((key, value) -> map.put(value(key), value(value)));
            return map;
        }
        return spark;
    }
}
