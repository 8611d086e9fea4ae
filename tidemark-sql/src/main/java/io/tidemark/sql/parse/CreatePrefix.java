package io.tidemark.sql.parse;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.grammar.StatementParser.CreateStatementContext;
import java.util.Arrays;
import java.util.List;

/** The words that may stand between CREATE and the kind of object. */
enum CreatePrefix {
    REFRESH,
    REPLACE;

    /** Refuses OR REFRESH or OR REPLACE where it has no meaning. */
    static void check(CreateStatementContext create, Names names, CreatePrefix... allowed) {
        boolean replaces = create.replace != null;
        if (!replaces && create.refresh == null) {
            return;
        }
        CreatePrefix said = replaces ? REPLACE : REFRESH;
        List<CreatePrefix> fitting = Arrays.asList(allowed);
        if (!fitting.contains(said)) {
            String hint = fitting.isEmpty() ? "write CREATE alone" : "write CREATE or CREATE OR " + fitting.get(0);
            throw TidemarkException.of(ErrorCode.SYNTAX_ERROR, "OR " + said + " is not possible here")
                    .at(names.at(create.OR().getSymbol()))
                    .hint(hint)
                    .build();
        }
    }
}
