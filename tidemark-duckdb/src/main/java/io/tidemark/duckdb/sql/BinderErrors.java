package io.tidemark.duckdb.sql;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.duckdb.session.Failures;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns the binder's messages, which are about the translated text, into errors at places of the user's text. */
final class BinderErrors {
    /** The word that stands for a column's default value. */
    private static final String DEFAULT = "default";

    private static final List<Pattern> COLUMNS = List.of(
            Pattern.compile("Referenced column \"([^\"]+)\""),
            Pattern.compile("column \"([^\"]+)\" referenced that exists in the SELECT clause"),
            Pattern.compile("does not have a column named \"([^\"]+)\""),
            Pattern.compile("Could not find key \"([^\"]+)\" in struct"),
            Pattern.compile("Column \"([^\"]+)\" in EXCLUDE list not found"),
            Pattern.compile("Column \"([^\"]+)\" does not exist"),
            Pattern.compile("column \"([^\"]+)\" must appear in the GROUP BY"));
    private static final Pattern TABLE = Pattern.compile("Referenced table \"([^\"]+)\" not found");
    private static final Pattern CANDIDATES = Pattern.compile("Candidate[^:\\n]*: ?([^\\n]+)");

    private final Positions positions;

    BinderErrors(Positions positions) {
        this.positions = positions;
    }

    TidemarkException translate(String message) {
        for (Pattern pattern : COLUMNS.subList(0, COLUMNS.size() - 1)) {
            Matcher matcher = pattern.matcher(message);
            if (matcher.find()) {
                String name = matcher.group(1);
                if (name.equalsIgnoreCase(DEFAULT)) {
                    String primary = "the word DEFAULT is not supported: columns have no default values here";
                    return error(ErrorCode.UNSUPPORTED_FEATURE, primary, name, message);
                }
                return error(ErrorCode.UNKNOWN_COLUMN, "column " + name + " does not exist", name, message);
            }
        }
        Matcher table = TABLE.matcher(message);
        if (table.find()) {
            String name = table.group(1);
            return error(ErrorCode.UNKNOWN_COLUMN, "there is no table or alias " + name + " in FROM", name, message);
        }
        Matcher group = COLUMNS.get(COLUMNS.size() - 1).matcher(message);
        String name = group.find() ? group.group(1) : "";
        return error(ErrorCode.QUERY_INVALID, Failures.primary("Binder Error: " + message), name, message);
    }

    private TidemarkException error(ErrorCode code, String primary, String name, String message) {
        TidemarkException.Builder error = positions.error(code, primary, positions.find(name));
        Matcher candidates = CANDIDATES.matcher(message);
        if (candidates.find()) {
            error.hint("did you mean " + candidates.group(1).replace("\"", "").strip() + "?");
        }
        return error.build();
    }
}
