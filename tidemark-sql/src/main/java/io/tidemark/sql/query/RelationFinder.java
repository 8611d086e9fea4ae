package io.tidemark.sql.query;

import io.tidemark.core.engine.QueryText;
import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.grammar.StatementTokens;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.text.LocatedText;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.antlr.v4.runtime.Token;

/**
 * Walks through the tokens of a query and knows where a relation may stand: behind FROM and JOIN, and behind commas of a
 * FROM list. FROM counts only directly in a query, not in the parentheses of a function such as
 * {@code extract(year FROM t)}, and not in {@code IS DISTINCT FROM}.
 */
final class RelationFinder {
    /** Words behind a relation that begin something else and so are no alias; and behind STREAM no table. */
    private static final Set<String> FOLLOWERS = Set.of(
            "as",
            "where",
            "join",
            "inner",
            "left",
            "right",
            "full",
            "cross",
            "natural",
            "semi",
            "anti",
            "on",
            "using",
            "group",
            "having",
            "order",
            "sort",
            "distribute",
            "cluster",
            "limit",
            "offset",
            "union",
            "except",
            "intersect",
            "minus",
            "window",
            "lateral",
            "tablesample",
            "pivot",
            "unpivot",
            "for",
            "select",
            "qualify",
            "outer",
            "with");

    /** Words that end a FROM list. */
    private static final Set<String> LIST_ENDS = Set.of(
            "where",
            "group",
            "having",
            "order",
            "sort",
            "distribute",
            "cluster",
            "limit",
            "offset",
            "union",
            "except",
            "intersect",
            "minus",
            "window",
            "select",
            "qualify");

    private final LocatedText text;
    private final TokenCursor cursor;
    private final RelationReader reader;
    private final Set<String> qualifiers;
    private final Deque<Level> levels = new ArrayDeque<>();
    private final List<Edit> edits = new ArrayList<>();
    private final List<RelationReference> references = new ArrayList<>();
    /** Index of the first token behind the run of opening parentheses at the cursor. */
    private int runEnd;

    /** What is known of one level of parentheses. */
    private static final class Level {
        final boolean readsRelations;
        boolean inList;
        boolean relationNext;
        boolean inValues;

        Level(boolean readsRelations, boolean relationNext) {
            this.readsRelations = readsRelations;
            this.relationNext = relationNext;
        }
    }

    /** A part of the text and what takes its place. */
    private record Edit(int from, int to, String replacement) {}

    RelationFinder(LocatedText text, ZoneId zone) {
        List<Token> tokens = StatementTokens.lex(text);
        this.text = text;
        this.cursor = new TokenCursor(text, tokens);
        this.reader = new RelationReader(text, cursor, zone);
        this.qualifiers = qualifiers(tokens);
        if (!tokens.isEmpty()) {
            new StatementTokens(text, tokens).fault().ifPresent(fault -> {
                throw fault;
            });
        }
    }

    ScannedQuery scan() {
        levels.push(new Level(true, false));
        while (!cursor.atEnd()) {
            step(levels.element());
        }
        return new ScannedQuery(new QueryText(edited(), text.origin()), references);
    }

    private void step(Level level) {
        switch (cursor.type(0)) {
            case StatementLexer.LPAREN -> {
                boolean query = beginsQuery();
                boolean group = level.relationNext && !query;
                level.relationNext = false;
                Level inner = new Level(query || group, group);
                inner.inList = group;
                levels.push(inner);
                cursor.take();
            }
            case StatementLexer.LBRACKET -> {
                levels.push(new Level(false, false));
                cursor.take();
            }
            case StatementLexer.RPAREN, StatementLexer.RBRACKET -> {
                if (levels.size() > 1) {
                    levels.pop();
                }
                cursor.take();
            }
            case StatementLexer.COMMA -> {
                level.relationNext = level.inList && !level.inValues;
                cursor.take();
            }
            default -> stepWord(level);
        }
    }

    private void stepWord(Level level) {
        String word = cursor.word(0);
        boolean isField = cursor.type(-1) == StatementLexer.DOT;
        if (!level.readsRelations || isField) {
            cursor.take();
        } else if (level.relationNext && cursor.isName(0) && !word.equals("lateral")) {
            level.relationNext = false;
            if (word.equals("values")) {
                level.inValues = true;
                cursor.take();
            } else {
                relation();
            }
        } else {
            stepClause(level, word);
            cursor.take();
        }
    }

    private void stepClause(Level level, String word) {
        boolean distinctFrom = word.equals("from") && cursor.word(-1).equals("distinct") && isOperator();
        boolean beginsTable = word.equals("table") && (cursor.index() == 0 || isBehindStart());
        if (word.equals("from") && !distinctFrom) {
            level.inList = true;
            level.relationNext = true;
        } else if (word.equals("join") || beginsTable) {
            level.relationNext = true;
        } else if (LIST_ENDS.contains(word)
                || (word.equals("lateral") && cursor.word(1).equals("view"))) {
            level.inList = false;
            level.relationNext = false;
        }
        if (!word.isEmpty()) {
            level.inValues = false;
        }
    }

    /** Whether DISTINCT, just taken, belongs to IS DISTINCT FROM. */
    private boolean isOperator() {
        return cursor.word(-2).equals("is") || cursor.word(-2).equals("not");
    }

    private boolean isBehindStart() {
        return cursor.type(-1) == StatementLexer.LPAREN
                || Set.of("union", "all", "except", "intersect", "minus").contains(cursor.word(-1));
    }

    /** Whether the parenthesis at the cursor, or one of those that follow it at once, begins with a query. */
    private boolean beginsQuery() {
        if (cursor.index() >= runEnd) {
            // found once for a run of parentheses, so that deep nesting takes no longer
            int distance = 1;
            while (cursor.type(distance) == StatementLexer.LPAREN) {
                distance++;
            }
            runEnd = cursor.index() + distance;
        }
        int distance = runEnd - cursor.index();
        return switch (cursor.type(distance)) {
            case StatementLexer.SELECT, StatementLexer.WITH, StatementLexer.VALUES -> true;
            case StatementLexer.FROM, StatementLexer.TABLE -> distance == 1 && cursor.isName(2);
            default -> false;
        };
    }

    private void relation() {
        int from = cursor.offset();
        Optional<RelationReference> found = reader.read(references.size(), FOLLOWERS);
        if (found.isEmpty()) {
            return;
        }
        RelationReference reference = found.get();
        references.add(reference);
        String name = Literals.quote(reference.placeholder());
        if (reference instanceof RelationReference.TableReference table && !hasAlias()) {
            String own = table.table().name();
            name += qualifiers.contains(Literals.fold(own)) ? " " + Literals.quote(own) : "";
        }
        edits.add(new Edit(from, cursor.endOfLast(), name));
    }

    private boolean hasAlias() {
        return cursor.word(0).equals("as") || (cursor.isName(0) && !FOLLOWERS.contains(cursor.word(0)));
    }

    /** The text with placeholders, filled up so that what follows keeps its line and column. */
    private String edited() {
        StringBuilder result = new StringBuilder();
        int done = 0;
        for (Edit edit : edits) {
            String replaced = text.text().substring(edit.from(), edit.to());
            result.append(text.text(), done, edit.from()).append(edit.replacement());
            int lastLine = Math.max(replaced.lastIndexOf('\n'), replaced.lastIndexOf('\r')) + 1;
            replaced.chars().filter(c -> c == '\n' || c == '\r').forEach(c -> result.append((char) c));
            int room = replaced.length()
                    - lastLine
                    - (lastLine == 0 ? edit.replacement().length() : 0);
            result.append(" ".repeat(Math.max(0, room)));
            done = edit.to();
        }
        return result.append(text.text().substring(done)).toString();
    }

    private static Set<String> qualifiers(List<Token> tokens) {
        Set<String> found = new HashSet<>();
        for (int i = 0; i + 1 < tokens.size(); i++) {
            if (tokens.get(i + 1).getType() == StatementLexer.DOT) {
                found.add(Literals.fold(Literals.name(tokens.get(i).getText())));
            }
        }
        return found;
    }
}
