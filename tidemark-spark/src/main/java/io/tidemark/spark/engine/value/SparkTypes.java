package io.tidemark.spark.engine.value;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;

/** Types of Spark and of Tidemark in each other's terms. */
public final class SparkTypes {
    private SparkTypes() {}

    /**
     * The columns of a relation of Spark.
     *
     * @throws TidemarkException {@code UNSUPPORTED_FEATURE} for types that tables cannot have, such as intervals
     */
    public static StructType schema(org.apache.spark.sql.types.StructType spark) {
        List<StructField> fields = new ArrayList<>();
        for (org.apache.spark.sql.types.StructField field : spark.fields()) {
            fields.add(StructField.of(field.name(), type(field.dataType(), field.name())));
        }
        return new StructType(fields);
    }

    private static DataType type(org.apache.spark.sql.types.DataType spark, String column) {
        if (spark instanceof org.apache.spark.sql.types.StructType struct) {
            return schema(struct);
        }
        if (spark instanceof org.apache.spark.sql.types.ArrayType array) {
            return new ArrayType(type(array.elementType(), column), true);
        }
        if (spark instanceof org.apache.spark.sql.types.MapType map) {
            return new MapType(type(map.keyType(), column), type(map.valueType(), column), true);
        }
        if (spark instanceof org.apache.spark.sql.types.DecimalType decimal) {
            return new DecimalType(decimal.precision(), decimal.scale());
        }
        String name = spark instanceof org.apache.spark.sql.types.StringType ? "string" : spark.simpleString();
        for (ScalarType scalar : ScalarType.values()) {
            if (scalar.sql().equalsIgnoreCase(name)) {
                return scalar;
            }
        }
        throw TidemarkException.of(
                        ErrorCode.UNSUPPORTED_FEATURE,
                        "column " + column + " is of type " + spark.sql() + ", which is not supported")
                .hint("Cast the value to another type of Spark SQL, for example to STRING.")
                .build();
    }

    /** A schema as Spark has it; every column may be NULL. */
    public static org.apache.spark.sql.types.StructType spark(StructType schema) {
        org.apache.spark.sql.types.StructType fields = new org.apache.spark.sql.types.StructType();
        for (StructField field : schema.fields()) {
            fields = fields.add(field.name(), spark(field.type()), true, Metadata.empty());
        }
        return fields;
    }

    /** A type as Spark has it; every part may be NULL. */
    public static org.apache.spark.sql.types.DataType spark(DataType type) {
        return switch (type.kind()) {
            case STRUCT -> spark((StructType) type);
            case ARRAY -> DataTypes.createArrayType(spark(((ArrayType) type).element()), true);
            case MAP -> DataTypes.createMapType(spark(((MapType) type).key()), spark(((MapType) type).value()), true);
            case DECIMAL -> DataTypes.createDecimalType(((DecimalType) type).precision(), ((DecimalType) type).scale());
            case SCALAR -> scalar((ScalarType) type);
        };
    }

    private static org.apache.spark.sql.types.DataType scalar(ScalarType type) {
        return switch (type) {
            case BOOLEAN -> DataTypes.BooleanType;
            case BYTE -> DataTypes.ByteType;
            case SHORT -> DataTypes.ShortType;
            case INTEGER -> DataTypes.IntegerType;
            case LONG -> DataTypes.LongType;
            case FLOAT -> DataTypes.FloatType;
            case DOUBLE -> DataTypes.DoubleType;
            case STRING -> DataTypes.StringType;
            case BINARY -> DataTypes.BinaryType;
            case DATE -> DataTypes.DateType;
            case TIMESTAMP -> DataTypes.TimestampType;
            case TIMESTAMP_NTZ -> DataTypes.TimestampNTZType;
            case VARIANT -> DataTypes.VariantType;
            case VOID -> DataTypes.NullType;
        };
    }
}
