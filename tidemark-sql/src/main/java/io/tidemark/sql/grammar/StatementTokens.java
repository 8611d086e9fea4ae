package io.tidemark.sql.grammar;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.text.LocatedText;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.antlr.v4.runtime.Token;

/**
 * The tokens of one statement, without its semicolon, comments and white space.
 *
 * @param text the text that they stand in
 * @param tokens the tokens; never empty
 */
public record StatementTokens(LocatedText text, List<Token> tokens) {
    /** Copies the list. */
    public StatementTokens {
        tokens = List.copyOf(tokens);
    }

    /** Cuts a text into statements. A semicolon ends a statement even where brackets are open. */
    public static List<StatementTokens> split(LocatedText text) {
        List<StatementTokens> statements = new ArrayList<>();
        List<Token> current = new ArrayList<>();
        for (Token token : lex(text)) {
            if (token.getType() != StatementLexer.SEMICOLON) {
                current.add(token);
            } else if (!current.isEmpty()) {
                statements.add(new StatementTokens(text, current));
                current.clear();
            }
        }
        if (!current.isEmpty()) {
            statements.add(new StatementTokens(text, current));
        }
        return statements;
    }

    /** All tokens of a text but comments and white space. */
    public static List<Token> lex(LocatedText text) {
        StatementLexer lexer = new StatementLexer(new Utf16CharStream(text.text()));
        lexer.removeErrorListeners();
        List<Token> tokens = new ArrayList<>();
        Token token = lexer.nextToken();
        while (token.getType() != Token.EOF) {
            if (token.getChannel() == Token.DEFAULT_CHANNEL) {
                tokens.add(token);
            }
            token = lexer.nextToken();
        }
        if (lexer.unclosedComment() >= 0) {
            throw text.error(ErrorCode.SYNTAX_ERROR, "the comment does not end", lexer.unclosedComment())
                    .hint("close it with */; comments nest, each /* needs its own */")
                    .build();
        }
        return tokens;
    }

    /** The text from one token to another, both included, with its place. */
    public QueryText part(Token first, Token last) {
        return text.part(first.getStartIndex(), last.getStopIndex() + 1);
    }

    /** The first fault that makes parsing pointless: a string that does not end, a bracket without its partner. */
    public Optional<TidemarkException> fault() {
        Deque<Token> open = new ArrayDeque<>();
        for (Token token : tokens) {
            switch (token.getType()) {
                case StatementLexer.UNTERMINATED_STRING -> {
                    return fault(
                            token,
                            "the string does not end",
                            "close it with " + token.getText().charAt(0));
                }
                case StatementLexer.UNTERMINATED_NAME -> {
                    return fault(token, "the quoted name does not end", "close it with `");
                }
                case StatementLexer.LPAREN, StatementLexer.LBRACKET -> open.push(token);
                case StatementLexer.RPAREN, StatementLexer.RBRACKET -> {
                    if (open.isEmpty() || partner(open.pop()) != token.getType()) {
                        return fault(token, token.getText() + " closes nothing", "remove it, or open it before");
                    }
                }
                default -> {
                    // other tokens need no partner
                }
            }
        }
        return open.isEmpty()
                ? Optional.empty()
                : fault(open.peek(), open.peek().getText() + " is not closed", "close it before the statement ends");
    }

    private Optional<TidemarkException> fault(Token token, String primary, String hint) {
        return Optional.of(text.error(ErrorCode.SYNTAX_ERROR, primary, token.getStartIndex())
                .hint(hint)
                .build());
    }

    private static int partner(Token opening) {
        return opening.getType() == StatementLexer.LPAREN ? StatementLexer.RPAREN : StatementLexer.RBRACKET;
    }
}
