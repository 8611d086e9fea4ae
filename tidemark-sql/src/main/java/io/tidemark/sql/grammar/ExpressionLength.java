package io.tidemark.sql.grammar;

import java.util.ArrayList;
import java.util.List;
import org.antlr.v4.runtime.CommonToken;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.ListTokenSource;
import org.antlr.v4.runtime.Token;

/** How far an expression reaches in the tokens of a query. */
public final class ExpressionLength {
    private ExpressionLength() {}

    /**
     * The number of tokens of the expression that begins with the first token; at least 1.
     *
     * @param tokens the rest of a query, not empty
     */
    public static int of(List<Token> tokens) {
        List<Token> copies = new ArrayList<>();
        tokens.forEach(token -> copies.add(new CommonToken(token)));
        CommonTokenStream input = new CommonTokenStream(new ListTokenSource(copies));
        input.LT(1);
        input.consume();
        new ExpressionEnd(input).take();
        return input.index();
    }
}
