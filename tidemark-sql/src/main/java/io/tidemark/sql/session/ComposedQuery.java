package io.tidemark.sql.session;

import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.warehouse.Relations;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A query of our words and of pieces that a user wrote. Each piece begins in a line of its own, so that the place of a
 * fault in a piece is told by the line.
 */
final class ComposedQuery {
    private static final String LABEL = "<composed>";

    private final StringBuilder text = new StringBuilder();
    private final List<Piece> pieces = new ArrayList<>();
    private int line = 1;

    /** A user's piece and the lines that it takes. */
    private record Piece(int firstLine, int lastLine, TextLocation place) {}

    /** Adds words of ours, without line ends. */
    ComposedQuery add(String words) {
        text.append(words);
        return this;
    }

    /** Adds what a user wrote. */
    ComposedQuery add(QueryText piece) {
        text.append('\n').append(piece.sql()).append('\n');
        int first = line + 1;
        int last = first + lineEnds(piece.sql());
        pieces.add(new Piece(first, last, piece.location()));
        line = last + 1;
        return this;
    }

    /** Adds pieces that a user wrote in parentheses, as one operand. */
    ComposedQuery addOperand(QueryText piece) {
        return add("(").add(piece).add(")");
    }

    /** Resolves, checks and translates the query; faults in pieces are reported at their own places. */
    PreparedQuery prepare(Relations relations) {
        try {
            return relations.prepare(new QueryText(text.toString(), new TextLocation(LABEL, 1, 1)));
        } catch (TidemarkException fault) {
            throw relocated(fault);
        }
    }

    private TidemarkException relocated(TidemarkException fault) {
        Optional<TextLocation> place =
                fault.location().filter(found -> found.file().equals(LABEL));
        if (place.isEmpty()) {
            return fault;
        }
        TidemarkException.Builder moved = TidemarkException.of(fault.code(), fault.primary())
                .cause(fault.getCause() == null ? fault : fault.getCause());
        fault.detail()
                .map(ComposedQuery::withoutExcerpt)
                .filter(detail -> !detail.isEmpty())
                .ifPresent(moved::detail);
        fault.hint().ifPresent(moved::hint);
        original(place.get()).ifPresent(moved::at);
        return moved.build();
    }

    private Optional<TextLocation> original(TextLocation place) {
        return pieces.stream()
                .filter(piece -> piece.firstLine() <= place.line() && place.line() <= piece.lastLine())
                .findFirst()
                .filter(piece -> piece.place().isKnown())
                .map(piece -> {
                    TextLocation start = piece.place();
                    int down = place.line() - piece.firstLine();
                    int column = down == 0 ? start.column() + place.column() - 1 : place.column();
                    return new TextLocation(start.file(), start.line() + down, column);
                });
    }

    /** An excerpt shows the composed text, which the user never saw. */
    private static String withoutExcerpt(String detail) {
        if (!detail.endsWith("^")) {
            return detail;
        }
        int caret = detail.lastIndexOf('\n');
        int source = caret < 0 ? -1 : detail.lastIndexOf('\n', caret - 1);
        return source < 0 ? "" : detail.substring(0, source);
    }

    private static int lineEnds(String text) {
        int ends = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean alone = c == '\r' && (i + 1 == text.length() || text.charAt(i + 1) != '\n');
            ends += c == '\n' || alone ? 1 : 0;
        }
        return ends;
    }
}
