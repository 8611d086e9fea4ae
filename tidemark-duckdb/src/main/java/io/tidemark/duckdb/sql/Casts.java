package io.tidemark.duckdb.sql;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.session.Spelling;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Writes casts with the meaning that they have in Spark's ANSI mode: numbers are cut towards zero and checked, texts
 * must be complete and well formed, structs are cast by position.
 */
final class Casts {
    private static final int DATE_LENGTH = 10;
    private static final String TIME = "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,6})?";
    private static final Pattern USUAL_INTEGER = Pattern.compile("-?\\d{1,18}");
    private static final Pattern USUAL_NUMBER = Pattern.compile("-?\\d{1,18}(\\.\\d{1,18})?");
    private static final Pattern USUAL_DATE = Pattern.compile("\\d{4}-\\d\\d-\\d\\d");
    private static final Pattern USUAL_LOCAL_TIMESTAMP = Pattern.compile(USUAL_DATE + "[ T]" + TIME);
    private static final Pattern USUAL_TIMESTAMP =
            Pattern.compile(USUAL_DATE + "([ T]" + TIME + "(Z|[+-]\\d\\d:\\d\\d)?)?");

    private Casts() {}

    /** How a cast treats values that do not fit. */
    enum Mode {
        STRICT(""),
        TRY("try_");

        private final String prefix;

        Mode(String prefix) {
            this.prefix = prefix;
        }
    }

    /** An expression that casts, or nothing if Spark forbids the cast or the engine cannot do it alike. */
    static Optional<String> write(String expression, DataType from, DataType to, Mode mode) {
        if (from.equals(to)) {
            return Optional.of(expression);
        }
        if (from == ScalarType.VOID) {
            return Optional.of(plain(expression, to, mode));
        }
        return switch (to.kind()) {
            case DECIMAL -> toDecimal(expression, from, to, mode);
            case SCALAR -> toScalar(expression, from, (ScalarType) to, mode);
            case ARRAY ->
                from instanceof ArrayType array
                        ? write("e", array.element(), ((ArrayType) to).element(), mode)
                                .map(cast -> "list_transform(" + expression + ", lambda e: " + cast + ")")
                        : Optional.empty();
            case MAP -> from instanceof MapType map ? toMap(expression, map, (MapType) to, mode) : Optional.empty();
            case STRUCT ->
                from instanceof StructType struct
                        ? toStruct(expression, struct, (StructType) to, mode)
                        : Optional.empty();
        };
    }

    /**
     * A cast of a text that is written in the query. Where the text is in the usual form the engine's own cast means
     * the same and, unlike the checking functions, is computed once and used to skip files and row groups.
     */
    static Optional<String> writeLiteral(String text, String expression, DataType to, Mode mode) {
        boolean usual = switch (to.kind()) {
            case DECIMAL -> USUAL_NUMBER.matcher(text).matches();
            case SCALAR ->
                switch ((ScalarType) to) {
                    case BYTE, SHORT, INTEGER, LONG ->
                        USUAL_INTEGER.matcher(text).matches();
                    case FLOAT, DOUBLE -> USUAL_NUMBER.matcher(text).matches();
                    case DATE -> USUAL_DATE.matcher(text).matches() && isDate(text);
                    case TIMESTAMP -> USUAL_TIMESTAMP.matcher(text).matches() && isDate(text.substring(0, DATE_LENGTH));
                    case TIMESTAMP_NTZ ->
                        USUAL_LOCAL_TIMESTAMP.matcher(text).matches() && isDate(text.substring(0, DATE_LENGTH));
                    case BOOLEAN, STRING, BINARY, VARIANT, VOID -> false;
                };
            case STRUCT, ARRAY, MAP -> false;
        };
        return usual ? Optional.of(plain(expression, to, mode)) : write(expression, ScalarType.STRING, to, mode);
    }

    private static boolean isDate(String text) {
        try {
            LocalDate.parse(text);
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }

    private static Optional<String> toMap(String expression, MapType from, MapType to, Mode mode) {
        Optional<String> key = write("struct_extract(e, 'key')", from.key(), to.key(), mode);
        Optional<String> value = write("struct_extract(e, 'value')", from.value(), to.value(), mode);
        if (key.isEmpty() || value.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of("map_from_entries(list_transform(map_entries(" + expression
                + "), lambda e: struct_pack(k := " + key.get() + ", v := " + value.get() + ")))");
    }

    private static Optional<String> toStruct(String expression, StructType from, StructType to, Mode mode) {
        if (from.fields().size() != to.fields().size()) {
            return Optional.empty();
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < to.fields().size(); i++) {
            String field = "struct_extract_at(" + expression + ", " + (i + 1) + ")";
            Optional<String> cast =
                    write(field, from.fields().get(i).type(), to.fields().get(i).type(), mode);
            if (cast.isEmpty()) {
                return Optional.empty();
            }
            parts.add(Spelling.name(to.fields().get(i).name()) + " := " + cast.get());
        }
        return Optional.of(
                "CASE WHEN " + expression + " IS NOT NULL THEN struct_pack(" + String.join(", ", parts) + ") END");
    }

    private static String plain(String expression, DataType to, Mode mode) {
        return (mode == Mode.TRY ? "TRY_CAST(" : "CAST(") + expression + " AS " + Spelling.type(to) + ")";
    }

    private static String call(Mode mode, String function, String argument) {
        return "spark." + mode.prefix + function + "(" + argument + ")";
    }

    private static Optional<String> toDecimal(String expression, DataType from, DataType to, Mode mode) {
        if (from == ScalarType.STRING) {
            return Optional.of(plain(call(mode, "number_text", expression), to, mode));
        }
        if (from == ScalarType.DOUBLE || from == ScalarType.FLOAT) {
            // by way of the shortest text, as Spark does; multiplying the binary value rounds some values otherwise
            return Optional.of(plain("CAST(" + expression + " AS VARCHAR)", to, mode));
        }
        return Typed.isNumeric(from) || from == ScalarType.BOOLEAN
                ? Optional.of(plain(expression, to, mode))
                : Optional.empty();
    }

    private static Optional<String> toScalar(String expression, DataType from, ScalarType to, Mode mode) {
        return switch (to) {
            case STRING -> toText(expression, from);
            case BYTE, SHORT, INTEGER, LONG -> toIntegral(expression, from, to, mode);
            case FLOAT, DOUBLE -> {
                if (from == ScalarType.STRING) {
                    yield Optional.of(plain(call(mode, "double_text", expression), to, mode));
                }
                yield Typed.isNumeric(from) || from == ScalarType.BOOLEAN
                        ? Optional.of(plain(expression, to, mode))
                        : Optional.empty();
            }
            case BOOLEAN -> {
                if (from == ScalarType.STRING) {
                    yield Optional.of(call(mode, "boolean_text", expression));
                }
                yield Typed.isNumeric(from) ? Optional.of("(" + expression + " <> 0)") : Optional.empty();
            }
            case BINARY -> from == ScalarType.STRING ? Optional.of("encode(" + expression + ")") : Optional.empty();
            case DATE -> {
                if (from == ScalarType.STRING) {
                    yield Optional.of(call(mode, "date_text", expression));
                }
                yield Typed.isTime(from) ? Optional.of(plain(expression, to, mode)) : Optional.empty();
            }
            case TIMESTAMP -> toTimestamp(expression, from, mode);
            case TIMESTAMP_NTZ -> {
                if (from == ScalarType.STRING) {
                    yield Optional.of(call(mode, "local_timestamp_text", expression));
                }
                yield Typed.isTime(from) ? Optional.of(plain(expression, to, mode)) : Optional.empty();
            }
            case VARIANT, VOID -> Optional.empty();
        };
    }

    private static Optional<String> toTimestamp(String expression, DataType from, Mode mode) {
        if (from == ScalarType.STRING) {
            return Optional.of(call(mode, "timestamp_text", expression));
        }
        if (Typed.isIntegral(from)) {
            return Optional.of("spark.timestamp_of_micros(CAST(" + expression + " AS BIGINT) * 1000000)");
        }
        return Typed.isTime(from) ? Optional.of(plain(expression, ScalarType.TIMESTAMP, mode)) : Optional.empty();
    }

    private static Optional<String> toIntegral(String expression, DataType from, ScalarType to, Mode mode) {
        if (from == ScalarType.STRING) {
            return Optional.of(plain(call(mode, "integer_text", expression), to, mode));
        }
        if (from == ScalarType.TIMESTAMP) {
            return Optional.of(plain("spark.floor_div(epoch_us(" + expression + "), 1000000)", to, mode));
        }
        if (from == ScalarType.BOOLEAN || Typed.isIntegral(from)) {
            return Optional.of(plain(expression, to, mode));
        }
        return Typed.isNumeric(from) ? Optional.of(plain("trunc(" + expression + ")", to, mode)) : Optional.empty();
    }

    /** Texts of numbers, truth values and dates are alike in both engines; others need care. */
    static Optional<String> toText(String expression, DataType from) {
        if (from == ScalarType.DOUBLE) {
            return Optional.of("spark_double_text(" + expression + ")");
        }
        if (from == ScalarType.FLOAT) {
            return Optional.of("spark_float_text(" + expression + ")");
        }
        if (from == ScalarType.TIMESTAMP || from == ScalarType.TIMESTAMP_NTZ) {
            return Optional.of("CAST(CAST(" + expression + " AS TIMESTAMP) AS VARCHAR)");
        }
        if (from == ScalarType.BINARY) {
            return Optional.of("decode(" + expression + ")");
        }
        return Typed.isNumeric(from) || from == ScalarType.BOOLEAN || from == ScalarType.DATE
                ? Optional.of("CAST(" + expression + " AS VARCHAR)")
                : Optional.empty();
    }
}
