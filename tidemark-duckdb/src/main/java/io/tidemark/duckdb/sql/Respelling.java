package io.tidemark.duckdb.sql;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.duckdb.session.Spelling;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Writes the tokens of a Spark SQL query so that DuckDB's parser reads them as the same query. Nothing is decided here
 * that depends on types; the tree that the parser makes is checked and translated by {@link SelectWriter}.
 */
final class Respelling extends TokenStream {
    private static final Map<String, String> SYMBOLS = Map.of("==", "=", "<=>", "IS NOT DISTINCT FROM", "!", "NOT");
    private static final Set<String> FOREIGN_SYMBOLS =
            Set.of("^", ":=", "?", "{", "}", "#", "@", "$", "**", "->>", "->", "|>", "!<", "!>", ":", "=>");

    private final StringBuilder output = new StringBuilder();
    private final TreeMap<Integer, Integer> offsets = new TreeMap<>();
    private final Deque<Parenthesis> open = new ArrayDeque<>();

    private Respelling(List<Token> tokens, Positions positions) {
        super(tokens, positions);
    }

    /** What an open parenthesis belongs to. */
    private enum Parenthesis {
        /** A cast whose type has not come yet. */
        CAST,
        /** A function with words between its arguments. */
        WORDY_FUNCTION,
        OTHER
    }

    /**
     * A respelled query.
     *
     * @param sql text for DuckDB's parser
     * @param offsets per offset in it where a token begins, the token's offset in the user's text
     */
    record Result(String sql, TreeMap<Integer, Integer> offsets) {
        /** The offset in the user's text that stands behind an offset here. */
        int original(int offset) {
            Map.Entry<Integer, Integer> entry = offsets.floorEntry(offset);
            return entry == null ? 0 : entry.getValue();
        }
    }

    /** Respells a query. */
    static Result of(String sql, Positions positions) {
        List<Token> tokens = PlainNames.mark(Lexer.tokens(sql, positions));
        Token first = tokens.get(0);
        boolean query = first.isSymbol("(")
                || (first.kind() == Token.Kind.WORD && Words.FIRST_WORDS.contains(Words.upper(first)));
        if (!query) {
            throw positions
                    .error(ErrorCode.QUERY_NOT_SELECT, "a query must be one SELECT", first.start())
                    .detail("It begins with " + (first.text().isEmpty() ? "nothing" : "'" + first.text() + "'") + ".")
                    .build();
        }
        Respelling respelling = new Respelling(tokens, positions);
        respelling.copy(tokens.size() - 1);
        return new Result(respelling.output.toString(), respelling.offsets);
    }

    private void copy(int end) {
        while (index() < end) {
            step();
        }
    }

    private void step() {
        Token token = token(index());
        switch (token.kind()) {
            case STRING -> string(token);
            case BINARY -> {
                emit("\"unhex\"(" + Spelling.string(token.text()) + ")", token);
                skip(1);
            }
            case NUMBER -> {
                emit(number(token), token);
                skip(1);
            }
            case NAME -> name(token);
            case WORD -> word(token);
            case SYMBOL -> symbol(token);
            case END -> throw new IllegalStateException("no token is left");
        }
    }

    private void emit(String text, Token token) {
        if (output.length() > 0) {
            output.append(' ');
        }
        offsets.put(output.length(), token.start());
        output.append(text);
    }

    private void string(Token token) {
        StringBuilder value = new StringBuilder();
        while (peek(0).kind() == Token.Kind.STRING) {
            value.append(peek(0).text());
            skip(1);
        }
        emit(Spelling.string(value.toString()), token);
    }

    private static String number(Token token) {
        String text = token.text();
        if (text.endsWith("BD")) {
            String digits = text.substring(0, text.length() - 2);
            return digits.contains(".") ? digits : digits + ".";
        }
        String digits = text.substring(0, text.length() - 1);
        return switch (text.charAt(text.length() - 1)) {
            case 'L' -> "CAST(" + digits + " AS BIGINT)";
            case 'S' -> "CAST(" + digits + " AS SMALLINT)";
            case 'Y' -> "CAST(" + digits + " AS TINYINT)";
            case 'D' -> "CAST('" + digits + "' AS DOUBLE)";
            case 'F' -> "CAST('" + digits + "' AS FLOAT)";
            default -> text;
        };
    }

    private void name(Token token) {
        if (lambda()) {
            return;
        }
        if (peek(1).isSymbol("(") && !previous().isWord("AS") && !tableAliasBefore()) {
            function(token);
            return;
        }
        emit(Spelling.name(token.text()), token);
        skip(1);
    }

    /** In {@code VALUES … AS t(a)} and {@code WITH q(a) AS} a parenthesis follows a name that is no function. */
    private boolean tableAliasBefore() {
        Token before = previous();
        boolean alias = before.isSymbol(")")
                || before.isWord("WITH")
                || before.isWord("RECURSIVE")
                || (before.isName() && !Words.KEYWORDS.contains(Words.upper(before)));
        return alias || (before.isSymbol(",") && definesQuery());
    }

    /** Whether the name and its list of columns are followed by {@code AS (}, as in WITH. */
    private boolean definesQuery() {
        int close = closing(index() + 1);
        return token(close + 1).isWord("AS") && token(close + 2).isSymbol("(");
    }

    private void word(Token token) {
        String word = Words.upper(token);
        if (refuseOrSpecial(word, token) || lambda()) {
            return;
        }
        if (Words.NILADIC.contains(word)
                && !peek(1).isSymbol("(")
                && !previous().isSymbol(".")) {
            emit(Spelling.name(word.toLowerCase(Locale.ROOT)) + "()", token);
            skip(1);
        } else if (isCall(word)) {
            call(word, token);
        } else if (word.equals("AS") && open.peek() == Parenthesis.CAST) {
            open.pop();
            open.push(Parenthesis.OTHER);
            skip(1);
            emit("AS " + Spelling.type(type()), token);
        } else {
            emit(token.text(), token);
            skip(1);
        }
    }

    private boolean isCall(String word) {
        if (!peek(1).isSymbol("(")
                || Words.KEYWORDS.contains(word)
                || previous().isSymbol(".")) {
            return false;
        }
        return switch (word) {
            case "FILTER" -> !previous().isSymbol(")");
            case "EXISTS" -> !Words.isQueryStart(peek(2));
            case "ANY", "SOME" -> !Words.isQueryStart(peek(2));
            default -> !previous().isWord("AS") && !tableAliasBefore();
        };
    }

    /** Handles words that need more than copying; returns whether it did. */
    private boolean refuseOrSpecial(String word, Token token) {
        switch (word) {
            case "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ" -> {
                if (peek(1).kind() == Token.Kind.STRING && !Words.endsOperand(previous())) {
                    DataType type = SparkTypes.scalar(word).orElseThrow();
                    emit("CAST(" + Spelling.string(peek(1).text()) + " AS " + Spelling.type(type) + ")", token);
                    skip(2);
                    return true;
                }
                return false;
            }
            case "INTERVAL" -> {
                return interval(token);
            }
            case "DIV" -> {
                return infix("//", token);
            }
            case "RLIKE", "REGEXP" -> {
                return infix("SIMILAR TO", token);
            }
            case "MINUS" -> {
                Token next = peek(1);
                boolean operator =
                        Words.isQueryStart(next) || next.isSymbol("(") || next.isWord("ALL") || next.isWord("DISTINCT");
                return operator && infix("EXCEPT", token);
            }
            case "LEFT" -> {
                if (peek(1).isWord("SEMI") || peek(1).isWord("ANTI")) {
                    skip(1);
                    return true;
                }
                return false;
            }
            case "LATERAL" -> {
                if (peek(1).isWord("VIEW")) {
                    lateralView(token);
                    return true;
                }
                return false;
            }
            case "SORT", "CLUSTER", "DISTRIBUTE" -> {
                if (peek(1).isWord("BY")) {
                    throw unsupported(word + " BY", token);
                }
                return false;
            }
            case "PIVOT", "UNPIVOT", "TABLESAMPLE" -> {
                if (peek(1).isSymbol("(")) {
                    throw unsupported(word, token);
                }
                return false;
            }
            case "FROM", "JOIN" -> {
                if (peek(1).kind() == Token.Kind.STRING && open.peek() != Parenthesis.WORDY_FUNCTION) {
                    throw positions()
                            .error(ErrorCode.QUERY_NOT_ALLOWED, "a query may not read files by name", peek(1).start())
                            .hint("Read files with read_files in a streaming table or view of the pipeline.")
                            .build();
                }
                return false;
            }
            default -> {
                return false;
            }
        }
    }

    private TidemarkException unsupported(String what, Token token) {
        return positions()
                .error(ErrorCode.UNSUPPORTED_FEATURE, what + " is not supported by the embedded engine", token.start())
                .build();
    }

    private boolean infix(String operator, Token token) {
        if (!Words.endsOperand(previous()) && !previous().isWord("NOT")) {
            return false;
        }
        emit(operator, token);
        skip(1);
        return true;
    }

    /** Writes {@code x -> …} and {@code (x, y) -> …} as DuckDB's lambdas. */
    private boolean lambda() {
        if (peek(1).isSymbol("->")) {
            emit("lambda " + Spelling.name(peek(0).text()) + ":", peek(0));
            skip(2);
            return true;
        }
        return false;
    }

    private void call(String word, Token token) {
        switch (word) {
            case "CAST", "TRY_CAST" -> {
                emit(word, token);
                skip(1);
                open(Parenthesis.CAST);
            }
            case "STRUCT" -> struct(token);
            case "NAMED_STRUCT" -> namedStruct(token);
            case "GROUPING", "ROW" -> {
                if (word.equals("ROW")) {
                    throw unknownFunction(token);
                }
                emit(word, token);
                skip(1);
            }
            default -> {
                if (Words.WORDY_FUNCTIONS.contains(word) && holdsWord(index() + 1)) {
                    emit(word, token);
                    skip(1);
                    open(Parenthesis.WORDY_FUNCTION);
                } else if (word.equals("POSITION")) {
                    emit("\"locate\"", token);
                    skip(1);
                } else {
                    if (Words.TRIM_FUNCTIONS.contains(word)
                            && separators(index() + 1).size() > 1) {
                        throw positions()
                                .error(
                                        ErrorCode.UNSUPPORTED_FEATURE,
                                        word + " with two arguments is not supported",
                                        token.start())
                                .hint("Write trim(LEADING 'x' FROM text) or the like.")
                                .build();
                    }
                    function(token);
                }
            }
        }
    }

    private void function(Token token) {
        if (!Functions.isKnown(token.text())) {
            throw unknownFunction(token);
        }
        emit(Spelling.name(token.text().toLowerCase(Locale.ROOT)), token);
        skip(1);
    }

    private TidemarkException unknownFunction(Token token) {
        return Functions.unknown(positions(), token.text(), token.start());
    }

    private void struct(Token token) {
        int open = index() + 1;
        List<Integer> separators = separators(open);
        emit("struct_pack(", token);
        int from = open + 1;
        int number = 0;
        for (int separator : separators) {
            number++;
            if (from == separator) {
                throw unsupported("struct() without fields", token);
            }
            int end = separator;
            String field = "col" + number;
            if (end - from > 2 && token(end - 2).isWord("AS") && token(end - 1).isName()) {
                field = token(end - 1).text();
                end -= 2;
            } else if (token(end - 1).isName() && isPath(from, end)) {
                field = token(end - 1).text();
            }
            emit((number == 1 ? "" : ", ") + Spelling.name(field) + " :=", token(from));
            moveTo(from);
            copy(end);
            from = separator + 1;
        }
        moveTo(from);
        output.append(')');
    }

    private void namedStruct(Token token) {
        int open = index() + 1;
        List<Integer> separators = separators(open);
        if (separators.size() % 2 != 0) {
            throw positions()
                    .error(ErrorCode.QUERY_INVALID, "named_struct needs a name for each value", token.start())
                    .build();
        }
        emit("struct_pack(", token);
        int from = open + 1;
        for (int i = 0; i < separators.size(); i += 2) {
            Token field = token(from);
            if (field.kind() != Token.Kind.STRING || separators.get(i) != from + 1) {
                throw positions()
                        .error(ErrorCode.QUERY_INVALID, "names in named_struct must be strings", field.start())
                        .build();
            }
            emit((i == 0 ? "" : ", ") + Spelling.name(field.text()) + " :=", field);
            moveTo(separators.get(i) + 1);
            copy(separators.get(i + 1));
            from = separators.get(i + 1) + 1;
        }
        moveTo(from);
        output.append(')');
    }

    private void lateralView(Token token) {
        boolean outer = peek(2).isWord("OUTER");
        int nameIndex = index() + (outer ? 3 : 2);
        Token generator = token(nameIndex);
        String name = Words.upper(generator);
        if (!Set.of("EXPLODE", "POSEXPLODE").contains(name)
                || !token(nameIndex + 1).isSymbol("(")) {
            throw unsupported("LATERAL VIEW of " + generator.text(), generator);
        }
        int close = closing(nameIndex + 1);
        int next = close + 1;
        String table = "__view" + index();
        if (token(next).isName() && !token(next).isWord("AS")) {
            table = token(next++).text();
        }
        if (!token(next).isWord("AS")) {
            throw positions()
                    .error(ErrorCode.QUERY_INVALID, "LATERAL VIEW needs AS and column names", token.start())
                    .build();
        }
        List<String> columns = new ArrayList<>();
        do {
            next++;
            columns.add(token(next++).text());
        } while (token(next).isSymbol(","));
        emit(outer ? "LEFT JOIN LATERAL (" : "CROSS JOIN LATERAL (", token);
        generated(name, columns, nameIndex + 1, close, generator);
        emit(") AS " + Spelling.name(table) + (outer ? " ON true" : ""), token);
        moveTo(next);
    }

    private void generated(String name, List<String> columns, int open, int close, Token generator) {
        boolean positioned = name.equals("POSEXPLODE");
        int values = columns.size() - (positioned ? 1 : 0);
        if (values < 1 || values > 2) {
            throw positions()
                    .error(ErrorCode.QUERY_INVALID, "LATERAL VIEW has the wrong number of columns", generator.start())
                    .build();
        }
        String first = Spelling.name(columns.get(positioned ? 1 : 0));
        emit("SELECT", generator);
        if (positioned) {
            generatorCall("generator_position", open, close);
            emit("AS " + Spelling.name(columns.get(0)) + ",", generator);
        }
        if (values == 1) {
            generatorCall("explode", open, close);
            emit("AS " + first, generator);
        } else {
            generatorCall("generator_keys", open, close);
            emit("AS " + first + ",", generator);
            generatorCall("generator_values", open, close);
            emit("AS " + Spelling.name(columns.get(columns.size() - 1)), generator);
        }
    }

    private void generatorCall(String function, int open, int close) {
        emit(Spelling.name(function), token(open));
        moveTo(open);
        copy(close + 1);
    }

    private boolean interval(Token token) {
        IntervalReader reader = new IntervalReader(all(), index() + 1, positions());
        if (!reader.isLiteral()) {
            return false;
        }
        emit("CAST(" + Spelling.string(reader.read()) + " AS INTERVAL)", token);
        moveTo(reader.index());
        return true;
    }

    private void symbol(Token token) {
        String symbol = token.text();
        switch (symbol) {
            case "(" -> {
                if (!lambdaParameters()) {
                    open(Parenthesis.OTHER);
                }
            }
            case ")" -> close(token);
            case "[" -> {
                if (!Words.endsOperand(previous())) {
                    throw unexpected(token);
                }
                emit(symbol, token);
                skip(1);
            }
            case "::" -> {
                skip(1);
                emit("::" + Spelling.type(type()), token);
            }
            case "~" -> {
                if (Words.endsOperand(previous())) {
                    throw unexpected(token);
                }
                emit(symbol, token);
                skip(1);
            }
            case ";" -> {
                if (peek(1).kind() != Token.Kind.END) {
                    throw positions()
                            .error(ErrorCode.QUERY_NOT_SELECT, "a query must be one SELECT", peek(1).start())
                            .detail("There is more than one statement.")
                            .build();
                }
                skip(1);
            }
            default -> {
                if (FOREIGN_SYMBOLS.contains(symbol)) {
                    throw unexpected(token);
                }
                emit(SYMBOLS.getOrDefault(symbol, symbol), token);
                skip(1);
            }
        }
    }

    private TidemarkException unexpected(Token token) {
        return positions()
                .error(ErrorCode.QUERY_INVALID, "unexpected '" + token.text() + "'", token.start())
                .build();
    }

    private void open(Parenthesis kind) {
        emit("(", token(index()));
        skip(1);
        open.push(kind);
    }

    private void close(Token token) {
        if (open.isEmpty()) {
            throw unexpected(token);
        }
        open.pop();
        boolean ignore = peek(1).isWord("IGNORE");
        if ((ignore || peek(1).isWord("RESPECT")) && peek(2).isWord("NULLS")) {
            emit(ignore ? "IGNORE NULLS )" : ")", token);
            skip(3);
        } else {
            emit(")", token);
            skip(1);
        }
    }

    private boolean lambdaParameters() {
        int close = closing(index());
        if (!token(close + 1).isSymbol("->")) {
            return false;
        }
        StringBuilder parameters = new StringBuilder("lambda ");
        for (int i = index() + 1; i < close; i++) {
            parameters.append(token(i).isSymbol(",") ? ", " : Spelling.name(token(i).text()));
        }
        emit(parameters.append(":").toString(), token(index()));
        moveTo(close + 2);
        return true;
    }

    private DataType type() {
        SparkTypes reader = new SparkTypes(all(), index(), positions());
        DataType type = reader.type();
        moveTo(reader.index());
        return type;
    }
}
