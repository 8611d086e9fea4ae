package io.tidemark.duckdb.session;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructType;
import java.util.List;
import java.util.stream.Collectors;

/** How names, literals and types are written in DuckDB's SQL. */
public final class Spelling {
    private Spelling() {}

    /** A quoted name. */
    public static String name(String identifier) {
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }

    /** A string literal. */
    public static String string(String value) {
        return "'" + value.replace("'", "''") + "'";
    }

    /** A list of string literals in brackets. */
    public static String strings(List<String> values) {
        return values.stream().map(Spelling::string).collect(Collectors.joining(", ", "[", "]"));
    }

    /** A type. */
    public static String type(DataType type) {
        return switch (type.kind()) {
            case SCALAR -> scalar((ScalarType) type);
            case DECIMAL -> {
                DecimalType decimal = (DecimalType) type;
                yield "DECIMAL(" + decimal.precision() + "," + decimal.scale() + ")";
            }
            case ARRAY -> type(((ArrayType) type).element()) + "[]";
            case MAP -> {
                MapType map = (MapType) type;
                yield "MAP(" + type(map.key()) + ", " + type(map.value()) + ")";
            }
            case STRUCT ->
                ((StructType) type)
                        .fields().stream()
                                .map(field -> name(field.name()) + " " + type(field.type()))
                                .collect(Collectors.joining(", ", "STRUCT(", ")"));
        };
    }

    private static String scalar(ScalarType type) {
        return switch (type) {
            case BOOLEAN -> "BOOLEAN";
            case BYTE -> "TINYINT";
            case SHORT -> "SMALLINT";
            case INTEGER -> "INTEGER";
            case LONG -> "BIGINT";
            case FLOAT -> "FLOAT";
            case DOUBLE -> "DOUBLE";
            case STRING -> "VARCHAR";
            case BINARY -> "BLOB";
            case DATE -> "DATE";
            case TIMESTAMP -> "TIMESTAMPTZ";
            case TIMESTAMP_NTZ -> "TIMESTAMP";
            case VARIANT -> "VARIANT";
            case VOID -> "\"NULL\"";
        };
    }
}
