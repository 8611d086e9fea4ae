package io.tidemark.sql.query;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.skipping.FileCondition;
import io.tidemark.delta.skipping.FileCondition.Operator;
import io.tidemark.sql.grammar.Brackets;
import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.grammar.StatementTokens;
import io.tidemark.sql.grammar.Words;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.text.LocatedText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;

/**
 * Reads the part of a condition in Spark SQL that statistics and partition values can answer: comparisons of a column
 * with a literal, joined by AND, OR and NOT. The rest is unknown. Soundness goes first: where the engine would compare
 * values of another type than the column's, so that the order may be another one, nothing is known either.
 */
public final class ConditionReader {
    /** Deeper conditions are not read: reading is recursive. */
    private static final int DEPTH_MAX = 100;

    private static final List<String> LITERAL_WORDS = List.of("true", "false", "null");

    private static final FileCondition UNKNOWN = new FileCondition.Unknown();
    private static final FileCondition ALWAYS = new FileCondition.And(List.of());
    private static final FileCondition NEVER = new FileCondition.Or(List.of());

    private final List<Token> tokens;
    private final StructType schema;
    private final String qualifier;
    private final boolean bareNames;

    private ConditionReader(List<Token> tokens, StructType schema, String qualifier, boolean bareNames) {
        this.tokens = tokens;
        this.schema = schema;
        this.qualifier = qualifier;
        this.bareNames = bareNames;
    }

    /**
     * Reads a condition on the rows of one table.
     *
     * @param condition a valid condition; of an invalid one nothing sensible comes out
     * @param schema the table's columns
     * @param qualifier the table's name or alias
     */
    public static FileCondition read(QueryText condition, StructType schema, String qualifier) {
        List<Token> tokens = StatementTokens.lex(LocatedText.of(condition));
        return new ConditionReader(tokens, schema, qualifier, true).group(0, tokens.size(), 0);
    }

    /**
     * Reads of a condition on rows of a table and of others what it says about the table alone.
     *
     * @param condition a valid condition
     * @param schema the table's columns
     * @param qualifier the table's name or alias, which must stand before its columns: bare names may be another's
     */
    public static FileCondition readQualified(QueryText condition, StructType schema, String qualifier) {
        List<Token> tokens = StatementTokens.lex(LocatedText.of(condition));
        return new ConditionReader(tokens, schema, qualifier, false).group(0, tokens.size(), 0);
    }

    private FileCondition group(int from, int to, int depth) {
        if (from >= to || depth > DEPTH_MAX || hasWord(from, to, "case")) {
            return UNKNOWN;
        }
        List<int[]> alternatives = split(from, to, "or");
        if (alternatives.size() > 1) {
            return new FileCondition.Or(alternatives.stream()
                    .map(part -> group(part[0], part[1], depth + 1))
                    .toList());
        }
        List<int[]> parts = split(from, to, "and");
        if (parts.size() > 1) {
            return new FileCondition.And(parts.stream()
                    .map(part -> group(part[0], part[1], depth + 1))
                    .toList());
        }
        if (word(from).equals("not")) {
            return group(from + 1, to, depth + 1).negated();
        }
        if (type(from) == StatementLexer.LPAREN && closing(from) == to - 1) {
            return group(from + 1, to - 1, depth + 1);
        }
        return predicate(from, to);
    }

    private FileCondition predicate(int from, int to) {
        if (to - from == 1 && LITERAL_WORDS.contains(word(from))) {
            return word(from).equals("true") ? ALWAYS : NEVER;
        }
        Optional<Column> column = column(from, to);
        if (column.isPresent()) {
            return behindColumn(column.get(), to);
        }
        Optional<Literal> literal = ConditionLiteral.read(tokens, from, to);
        if (literal.isEmpty()) {
            return UNKNOWN;
        }
        Optional<Comparison> comparison = comparison(literal.get().end());
        Optional<Column> right = comparison.flatMap(found -> column(found.end(), to));
        boolean whole = right.isPresent() && right.get().end() == to;
        return whole ? compared(right.get().field(), comparison.get().mirrored(), literal.get()) : UNKNOWN;
    }

    private FileCondition behindColumn(Column column, int to) {
        int at = column.end();
        StructField field = column.field();
        if (at == to) {
            return field.type() == ScalarType.BOOLEAN
                    ? new FileCondition.Comparison(field.name(), Operator.EQUAL, true)
                    : UNKNOWN;
        }
        if (word(at).equals("is")) {
            boolean negated = word(at + 1).equals("not");
            int last = negated ? at + 2 : at + 1;
            return word(last).equals("null") && last == to - 1
                    ? new FileCondition.NullTest(field.name(), !negated)
                    : UNKNOWN;
        }
        boolean negated = word(at).equals("not");
        int operator = negated ? at + 1 : at;
        FileCondition found = switch (word(operator)) {
            case "in" -> in(field, operator + 1, to);
            case "between" -> between(field, operator + 1, to);
            default -> negated ? UNKNOWN : comparedWith(field, at, to);
        };
        return negated ? found.negated() : found;
    }

    private FileCondition comparedWith(StructField field, int at, int to) {
        Optional<Comparison> comparison = comparison(at);
        Optional<Literal> literal = comparison.flatMap(found -> ConditionLiteral.read(tokens, found.end(), to));
        boolean whole = literal.isPresent() && literal.get().end() == to;
        return whole ? compared(field, comparison.get(), literal.get()) : UNKNOWN;
    }

    private static FileCondition compared(StructField field, Comparison comparison, Literal literal) {
        if (literal.isNull()) {
            return comparison.nullSafe() ? new FileCondition.NullTest(field.name(), true) : NEVER;
        }
        Optional<Object> value = literal.as(field.type());
        if (value.isEmpty()) {
            return UNKNOWN;
        }
        FileCondition compared = new FileCondition.Comparison(field.name(), comparison.operator(), value.get());
        // said twice, so that the opposite is right for NULL too: NOT (a <=> 1) holds for it
        return comparison.nullSafe()
                ? new FileCondition.And(List.of(compared, new FileCondition.NullTest(field.name(), false)))
                : compared;
    }

    private FileCondition in(StructField field, int open, int to) {
        if (type(open) != StatementLexer.LPAREN || closing(open) != to - 1) {
            return UNKNOWN;
        }
        List<FileCondition> equal = new ArrayList<>();
        int at = open + 1;
        while (at < to) {
            Optional<Literal> literal = ConditionLiteral.read(tokens, at, to - 1);
            if (literal.isEmpty()) {
                return UNKNOWN;
            }
            equal.add(compared(field, new Comparison(Operator.EQUAL, false, at), literal.get()));
            at = literal.get().end();
            boolean ends = at == to - 1;
            if (!ends && type(at) != StatementLexer.COMMA) {
                return UNKNOWN;
            }
            at++;
        }
        return equal.contains(UNKNOWN) ? UNKNOWN : new FileCondition.Or(equal);
    }

    private FileCondition between(StructField field, int at, int to) {
        Optional<Literal> low = ConditionLiteral.read(tokens, at, to);
        if (low.isEmpty() || !word(low.get().end()).equals("and")) {
            return UNKNOWN;
        }
        Optional<Literal> high = ConditionLiteral.read(tokens, low.get().end() + 1, to);
        if (high.isEmpty() || high.get().end() != to) {
            return UNKNOWN;
        }
        return new FileCondition.And(List.of(
                compared(field, new Comparison(Operator.GREATER_OR_EQUAL, false, at), low.get()),
                compared(field, new Comparison(Operator.LESS_OR_EQUAL, false, at), high.get())));
    }

    /** A comparison operator and where it ends. */
    private record Comparison(Operator operator, boolean nullSafe, int end) {
        Comparison mirrored() {
            return new Comparison(operator.mirrored(), nullSafe, end);
        }
    }

    private Optional<Comparison> comparison(int at) {
        int next = type(at + 1);
        return switch (type(at)) {
            case StatementLexer.EQ -> found(Operator.EQUAL, at + 1);
            case StatementLexer.LESS ->
                switch (next) {
                    case StatementLexer.EQ -> found(Operator.LESS_OR_EQUAL, at + 2);
                    case StatementLexer.GREATER -> found(Operator.NOT_EQUAL, at + 2);
                    case StatementLexer.FAT_ARROW -> Optional.of(new Comparison(Operator.EQUAL, true, at + 2));
                    default -> found(Operator.LESS, at + 1);
                };
            case StatementLexer.GREATER ->
                next == StatementLexer.EQ ? found(Operator.GREATER_OR_EQUAL, at + 2) : found(Operator.GREATER, at + 1);
            case StatementLexer.OTHER ->
                tokens.get(at).getText().equals("!") && next == StatementLexer.EQ
                        ? found(Operator.NOT_EQUAL, at + 2)
                        : Optional.empty();
            default -> Optional.empty();
        };
    }

    private static Optional<Comparison> found(Operator operator, int end) {
        return Optional.of(new Comparison(operator, false, end));
    }

    /** A column of the table and where its name ends. */
    private record Column(StructField field, int end) {}

    private Optional<Column> column(int at, int to) {
        boolean qualified = type(at + 1) == StatementLexer.DOT;
        int name = qualified ? at + 2 : at;
        if (name >= to || !Words.isName(type(at)) || !Words.isName(type(name)) || LITERAL_WORDS.contains(word(at))) {
            return Optional.empty();
        }
        boolean own = qualified ? name(at).equalsIgnoreCase(qualifier) : bareNames;
        int next = type(name + 1);
        boolean partOrCall =
                next == StatementLexer.DOT || next == StatementLexer.LPAREN || next == StatementLexer.LBRACKET;
        return own && !partOrCall
                ? schema.field(name(name)).map(field -> new Column(field, name + 1))
                : Optional.empty();
    }

    /** Cuts at a word outside brackets; the AND of a BETWEEN does not count. */
    private List<int[]> split(int from, int to, String separator) {
        List<int[]> parts = new ArrayList<>();
        int start = from;
        int depth = 0;
        boolean between = false;
        for (int i = from; i < to; i++) {
            depth += Brackets.step(type(i));
            String word = depth == 0 && type(i - 1) != StatementLexer.DOT ? word(i) : "";
            if (word.equals("and") && between) {
                between = false;
            } else if (word.equals(separator)) {
                parts.add(new int[] {start, i});
                start = i + 1;
            } else {
                between |= word.equals("between");
            }
        }
        parts.add(new int[] {start, to});
        return parts;
    }

    private boolean hasWord(int from, int to, String wanted) {
        int depth = 0;
        for (int i = from; i < to; i++) {
            depth += Brackets.step(type(i));
            if (depth == 0 && word(i).equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    private int closing(int open) {
        int depth = 0;
        for (int i = open; i < tokens.size(); i++) {
            depth += Brackets.step(type(i));
            if (depth == 0) {
                return i;
            }
        }
        return -1;
    }

    private int type(int index) {
        return index < 0 || index >= tokens.size()
                ? Token.EOF
                : tokens.get(index).getType();
    }

    private String name(int index) {
        return Literals.name(tokens.get(index).getText());
    }

    private String word(int index) {
        boolean bare = Words.isName(type(index)) && type(index) != StatementLexer.BACKQUOTED;
        return bare ? Literals.fold(tokens.get(index).getText()) : "";
    }

    /** A literal and where it ends. */
    record Literal(@Nullable Object value, int end) {
        boolean isNull() {
            return value == null;
        }

        /** The value as one of a column's type; nothing if the engine would not compare it as such. */
        Optional<Object> as(DataType type) {
            return value == null ? Optional.empty() : ConditionLiteral.as(value, type);
        }
    }
}
