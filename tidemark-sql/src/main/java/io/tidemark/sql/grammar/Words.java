package io.tidemark.sql.grammar;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Words of the language and names: which tokens are which, and what a misspelled word may have meant. */
public final class Words {
    private Words() {}

    /** Whether a token is a word of the language; each of them may also be a name. */
    public static boolean isKeyword(int tokenType) {
        return tokenType >= StatementLexer.ADD && tokenType <= StatementLexer.WITH;
    }

    /** Whether a token may be a name or a part of one. */
    public static boolean isName(int tokenType) {
        return tokenType == StatementLexer.IDENTIFIER || tokenType == StatementLexer.BACKQUOTED || isKeyword(tokenType);
    }

    /** The candidate that is nearest to a word, if one is near enough to be what was meant. */
    public static Optional<String> nearest(String word, Collection<String> candidates) {
        List<String> found = near(word, candidates);
        return found.isEmpty() ? Optional.empty() : Optional.of(found.get(0));
    }

    /** Up to three candidates that are near a word, nearest first. */
    public static List<String> near(String word, Collection<String> candidates) {
        String folded = word.toLowerCase(Locale.ROOT);
        int distanceMax = Math.min(3, Math.max(1, (folded.length() + 1) / 3));
        List<String> found = new ArrayList<>();
        for (int distance = 0; distance <= distanceMax; distance++) {
            for (String candidate : candidates) {
                if (distance(folded, candidate.toLowerCase(Locale.ROOT), distanceMax) == distance) {
                    found.add(candidate);
                }
            }
        }
        return found.subList(0, Math.min(3, found.size()));
    }

    /** Number of letters to insert, remove, replace or swap with their neighbour; more than the limit counts as one more. */
    private static int distance(String a, String b, int limit) {
        if (Math.abs(a.length() - b.length()) > limit) {
            return limit + 1;
        }
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                boolean same = a.charAt(i - 1) == b.charAt(j - 1);
                int least = Math.min(cost[i - 1][j], cost[i][j - 1]) + 1;
                least = Math.min(least, cost[i - 1][j - 1] + (same ? 0 : 1));
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                cost[i][j] = swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
            }
        }
        return cost[a.length()][b.length()];
    }
}
