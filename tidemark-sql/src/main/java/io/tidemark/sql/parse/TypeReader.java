package io.tidemark.sql.parse;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.sql.grammar.StatementParser.ArrayTypeContext;
import io.tidemark.sql.grammar.StatementParser.DataTypeContext;
import io.tidemark.sql.grammar.StatementParser.MapTypeContext;
import io.tidemark.sql.grammar.StatementParser.ScalarTypeContext;
import io.tidemark.sql.grammar.StatementParser.StructFieldContext;
import io.tidemark.sql.grammar.StatementParser.StructTypeContext;
import io.tidemark.sql.grammar.Words;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.text.LocatedText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.tree.TerminalNode;

/** Makes types of the trees that spell them. */
final class TypeReader {
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
            Map.entry("TIMESTAMP_NTZ", ScalarType.TIMESTAMP_NTZ),
            Map.entry("VARIANT", ScalarType.VARIANT));

    private static final Set<String> DECIMALS = Set.of("DECIMAL", "NUMERIC", "DEC");
    private static final Set<String> LIMITED_STRINGS = Set.of("VARCHAR", "CHAR", "CHARACTER");
    private static final Set<String> NESTED = Set.of("ARRAY", "MAP", "STRUCT");
    private static final Set<String> NOT_STORED = Set.of("INTERVAL", "VOID");

    private final LocatedText text;
    private final Names names;

    TypeReader(LocatedText text) {
        this.text = text;
        this.names = new Names(text);
    }

    DataType read(DataTypeContext context) {
        if (context instanceof StructTypeContext struct) {
            return struct(struct);
        }
        if (context instanceof ArrayTypeContext array) {
            return new ArrayType(read(array.dataType()), true);
        }
        if (context instanceof MapTypeContext map) {
            return new MapType(read(map.dataType(0)), read(map.dataType(1)), true);
        }
        return scalar((ScalarTypeContext) context);
    }

    private StructType struct(StructTypeContext context) {
        List<StructField> fields = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (StructFieldContext field : context.structField()) {
            String name = names.name(field.identifier());
            if (!seen.add(Literals.fold(name))) {
                throw invalid(field, "the struct has two fields called " + name, "give each field its own name");
            }
            Map<String, Object> metadata = field.STRING() == null
                    ? Map.of()
                    : Map.of("comment", names.string(field.STRING().getSymbol()));
            fields.add(new StructField(name, read(field.dataType()), field.NOT() == null, metadata));
        }
        return new StructType(fields);
    }

    private DataType scalar(ScalarTypeContext context) {
        String name = context.identifier().getText().toUpperCase(Locale.ROOT);
        List<Integer> arguments = arguments(context);
        if (DECIMALS.contains(name)) {
            return decimal(context, arguments);
        }
        if (LIMITED_STRINGS.contains(name)) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE,
                            name + " with a length is not supported, nothing would keep it")
                    .at(names.at(context))
                    .hint("use STRING")
                    .build();
        }
        if (NESTED.contains(name)) {
            throw invalid(context, name + " needs its types in angle brackets", example(name));
        }
        if (NOT_STORED.contains(name)) {
            throw invalid(context, "no column of a table can have the type " + name, "use another type");
        }
        DataType type = SCALARS.get(name);
        if (type == null) {
            Optional<String> near = Words.nearest(name, SCALARS.keySet());
            throw invalid(
                    context,
                    "there is no type " + context.identifier().getText(),
                    near.map(word -> "did you mean " + word + "?").orElse("types are spelled as in Spark SQL"));
        }
        if (!arguments.isEmpty()) {
            throw invalid(context, name + " takes no arguments", "write " + name);
        }
        return type;
    }

    private DecimalType decimal(ScalarTypeContext context, List<Integer> arguments) {
        int precision = arguments.isEmpty() ? DECIMAL_PRECISION_DEFAULT : arguments.get(0);
        int scale = arguments.size() < 2 ? 0 : arguments.get(1);
        boolean valid =
                arguments.size() <= 2 && precision >= 1 && precision <= DecimalType.PRECISION_MAX && scale <= precision;
        if (!valid) {
            throw invalid(
                    context,
                    context.getText() + " is out of range",
                    "DECIMAL(precision, scale): precision 1 to 38, scale 0 to the precision");
        }
        return new DecimalType(precision, scale);
    }

    private List<Integer> arguments(ScalarTypeContext context) {
        List<Integer> numbers = new ArrayList<>();
        for (TerminalNode number : context.INTEGER()) {
            // nothing takes numbers of more than three digits, so longer ones need not be exact
            String digits = number.getText();
            numbers.add(digits.length() > 3 ? Integer.MAX_VALUE : Integer.parseInt(digits));
        }
        return numbers;
    }

    private TidemarkException invalid(ParserRuleContext place, String primary, String hint) {
        return text.error(ErrorCode.INVALID_TYPE, primary, place.getStart().getStartIndex())
                .hint(hint)
                .build();
    }

    private static String example(String name) {
        return switch (name) {
            case "ARRAY" -> "ARRAY<STRING>";
            case "MAP" -> "MAP<STRING, INT>";
            default -> "STRUCT<a: INT, b: STRING>";
        };
    }
}
