package io.tidemark.sql.query;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.sql.grammar.Brackets;
import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.grammar.StatementTokens;
import io.tidemark.sql.grammar.Words;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.text.LocatedText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.antlr.v4.runtime.Token;

/** Finds the equalities of a join condition: {@code target.a = source.b AND …}. */
public final class KeyPairs {
    private final List<Token> tokens;
    private final StructType target;
    private final String targetName;
    private final StructType source;
    private final String sourceName;

    private KeyPairs(QueryText on, StructType target, String targetName, StructType source, String sourceName) {
        this.tokens = StatementTokens.lex(LocatedText.of(on));
        this.target = target;
        this.targetName = targetName;
        this.source = source;
        this.sourceName = sourceName;
    }

    /**
     * A column of each side that must be equal.
     *
     * @param target the target's column
     * @param source the source's column
     */
    public record Pair(StructField target, StructField source) {}

    /** The equalities that must all hold; none if the condition is of another form. */
    public static List<Pair> of(
            QueryText on, StructType target, String targetName, StructType source, String sourceName) {
        return new KeyPairs(on, target, targetName, source, sourceName).find();
    }

    private List<Pair> find() {
        List<Pair> pairs = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i <= tokens.size(); i++) {
            depth += i < tokens.size() ? Brackets.step(type(i)) : 0;
            String word = i < tokens.size() && depth == 0 ? word(i) : "";
            if (List.of("or", "not", "case", "between").contains(word)) {
                return List.of();
            }
            if (i == tokens.size() || word.equals("and")) {
                pair(start, i).ifPresent(pairs::add);
                start = i + 1;
            }
        }
        return pairs;
    }

    private Optional<Pair> pair(int from, int to) {
        int equal = from;
        while (equal < to && type(equal) != StatementLexer.EQ) {
            equal++;
        }
        if (equal == to || equal == from) {
            return Optional.empty();
        }
        Optional<Pair> straight = pair(from, equal, equal + 1, to);
        return straight.isPresent() ? straight : pair(equal + 1, to, from, equal);
    }

    private Optional<Pair> pair(int from, int to, int otherFrom, int otherTo) {
        Optional<StructField> left = column(from, to, target, targetName, source);
        Optional<StructField> right = column(otherFrom, otherTo, source, sourceName, target);
        return left.isPresent() && right.isPresent()
                ? Optional.of(new Pair(left.get(), right.get()))
                : Optional.empty();
    }

    /** The column that tokens name and nothing else. */
    private Optional<StructField> column(int from, int to, StructType side, String qualifier, StructType other) {
        if (to - from == 1 && Words.isName(type(from))) {
            return side.field(name(from)).filter(field -> !other.has(field.name()));
        }
        boolean qualified = to - from == 3
                && Words.isName(type(from))
                && type(from + 1) == StatementLexer.DOT
                && Words.isName(type(from + 2))
                && name(from).equalsIgnoreCase(qualifier);
        return qualified ? side.field(name(from + 2)) : Optional.empty();
    }

    private int type(int index) {
        return tokens.get(index).getType();
    }

    private String name(int index) {
        return Literals.name(tokens.get(index).getText());
    }

    private String word(int index) {
        boolean bare = Words.isName(type(index)) && type(index) != StatementLexer.BACKQUOTED;
        boolean field = index > 0 && type(index - 1) == StatementLexer.DOT;
        return bare && !field ? Literals.fold(tokens.get(index).getText()) : "";
    }
}
