package io.tidemark.duckdb.sql;

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
import java.util.Map;
import java.util.Optional;

/** Reads type names of Spark SQL from tokens, for example in casts. */
final class SparkTypes {
    private static final int DECIMAL_PRECISION_DEFAULT = 10;
    private static final Map<String, DataType> SCALARS = Map.ofEntries(
            Map.entry("BOOLEAN", ScalarType.BOOLEAN),
            Map.entry("TINYINT", ScalarType.BYTE),
            Map.entry("BYTE", ScalarType.BYTE),
            Map.entry("SMALLINT", ScalarType.SHORT),
            Map.entry("SHORT", ScalarType.SHORT),
            Map.entry("INT", ScalarType.INTEGER),
            Map.entry("INTEGER", ScalarType.INTEGER),
            Map.entry("BIGINT", ScalarType.LONG),
            Map.entry("LONG", ScalarType.LONG),
            Map.entry("FLOAT", ScalarType.FLOAT),
            Map.entry("REAL", ScalarType.FLOAT),
            Map.entry("DOUBLE", ScalarType.DOUBLE),
            Map.entry("STRING", ScalarType.STRING),
            Map.entry("BINARY", ScalarType.BINARY),
            Map.entry("DATE", ScalarType.DATE),
            Map.entry("TIMESTAMP", ScalarType.TIMESTAMP),
            Map.entry("TIMESTAMP_LTZ", ScalarType.TIMESTAMP),
            Map.entry("TIMESTAMP_NTZ", ScalarType.TIMESTAMP_NTZ));

    private final List<Token> tokens;
    private final Positions positions;
    private int index;
    /** Set while the second half of a token {@code >>} waits to close another type. */
    private boolean halfClosed;

    SparkTypes(List<Token> tokens, int index, Positions positions) {
        this.tokens = tokens;
        this.index = index;
        this.positions = positions;
    }

    /** Index of the token behind the type that was read. */
    int index() {
        return index;
    }

    /** Reads a type in a text of its own, for example in the schema argument of {@code from_json}. */
    static DataType parse(String text, Positions positions) {
        List<Token> tokens = Lexer.tokens(text, positions);
        SparkTypes reader = new SparkTypes(tokens, 0, positions);
        DataType type = looksLikeColumns(tokens) ? new StructType(reader.fields()) : reader.type();
        if (reader.peek().kind() != Token.Kind.END) {
            throw reader.unknown(reader.peek());
        }
        return type;
    }

    private static boolean looksLikeColumns(List<Token> tokens) {
        Token second = tokens.get(Math.min(1, tokens.size() - 1));
        return tokens.get(0).isName() && (second.isName() || second.isSymbol(":"));
    }

    /** Reads a type. */
    DataType type() {
        Token token = peek();
        if (token.kind() != Token.Kind.WORD) {
            throw unknown(token);
        }
        index++;
        String word = token.text().toUpperCase(Locale.ROOT);
        return switch (word) {
            case "DECIMAL", "DEC", "NUMERIC" -> decimal(token);
            case "ARRAY" -> {
                open();
                DataType element = type();
                close();
                yield new ArrayType(element, true);
            }
            case "MAP" -> {
                open();
                DataType key = type();
                expect(",");
                DataType value = type();
                close();
                yield new MapType(key, value, true);
            }
            case "STRUCT" -> struct();
            default -> {
                DataType type = SCALARS.get(word);
                if (type == null) {
                    throw unknown(token);
                }
                yield type;
            }
        };
    }

    private DataType decimal(Token start) {
        if (!peek().isSymbol("(")) {
            return new DecimalType(DECIMAL_PRECISION_DEFAULT, 0);
        }
        index++;
        int precision = number();
        int scale = 0;
        if (peek().isSymbol(",")) {
            index++;
            scale = number();
        }
        expect(")");
        try {
            return new DecimalType(precision, scale);
        } catch (IllegalArgumentException e) {
            throw positions
                    .error(ErrorCode.INVALID_TYPE, String.valueOf(e.getMessage()), start.start())
                    .cause(e)
                    .build();
        }
    }

    private int number() {
        Token token = peek();
        if (token.kind() != Token.Kind.NUMBER || !token.text().matches("[0-9]{1,9}")) {
            throw unknown(token);
        }
        index++;
        return Integer.parseInt(token.text());
    }

    private DataType struct() {
        if (peek().isSymbol("<>")) {
            index++;
            return new StructType(List.of());
        }
        open();
        StructType type = new StructType(fields());
        close();
        return type;
    }

    private List<StructField> fields() {
        List<StructField> fields = new ArrayList<>();
        do {
            Token name = peek();
            if (!name.isName()) {
                throw unknown(name);
            }
            index++;
            if (peek().isSymbol(":")) {
                index++;
            }
            DataType type = type();
            boolean nullable = true;
            if (peek().isWord("NOT")) {
                index += 2;
                nullable = false;
            }
            if (peek().isWord("COMMENT")) {
                index += 2;
            }
            fields.add(new StructField(name.text(), type, nullable, Map.of()));
        } while (next(","));
        return fields;
    }

    private boolean next(String symbol) {
        if (peek().isSymbol(symbol) && !halfClosed) {
            index++;
            return true;
        }
        return false;
    }

    private void open() {
        expect("<");
    }

    private void close() {
        if (halfClosed) {
            halfClosed = false;
            index++;
        } else if (peek().isSymbol(">>")) {
            halfClosed = true;
        } else {
            expect(">");
        }
    }

    private void expect(String symbol) {
        if (halfClosed || !peek().isSymbol(symbol)) {
            throw unknown(peek());
        }
        index++;
    }

    private Token peek() {
        return tokens.get(Math.min(index, tokens.size() - 1));
    }

    private TidemarkException unknown(Token token) {
        String found = token.kind() == Token.Kind.END ? "the end" : "'" + token.text() + "'";
        return positions
                .error(ErrorCode.INVALID_TYPE, "a type was expected but " + found + " found", token.start())
                .hint("Types are spelled as in Spark SQL: STRING, BIGINT, DECIMAL(10,2), ARRAY<INT>, STRUCT<a: INT>.")
                .build();
    }

    /** The type of that name, if it is one without parameters. */
    static Optional<DataType> scalar(String name) {
        return Optional.ofNullable(SCALARS.get(name.toUpperCase(Locale.ROOT)));
    }
}
