package io.tidemark.sql.parse;

import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.grammar.StatementParser.SettingKeyContext;
import io.tidemark.sql.grammar.StatementParser.SettingValueContext;
import io.tidemark.sql.grammar.StatementTokens;
import io.tidemark.sql.text.Literals;
import org.antlr.v4.runtime.Token;

/** Reads {@code SET name = value}: a value is one quoted text, or everything up to the end as it stands. */
final class SettingReader {
    private final StatementTokens statement;

    SettingReader(StatementTokens statement) {
        this.statement = statement;
    }

    String key(SettingKeyContext context) {
        boolean quoted = context.STRING() != null;
        return quoted ? Literals.string(context.getText()) : context.getText().replace("`", "");
    }

    String value(SettingValueContext context) {
        Token first = context.getStart();
        boolean quoted = context.getChildCount() == 1
                && (first.getType() == StatementLexer.STRING || first.getType() == StatementLexer.RAW_STRING);
        return quoted
                ? Literals.string(first.getText())
                : statement.part(first, context.getStop()).sql();
    }
}
