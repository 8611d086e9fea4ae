package io.tidemark.sql.parse;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.grammar.StatementTokens;
import io.tidemark.sql.text.LocatedText;
import java.util.Iterator;
import java.util.List;

/** Parses texts of the session. */
public final class SessionParser {
    private SessionParser() {}

    /**
     * Cuts a text into statements and parses each when it is asked for, so that the statements before a faulty one can
     * be executed.
     */
    public static Iterable<SessionStatement> parse(SourceText source) {
        LocatedText text = LocatedText.ofFile(source.fileName(), source.text());
        List<StatementTokens> statements;
        try {
            statements = StatementTokens.split(text);
        } catch (TidemarkException fault) {
            throw text.explain(fault);
        }
        return () -> {
            Iterator<StatementTokens> rest = statements.iterator();
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return rest.hasNext();
                }

                @Override
                public SessionStatement next() {
                    return read(rest.next());
                }
            };
        };
    }

    private static SessionStatement read(StatementTokens statement) {
        try {
            return new SessionReader(statement).read();
        } catch (TidemarkException fault) {
            throw statement.text().explain(fault);
        }
    }
}
