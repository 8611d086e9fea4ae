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
final class Respelling {
    private static final Set<String> FIRST_WORDS = Set.of("SELECT", "WITH", "VALUES", "FROM");
    /** Words before a parenthesis that are no function names. */
    private static final Set<String> KEYWORDS = Set.of(
            "SELECT",
            "FROM",
            "WHERE",
            "AND",
            "OR",
            "NOT",
            "IN",
            "OVER",
            "VALUES",
            "USING",
            "ON",
            "AS",
            "WHEN",
            "THEN",
            "ELSE",
            "CASE",
            "BETWEEN",
            "UNION",
            "ALL",
            "EXCEPT",
            "INTERSECT",
            "MINUS",
            "HAVING",
            "BY",
            "JOIN",
            "WITH",
            "DISTINCT",
            "LIKE",
            "ILIKE",
            "RLIKE",
            "REGEXP",
            "LIMIT",
            "OFFSET",
            "IS",
            "QUALIFY",
            "SETS",
            "ROLLUP",
            "CUBE",
            "WINDOW",
            "LATERAL",
            "DIV",
            "END",
            "SET",
            "CROSS",
            "INNER",
            "OUTER",
            "FULL",
            "NATURAL",
            "SEMI",
            "ANTI",
            "RECURSIVE",
            "ESCAPE",
            "INTERVAL");
    /** Functions that may be written with words between their arguments. */
    private static final Set<String> WORDY_FUNCTIONS = Set.of("EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "POSITION");

    private static final Set<String> WORDS_IN_FUNCTIONS = Set.of("FROM", "IN", "BOTH", "LEADING", "TRAILING");
    private static final Set<String> TRIM_FUNCTIONS = Set.of("TRIM", "LTRIM", "RTRIM", "BTRIM");
    private static final Set<String> NILADIC = Set.of("CURRENT_DATE", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP");
    private static final Map<String, String> SYMBOLS = Map.of("==", "=", "<=>", "IS NOT DISTINCT FROM", "!", "NOT");
    private static final Set<String> FOREIGN_SYMBOLS =
            Set.of("^", ":=", "?", "{", "}", "#", "@", "$", "**", "->>", "->", "|>", "!<", "!>", ":", "=>");

    private final List<Token> tokens;
    private final Positions positions;
    private final StringBuilder output = new StringBuilder();
    private final TreeMap<Integer, Integer> offsets = new TreeMap<>();
    private final Deque<Parenthesis> open = new ArrayDeque<>();

    private int index;

    private Respelling(List<Token> tokens, Positions positions) {
        this.tokens = tokens;
        this.positions = positions;
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
        List<Token> tokens = Lexer.tokens(sql, positions);
        Token first = tokens.get(0);
        boolean query = first.isSymbol("(") || (first.kind() == Token.Kind.WORD && FIRST_WORDS.contains(upper(first)));
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
        while (index < end) {
            step();
        }
    }

    private void step() {
        Token token = tokens.get(index);
        switch (token.kind()) {
            case STRING -> string(token);
            case BINARY -> {
                emit("\"unhex\"(" + Spelling.string(token.text()) + ")", token);
                index++;
            }
            case NUMBER -> {
                emit(number(token), token);
                index++;
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
            index++;
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
        index++;
    }

    /** In {@code VALUES … AS t(a)} and {@code WITH q(a) AS} a parenthesis follows a name that is no function. */
    private boolean tableAliasBefore() {
        Token before = previous();
        boolean alias = before.isSymbol(")")
                || before.isWord("WITH")
                || before.isWord("RECURSIVE")
                || (before.isName() && !KEYWORDS.contains(upper(before)));
        return alias || (before.isSymbol(",") && definesQuery());
    }

    /** Whether the name and its list of columns are followed by {@code AS (}, as in WITH. */
    private boolean definesQuery() {
        int close = closing(index + 1);
        return token(close + 1).isWord("AS") && token(close + 2).isSymbol("(");
    }

    private void word(Token token) {
        String word = upper(token);
        if (refuseOrSpecial(word, token) || lambda()) {
            return;
        }
        if (NILADIC.contains(word) && !peek(1).isSymbol("(") && !previous().isSymbol(".")) {
            emit(Spelling.name(word.toLowerCase(Locale.ROOT)) + "()", token);
            index++;
        } else if (isCall(word)) {
            call(word, token);
        } else if (word.equals("AS") && open.peek() == Parenthesis.CAST) {
            open.pop();
            open.push(Parenthesis.OTHER);
            index++;
            emit("AS " + Spelling.type(type()), token);
        } else {
            emit(token.text(), token);
            index++;
        }
    }

    private boolean isCall(String word) {
        if (!peek(1).isSymbol("(") || KEYWORDS.contains(word) || previous().isSymbol(".")) {
            return false;
        }
        return switch (word) {
            case "FILTER" -> !previous().isSymbol(")");
            case "EXISTS" -> !isQueryStart(peek(2));
            case "ANY", "SOME" -> !isQueryStart(peek(2));
            default -> !previous().isWord("AS") && !tableAliasBefore();
        };
    }

    private static boolean isQueryStart(Token token) {
        return token.isWord("SELECT") || token.isWord("WITH") || token.isWord("VALUES") || token.isWord("FROM");
    }

    /** Handles words that need more than copying; returns whether it did. */
    private boolean refuseOrSpecial(String word, Token token) {
        switch (word) {
            case "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ" -> {
                if (peek(1).kind() == Token.Kind.STRING && !endsOperand(previous())) {
                    DataType type = SparkTypes.scalar(word).orElseThrow();
                    emit("CAST(" + Spelling.string(peek(1).text()) + " AS " + Spelling.type(type) + ")", token);
                    index += 2;
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
                        isQueryStart(next) || next.isSymbol("(") || next.isWord("ALL") || next.isWord("DISTINCT");
                return operator && infix("EXCEPT", token);
            }
            case "LEFT" -> {
                if (peek(1).isWord("SEMI") || peek(1).isWord("ANTI")) {
                    index++;
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
                    throw positions
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
        return positions
                .error(ErrorCode.UNSUPPORTED_FEATURE, what + " is not supported by the embedded engine", token.start())
                .build();
    }

    private boolean infix(String operator, Token token) {
        if (!endsOperand(previous()) && !previous().isWord("NOT")) {
            return false;
        }
        emit(operator, token);
        index++;
        return true;
    }

    private static boolean endsOperand(Token token) {
        return switch (token.kind()) {
            case NAME, STRING, BINARY, NUMBER -> true;
            case WORD -> !KEYWORDS.contains(upper(token)) || token.isWord("END");
            case SYMBOL -> token.isSymbol(")") || token.isSymbol("]");
            case END -> false;
        };
    }

    /** Writes {@code x -> …} and {@code (x, y) -> …} as DuckDB's lambdas. */
    private boolean lambda() {
        if (peek(1).isSymbol("->")) {
            emit("lambda " + Spelling.name(peek(0).text()) + ":", peek(0));
            index += 2;
            return true;
        }
        return false;
    }

    private void call(String word, Token token) {
        switch (word) {
            case "CAST", "TRY_CAST" -> {
                emit(word, token);
                index++;
                open(Parenthesis.CAST);
            }
            case "STRUCT" -> struct(token);
            case "NAMED_STRUCT" -> namedStruct(token);
            case "GROUPING", "ROW" -> {
                if (word.equals("ROW")) {
                    throw unknownFunction(token);
                }
                emit(word, token);
                index++;
            }
            default -> {
                if (WORDY_FUNCTIONS.contains(word) && holdsWord(index + 1)) {
                    emit(word, token);
                    index++;
                    open(Parenthesis.WORDY_FUNCTION);
                } else if (word.equals("POSITION")) {
                    emit("\"locate\"", token);
                    index++;
                } else {
                    if (TRIM_FUNCTIONS.contains(word) && separators(index + 1).size() > 1) {
                        throw positions
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
        index++;
    }

    private TidemarkException unknownFunction(Token token) {
        return Functions.unknown(positions, token.text(), token.start());
    }

    private boolean holdsWord(int openIndex) {
        int close = closing(openIndex);
        int depth = 0;
        for (int i = openIndex; i < close; i++) {
            Token token = token(i);
            if (token.isSymbol("(")) {
                depth++;
            } else if (token.isSymbol(")")) {
                depth--;
            } else if (depth == 1 && token.kind() == Token.Kind.WORD && WORDS_IN_FUNCTIONS.contains(upper(token))) {
                return true;
            }
        }
        return false;
    }

    private int closing(int openIndex) {
        int depth = 0;
        for (int i = openIndex; i < tokens.size(); i++) {
            if (tokens.get(i).isSymbol("(")) {
                depth++;
            } else if (tokens.get(i).isSymbol(")")) {
                depth--;
                if (depth == 0) {
                    return i;
                }
            }
        }
        throw positions
                .error(
                        ErrorCode.SYNTAX_ERROR,
                        "a parenthesis is not closed",
                        token(openIndex).start())
                .build();
    }

    /** Indexes of the commas between the arguments in a parenthesis, and of its end. */
    private List<Integer> separators(int openIndex) {
        List<Integer> separators = new ArrayList<>();
        int close = closing(openIndex);
        int depth = 0;
        for (int i = openIndex; i < close; i++) {
            Token token = token(i);
            if (token.isSymbol("(") || token.isSymbol("[")) {
                depth++;
            } else if (token.isSymbol(")") || token.isSymbol("]")) {
                depth--;
            } else if (depth == 1 && token.isSymbol(",")) {
                separators.add(i);
            }
        }
        separators.add(close);
        return separators;
    }

    private void struct(Token token) {
        int open = index + 1;
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
            index = from;
            copy(end);
            from = separator + 1;
        }
        index = from;
        output.append(')');
    }

    private boolean isPath(int from, int end) {
        for (int i = from; i < end; i++) {
            boolean name = (i - from) % 2 == 0;
            if (name ? !token(i).isName() : !token(i).isSymbol(".")) {
                return false;
            }
        }
        return true;
    }

    private void namedStruct(Token token) {
        int open = index + 1;
        List<Integer> separators = separators(open);
        if (separators.size() % 2 != 0) {
            throw positions
                    .error(ErrorCode.QUERY_INVALID, "named_struct needs a name for each value", token.start())
                    .build();
        }
        emit("struct_pack(", token);
        int from = open + 1;
        for (int i = 0; i < separators.size(); i += 2) {
            Token field = token(from);
            if (field.kind() != Token.Kind.STRING || separators.get(i) != from + 1) {
                throw positions
                        .error(ErrorCode.QUERY_INVALID, "names in named_struct must be strings", field.start())
                        .build();
            }
            emit((i == 0 ? "" : ", ") + Spelling.name(field.text()) + " :=", field);
            index = separators.get(i) + 1;
            copy(separators.get(i + 1));
            from = separators.get(i + 1) + 1;
        }
        index = from;
        output.append(')');
    }

    private void lateralView(Token token) {
        boolean outer = peek(2).isWord("OUTER");
        int nameIndex = index + (outer ? 3 : 2);
        Token generator = token(nameIndex);
        String name = upper(generator);
        if (!Set.of("EXPLODE", "POSEXPLODE").contains(name)
                || !token(nameIndex + 1).isSymbol("(")) {
            throw unsupported("LATERAL VIEW of " + generator.text(), generator);
        }
        int close = closing(nameIndex + 1);
        int next = close + 1;
        String table = "__view" + index;
        if (token(next).isName() && !token(next).isWord("AS")) {
            table = token(next++).text();
        }
        if (!token(next).isWord("AS")) {
            throw positions
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
        index = next;
    }

    private void generated(String name, List<String> columns, int open, int close, Token generator) {
        boolean positioned = name.equals("POSEXPLODE");
        int values = columns.size() - (positioned ? 1 : 0);
        if (values < 1 || values > 2) {
            throw positions
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
        index = open;
        copy(close + 1);
    }

    private boolean interval(Token token) {
        IntervalReader reader = new IntervalReader(tokens, index + 1, positions);
        if (!reader.isLiteral()) {
            return false;
        }
        emit("CAST(" + Spelling.string(reader.read()) + " AS INTERVAL)", token);
        index = reader.index();
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
                if (!endsOperand(previous())) {
                    throw unexpected(token);
                }
                emit(symbol, token);
                index++;
            }
            case "::" -> {
                index++;
                emit("::" + Spelling.type(type()), token);
            }
            case "~" -> {
                if (endsOperand(previous())) {
                    throw unexpected(token);
                }
                emit(symbol, token);
                index++;
            }
            case ";" -> {
                if (peek(1).kind() != Token.Kind.END) {
                    throw positions
                            .error(ErrorCode.QUERY_NOT_SELECT, "a query must be one SELECT", peek(1).start())
                            .detail("There is more than one statement.")
                            .build();
                }
                index++;
            }
            default -> {
                if (FOREIGN_SYMBOLS.contains(symbol)) {
                    throw unexpected(token);
                }
                emit(SYMBOLS.getOrDefault(symbol, symbol), token);
                index++;
            }
        }
    }

    private TidemarkException unexpected(Token token) {
        return positions
                .error(ErrorCode.QUERY_INVALID, "unexpected '" + token.text() + "'", token.start())
                .build();
    }

    private void open(Parenthesis kind) {
        emit("(", token(index));
        index++;
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
            index += 3;
        } else {
            emit(")", token);
            index++;
        }
    }

    private boolean lambdaParameters() {
        int close = closing(index);
        if (!token(close + 1).isSymbol("->")) {
            return false;
        }
        StringBuilder parameters = new StringBuilder("lambda ");
        for (int i = index + 1; i < close; i++) {
            parameters.append(token(i).isSymbol(",") ? ", " : Spelling.name(token(i).text()));
        }
        emit(parameters.append(":").toString(), token(index));
        index = close + 2;
        return true;
    }

    private DataType type() {
        SparkTypes reader = new SparkTypes(tokens, index, positions);
        DataType type = reader.type();
        index = reader.index();
        return type;
    }

    private Token peek(int ahead) {
        return token(index + ahead);
    }

    private Token previous() {
        return index == 0 ? tokens.get(tokens.size() - 1) : tokens.get(index - 1);
    }

    private Token token(int at) {
        return tokens.get(Math.min(at, tokens.size() - 1));
    }

    private static String upper(Token token) {
        return token.text().toUpperCase(Locale.ROOT);
    }
}
