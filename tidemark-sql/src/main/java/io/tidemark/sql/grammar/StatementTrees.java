package io.tidemark.sql.grammar;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.text.LocatedText;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CommonToken;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.ListTokenSource;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.misc.ParseCancellationException;

/** Parses tokens to ANTLR's trees; faults become errors with their place. */
public final class StatementTrees {
    private StatementTrees() {}

    /** Parses a statement. */
    public static StatementParser.StatementContext statement(StatementTokens statement) {
        return parse(statement.text(), statement.tokens(), StatementParser::statement);
    }

    /** Parses a type. */
    public static StatementParser.SingleTypeContext type(LocatedText text) {
        return parse(text, StatementTokens.lex(text), StatementParser::singleType);
    }

    /** Parses a column list without parentheses. */
    public static StatementParser.SchemaTextContext schema(LocatedText text) {
        return parse(text, StatementTokens.lex(text), StatementParser::schemaText);
    }

    private static <T> T parse(LocatedText text, List<Token> tokens, Function<StatementParser, T> rule) {
        if (!tokens.isEmpty()) {
            new StatementTokens(text, tokens).fault().ifPresent(fault -> {
                throw fault;
            });
        }
        StatementParser parser = new StatementParser(new CommonTokenStream(new ListTokenSource(withEnd(text, tokens))));
        parser.removeErrorListeners();
        parser.addErrorListener(new BaseErrorListener());
        parser.setErrorHandler(new FirstErrorStrategy());
        try {
            return rule.apply(parser);
        } catch (ParseCancellationException fault) {
            if (fault.getCause() instanceof RecognitionException reason) {
                throw SyntaxErrors.of(text, parser, reason);
            }
            throw fault;
        } catch (RefusedStatement refused) {
            String message = refused.getMessage() == null ? "refused" : refused.getMessage();
            TidemarkException.Builder error = text.error(refused.code(), message, refused.offset());
            throw error.hint(refused.hint()).build();
        } catch (RecognitionException fault) {
            throw SyntaxErrors.of(text, parser, fault);
        } catch (StackOverflowError tooDeep) {
            throw text.error(ErrorCode.SYNTAX_ERROR, "the statement nests too deeply", 0)
                    .cause(tooDeep)
                    .build();
        }
    }

    /** Adds the end token just behind the last one, so that faults at the end point there. */
    private static List<Token> withEnd(LocatedText text, List<Token> tokens) {
        List<Token> all = new ArrayList<>(tokens);
        int end = tokens.isEmpty()
                ? text.text().length()
                : tokens.get(tokens.size() - 1).getStopIndex() + 1;
        CommonToken last = new CommonToken(Token.EOF, "<EOF>");
        last.setStartIndex(end);
        last.setStopIndex(end - 1);
        all.add(last);
        return all;
    }
}
