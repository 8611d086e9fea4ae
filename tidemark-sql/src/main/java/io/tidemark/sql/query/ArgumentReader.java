package io.tidemark.sql.query;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.text.LocatedText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the constant arguments of a table function. */
final class ArgumentReader {
    private final LocatedText text;
    private final TokenCursor cursor;
    private final String function;

    /** Positional arguments in order. */
    final List<Value> positional = new ArrayList<>();

    /** Named arguments, names in lower case; entries of a map argument stand beside the others. */
    final Map<String, Value> named = new HashMap<>();

    /**
     * A constant.
     *
     * @param text its value as text
     * @param isString whether it is a string
     * @param place where its content begins, behind the quote of a string
     * @param offset where it begins
     */
    record Value(String text, boolean isString, TextLocation place, int offset) {}

    ArgumentReader(LocatedText text, TokenCursor cursor, String function) {
        this.text = text;
        this.cursor = cursor;
        this.function = function;
    }

    /** Reads the arguments from the opening parenthesis on and takes the closing one. */
    void read() {
        cursor.take();
        while (cursor.type(0) != StatementLexer.RPAREN) {
            readArgument();
            if (cursor.type(0) == StatementLexer.COMMA) {
                cursor.take();
            } else if (cursor.type(0) != StatementLexer.RPAREN) {
                throw constantExpected();
            }
        }
        cursor.take();
    }

    private void readArgument() {
        boolean isNamed = cursor.isName(0) && cursor.type(1) == StatementLexer.FAT_ARROW;
        if (!isNamed) {
            positional.add(value());
            return;
        }
        int offset = cursor.offset();
        String name = Literals.fold(Literals.name(cursor.token(0).getText()));
        cursor.take();
        cursor.take();
        if (cursor.word(0).equals("map") && cursor.type(1) == StatementLexer.LPAREN) {
            readMap();
        } else {
            put(name, value(), offset);
        }
    }

    private void readMap() {
        cursor.take();
        cursor.take();
        while (cursor.type(0) != StatementLexer.RPAREN) {
            int offset = cursor.offset();
            String key = Literals.fold(value().text());
            if (cursor.type(0) != StatementLexer.COMMA) {
                throw cursor.fault(
                        ErrorCode.SYNTAX_ERROR, "map needs pairs of a key and a value", "write map('key', 'value')");
            }
            cursor.take();
            put(key, value(), offset);
            if (cursor.type(0) == StatementLexer.COMMA) {
                cursor.take();
            } else if (cursor.type(0) != StatementLexer.RPAREN) {
                throw constantExpected();
            }
        }
        cursor.take();
    }

    private void put(String name, Value value, int offset) {
        if (named.putIfAbsent(name, value) != null) {
            throw text.error(ErrorCode.DUPLICATE_NAME, "the option " + name + " is given twice", offset)
                    .hint("give each option once")
                    .build();
        }
    }

    private Value value() {
        int offset = cursor.offset();
        int type = cursor.type(0);
        boolean isString = type == StatementLexer.STRING || type == StatementLexer.RAW_STRING;
        StringBuilder said = new StringBuilder();
        if (type == StatementLexer.MINUS) {
            said.append('-');
            cursor.take();
        }
        boolean isNumber = cursor.type(0) == StatementLexer.INTEGER || cursor.type(0) == StatementLexer.NUMBER;
        boolean isBoolean = cursor.word(0).equals("true") || cursor.word(0).equals("false");
        if (!isNumber && !(said.isEmpty() && (isString || isBoolean))) {
            throw constantExpected();
        }
        String literal = cursor.token(0).getText();
        said.append(isString ? Literals.string(literal) : Literals.fold(literal));
        cursor.take();
        int quote = isString ? (type == StatementLexer.RAW_STRING ? 2 : 1) : 0;
        return new Value(said.toString(), isString, text.at(offset + quote), offset);
    }

    private TidemarkException constantExpected() {
        String found =
                cursor.atEnd() ? "the query ends" : "found \"" + cursor.token(0).getText() + "\"";
        return cursor.fault(
                ErrorCode.SYNTAX_ERROR,
                "expected a constant in the arguments of " + function + ", " + found,
                "arguments are strings, numbers, true or false; named ones are written name => value");
    }
}
