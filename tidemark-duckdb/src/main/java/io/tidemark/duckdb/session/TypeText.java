package io.tidemark.duckdb.session;

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
import java.util.Locale;

/** Reads the types that DuckDB prints, for example {@code STRUCT(a INTEGER, "b c" VARCHAR[])}. */
public final class TypeText {
    private static final int UNSIGNED_LONG_DIGITS = 20;

    private final String text;
    private int position;

    private TypeText(String text) {
        this.text = text;
    }

    /**
     * Reads a type.
     *
     * @throws TidemarkException {@code UNSUPPORTED_FEATURE} for types that tables cannot have, such as INTERVAL
     */
    public static DataType parse(String text) {
        TypeText reader = new TypeText(text);
        DataType type = reader.type();
        reader.space();
        if (reader.position != text.length()) {
            throw reader.unknown();
        }
        return type;
    }

    private DataType type() {
        DataType type = base();
        while (peek('[')) {
            int end = text.indexOf(']', position);
            position = end + 1;
            type = new ArrayType(type, true);
        }
        return type;
    }

    private DataType base() {
        space();
        if (peek('"')) {
            String quoted = quoted();
            if (quoted.equals("NULL")) {
                return ScalarType.VOID;
            }
            throw unknown();
        }
        String word = word();
        return switch (word) {
            case "STRUCT" -> struct();
            case "MAP" -> map();
            case "DECIMAL" -> decimal();
            case "ENUM" -> {
                position = closing() + 1;
                yield ScalarType.STRING;
            }
            default -> scalar(word);
        };
    }

    private DataType scalar(String word) {
        return switch (word) {
            case "BOOLEAN" -> ScalarType.BOOLEAN;
            case "TINYINT" -> ScalarType.BYTE;
            case "SMALLINT", "UTINYINT" -> ScalarType.SHORT;
            case "INTEGER", "USMALLINT" -> ScalarType.INTEGER;
            case "BIGINT", "UINTEGER" -> ScalarType.LONG;
            case "UBIGINT" -> new DecimalType(UNSIGNED_LONG_DIGITS, 0);
            case "HUGEINT", "UHUGEINT" -> new DecimalType(DecimalType.PRECISION_MAX, 0);
            case "FLOAT" -> ScalarType.FLOAT;
            case "DOUBLE" -> ScalarType.DOUBLE;
            case "VARCHAR", "JSON", "UUID" -> ScalarType.STRING;
            case "BLOB" -> ScalarType.BINARY;
            case "DATE" -> ScalarType.DATE;
            case "TIMESTAMP WITH TIME ZONE" -> ScalarType.TIMESTAMP;
            case "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS" -> ScalarType.TIMESTAMP_NTZ;
            case "VARIANT" -> ScalarType.VARIANT;
            default -> throw unknown();
        };
    }

    private DataType struct() {
        expect('(');
        List<StructField> fields = new ArrayList<>();
        while (!peek(')')) {
            String name = peek('"') ? quoted() : bareName();
            fields.add(StructField.of(name, type()));
            if (peek(',')) {
                position++;
                space();
            }
        }
        expect(')');
        return new StructType(fields);
    }

    private DataType map() {
        expect('(');
        DataType key = type();
        expect(',');
        DataType value = type();
        expect(')');
        return new MapType(key, value, true);
    }

    private DataType decimal() {
        expect('(');
        int comma = text.indexOf(',', position);
        int end = text.indexOf(')', position);
        DataType type = new DecimalType(
                Integer.parseInt(text.substring(position, comma).strip()),
                Integer.parseInt(text.substring(comma + 1, end).strip()));
        position = end + 1;
        return type;
    }

    /** The longest run of letters, digits and blanks: {@code TIMESTAMP WITH TIME ZONE} has blanks. */
    private String word() {
        int start = position;
        while (position < text.length() && (isNamePart(text.charAt(position)) || text.charAt(position) == ' ')) {
            position++;
        }
        return text.substring(start, position).strip().toUpperCase(Locale.ROOT);
    }

    private String bareName() {
        int start = position;
        while (position < text.length() && isNamePart(text.charAt(position))) {
            position++;
        }
        return text.substring(start, position);
    }

    private static boolean isNamePart(char character) {
        return Character.isLetterOrDigit(character) || character == '_';
    }

    private String quoted() {
        StringBuilder name = new StringBuilder();
        position++;
        while (position < text.length()) {
            char character = text.charAt(position++);
            if (character != '"') {
                name.append(character);
            } else if (peek('"')) {
                name.append(character);
                position++;
            } else {
                break;
            }
        }
        return name.toString();
    }

    private int closing() {
        int end = text.indexOf(')', position);
        if (end < 0) {
            throw unknown();
        }
        return end;
    }

    private boolean peek(char expected) {
        return position < text.length() && text.charAt(position) == expected;
    }

    private void expect(char expected) {
        space();
        if (!peek(expected)) {
            throw unknown();
        }
        position++;
        space();
    }

    private void space() {
        while (peek(' ')) {
            position++;
        }
    }

    /**
     * A type of a column, in whose error the column is named.
     *
     * @throws TidemarkException {@code UNSUPPORTED_FEATURE}
     */
    public static StructField column(String name, String type) {
        try {
            return StructField.of(name, parse(type));
        } catch (TidemarkException e) {
            TidemarkException.Builder named = TidemarkException.of(
                            e.code(), "column " + name + " is of type " + type + ", which is not supported")
                    .cause(e);
            e.hint().ifPresent(named::hint);
            throw named.build();
        }
    }

    private TidemarkException unknown() {
        return TidemarkException.of(ErrorCode.UNSUPPORTED_FEATURE, "the type " + text + " is not supported")
                .hint("Cast the value to a type of Spark SQL, for example to STRING.")
                .build();
    }
}
