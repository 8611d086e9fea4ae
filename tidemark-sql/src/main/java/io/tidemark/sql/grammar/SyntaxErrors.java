package io.tidemark.sql.grammar;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.text.LocatedText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.RuleContext;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenStream;
import org.antlr.v4.runtime.misc.IntervalSet;
import org.jspecify.annotations.Nullable;

/** Says in plain words what a statement should have been at the place where it went wrong. */
final class SyntaxErrors {
    /** More alternatives than this are not listed one by one. */
    private static final int ALTERNATIVES_MAX = 9;

    private static final int QUOTE_LENGTH_MAX = 30;

    /** Clauses of a change flow by their first words, in the order in which people write them. */
    private static final Map<Integer, String> CLAUSES = clauses();

    private static final List<Integer> STATEMENTS = List.of(
            StatementLexer.CREATE,
            StatementLexer.APPLY,
            StatementLexer.SET,
            StatementLexer.SELECT,
            StatementLexer.INSERT,
            StatementLexer.ALTER,
            StatementLexer.SHOW,
            StatementLexer.DESCRIBE,
            StatementLexer.DROP,
            StatementLexer.WITH,
            StatementLexer.UPDATE,
            StatementLexer.DELETE,
            StatementLexer.MERGE,
            StatementLexer.TRUNCATE);

    /** Words that are only understood to be refused, and second spellings. */
    private static final Set<Integer> UNSAID = Set.of(
            StatementLexer.CHECK,
            StatementLexer.CONSTRAINT,
            StatementLexer.DEFAULT,
            StatementLexer.DOT,
            StatementLexer.FOREIGN,
            StatementLexer.GENERATED,
            StatementLexer.LIVE,
            StatementLexer.LOCATION,
            StatementLexer.MASK,
            StatementLexer.OPTIONS,
            StatementLexer.PRIMARY,
            StatementLexer.ROW,
            StatementLexer.SCHEDULE,
            StatementLexer.TEMP,
            StatementLexer.TRIGGER,
            StatementLexer.USING,
            StatementLexer.WITH);

    private SyntaxErrors() {}

    static TidemarkException of(LocatedText text, Parser parser, RecognitionException fault) {
        Token found = fault.getOffendingToken();
        TokenStream input = parser.getInputStream();
        Token previous = found.getTokenIndex() > 0 ? input.get(found.getTokenIndex() - 1) : null;
        IntervalSet expected = fault.getExpectedTokens();
        String what = found.getType() == Token.EOF ? "the statement ends" : "found " + quote(found.getText());
        String after = previous == null ? "" : " after " + quote(previous.getText());
        TidemarkException.Builder error = text.error(
                ErrorCode.SYNTAX_ERROR,
                "expected " + describe(expected, fault.getCtx()) + after + ", " + what,
                found.getStartIndex());
        suggestion(found, expected).ifPresent(word -> error.hint("did you mean " + word + "?"));
        return error.build();
    }

    private static String describe(IntervalSet expected, @Nullable RuleContext rule) {
        if (expected.contains(StatementLexer.OTHER)) {
            return verbatim(rule);
        }
        if (isStatementStart(expected)) {
            return "a statement such as CREATE STREAMING TABLE, CREATE FLOW, CREATE VIEW or SELECT";
        }
        List<String> words = new ArrayList<>();
        boolean name = expected.contains(StatementLexer.IDENTIFIER);
        boolean clauses = !name && expected.contains(StatementLexer.KEYS) && expected.contains(StatementLexer.SEQUENCE);
        if (clauses) {
            words.addAll(CLAUSES.values());
        }
        if (name) {
            words.add("a name");
        }
        for (int type : expected.toArray()) {
            boolean covered =
                    UNSAID.contains(type) || (name && Words.isName(type)) || (clauses && CLAUSES.containsKey(type));
            if (!covered && type != Token.EOF) {
                words.add(display(type));
            }
        }
        if (words.size() > ALTERNATIVES_MAX && !clauses) {
            words = new ArrayList<>(words.subList(0, ALTERNATIVES_MAX));
            words.add("another clause");
        }
        if (expected.contains(Token.EOF) || words.isEmpty()) {
            words.add("the end of the statement");
        }
        int last = words.size() - 1;
        return last == 0 ? words.get(0) : String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }

    /** Names a run of tokens that passes through unread. */
    private static String verbatim(@Nullable RuleContext rule) {
        int index = rule == null ? -1 : rule.getRuleIndex();
        return switch (index) {
            case StatementParser.RULE_source -> "STREAM(table), a name or a query in parentheses";
            case StatementParser.RULE_expression -> "an expression";
            case StatementParser.RULE_settingValue -> "a value";
            case StatementParser.RULE_mergeSource -> "a table or a query in parentheses";
            default -> "a query";
        };
    }

    private static String display(int type) {
        return switch (type) {
            case StatementLexer.STRING -> "a quoted text";
            case StatementLexer.INTEGER -> "a whole number";
            case StatementLexer.NUMBER -> "a number";
            case StatementLexer.EQ -> "=";
            case StatementLexer.LPAREN -> "(";
            case StatementLexer.RPAREN -> ")";
            case StatementLexer.COMMA -> "a comma";
            case StatementLexer.NOT -> "NOT NULL";
            case StatementLexer.CLUSTER -> "CLUSTER BY";
            case StatementLexer.PARTITIONED -> "PARTITIONED BY";
            default -> {
                String literal = StatementLexer.VOCABULARY.getLiteralName(type);
                String symbol = StatementLexer.VOCABULARY.getSymbolicName(type);
                yield literal != null ? literal.substring(1, literal.length() - 1) : String.valueOf(symbol);
            }
        };
    }

    private static Optional<String> suggestion(Token found, IntervalSet expected) {
        boolean isWord = Words.isName(found.getType()) && found.getType() != StatementLexer.BACKQUOTED;
        if (!isWord || expected.size() == 0) {
            return Optional.empty();
        }
        boolean anyName = expected.contains(StatementLexer.IDENTIFIER);
        List<String> candidates = new ArrayList<>();
        for (int type : isStatementStart(expected)
                ? STATEMENTS.stream().mapToInt(t -> t).toArray()
                : expected.toArray()) {
            if (Words.isKeyword(type) && !anyName) {
                candidates.add(String.valueOf(StatementLexer.VOCABULARY.getSymbolicName(type)));
            }
        }
        return Words.nearest(found.getText(), candidates);
    }

    private static boolean isStatementStart(IntervalSet expected) {
        return expected.contains(StatementLexer.CREATE)
                && expected.contains(StatementLexer.APPLY)
                && !expected.contains(StatementLexer.IDENTIFIER);
    }

    private static String quote(String text) {
        String line = text.replaceAll("\\s+", " ");
        return "\"" + (line.length() <= QUOTE_LENGTH_MAX ? line : line.substring(0, QUOTE_LENGTH_MAX) + "...") + "\"";
    }

    private static Map<Integer, String> clauses() {
        Map<Integer, String> clauses = new LinkedHashMap<>();
        clauses.put(StatementLexer.KEYS, "KEYS (...)");
        clauses.put(StatementLexer.IGNORE, "IGNORE NULL UPDATES");
        clauses.put(StatementLexer.APPLY, "APPLY AS DELETE WHEN");
        clauses.put(StatementLexer.SEQUENCE, "SEQUENCE BY");
        clauses.put(StatementLexer.SYSTEM, "SYSTEM SEQUENCE BY");
        clauses.put(StatementLexer.COLUMNS, "COLUMNS");
        clauses.put(StatementLexer.STORED, "STORED AS");
        clauses.put(StatementLexer.TRACK, "TRACK HISTORY ON");
        return Collections.unmodifiableMap(clauses);
    }
}
