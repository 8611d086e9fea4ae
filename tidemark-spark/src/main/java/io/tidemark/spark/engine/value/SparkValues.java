package io.tidemark.spark.engine.value;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** Values of Spark's rows and of {@code Engine.stream} in each other's terms. */
public final class SparkValues {
    private SparkValues() {}

    /** The values of a row by the rule of {@code Engine.stream}. */
    public static List<@Nullable Object> values(Row row) {
        List<@Nullable Object> values = new ArrayList<>(row.size());
        for (int i = 0; i < row.size(); i++) {
            values.add(value(row.get(i)));
        }
        return values;
    }

    /** A value by the rule of {@code Engine.stream}; scalars are right already. */
    public static @Nullable Object value(@Nullable Object spark) {
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

    /** A row of Spark of values by the rule of {@code Engine.stream}. */
    public static Row row(List<? extends @Nullable Object> values, StructType schema) {
        @Nullable Object[] row = new Object[schema.fields().size()];
        for (int i = 0; i < row.length; i++) {
            row[i] = spark(values.get(i), schema.fields().get(i).type());
        }
        return RowFactory.create(row);
    }

    private static @Nullable Object spark(@Nullable Object value, DataType type) {
        if (value == null) {
            return null;
        }
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> value;
            case STRUCT -> {
                List<@Nullable Object> fields = new ArrayList<>();
                for (StructField field : ((StructType) type).fields()) {
                    fields.add(((Map<?, ?>) value).get(field.name()));
                }
                yield row(fields, (StructType) type);
            }
            case ARRAY -> {
                List<@Nullable Object> elements = new ArrayList<>();
                for (Object element : (List<?>) value) {
                    elements.add(spark(element, ((ArrayType) type).element()));
                }
                yield CollectionConverters.asScala(elements).toSeq();
            }
            case MAP -> {
                Map<@Nullable Object, @Nullable Object> entries = new LinkedHashMap<>();
                MapType map = (MapType) type;
                ((Map<?, ?>) value)
                        .forEach((key, entry) -> entries.put(spark(key, map.key()), spark(entry, map.value())));
                yield CollectionConverters.asScala(entries);
            }
        };
    }
}
