package io.tidemark.spark.session;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** What can be told of a statement by its text: whether it is Tidemark's, and its names without the catalog. */
final class StatementText {
    private static final String SPACE = "\\s+";
    private static final List<String> OF_PIPELINES = List.of(
            "create (or refresh )?(private )?streaming table",
            "create (or refresh |or replace )?(private )?materialized view",
            "create flow",
            "create (or refresh )?live table",
            "refresh (streaming table|materialized view|pipeline)");
    /** What stands before the name of the table that a statement is about. */
    private static final List<String> OF_TABLES = List.of(
            "insert into( table)?",
            "insert overwrite( table)?",
            "update",
            "delete from",
            "merge into",
            "truncate table",
            "create (or replace )?table( if not exists)?",
            "replace table",
            "drop (table|view)( if exists)?",
            "alter table",
            "create (or replace )?view( if not exists)?",
            "optimize",
            "vacuum",
            "restore( table)?",
            "describe (history|detail)",
            "show tblproperties");

    private final String text;
    private final String head;

    StatementText(String text) {
        this.text = text;
        this.head = head(text);
    }

    /** The statement without comments and with single spaces, as far as its kind needs it. */
    private static String head(String text) {
        String bare = text.replaceAll("(?s)/\\*.*?\\*/", " ").replaceAll("--[^\\n]*", " ");
        return bare.strip().replaceAll(SPACE, " ").toLowerCase(Locale.ROOT);
    }

    /** Whether the statement defines or updates a pipeline. */
    boolean isOfPipeline() {
        return OF_PIPELINES.stream()
                .anyMatch(each ->
                        Pattern.compile("^" + each + "\\b").matcher(head).find());
    }

    boolean isRefresh() {
        return head.startsWith("refresh ");
    }

    /** Whether the statement is about a table of the catalog. */
    boolean isAboutTableOf(String catalog) {
        String name = Pattern.quote(catalog.toLowerCase(Locale.ROOT));
        return OF_TABLES.stream()
                .anyMatch(each -> Pattern.compile("^" + each + " `?" + name + "`? ?\\.")
                        .matcher(head)
                        .find());
    }

    /** The text with names that begin with the catalog cut down to schema and table; what is quoted stays. */
    String without(String catalog) {
        StringBuilder result = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            int end = endOfQuoted(at);
            if (end > at && text.charAt(at) != '`') {
                result.append(text, at, end);
                at = end;
                continue;
            }
            int behind = behindPrefix(at, catalog);
            if (behind > at) {
                at = behind;
            } else if (end > at) {
                result.append(text, at, end);
                at = end;
            } else {
                result.append(text.charAt(at++));
            }
        }
        return result.toString();
    }

    /** The end of a string, quoted name or comment that begins at a place; the place itself if none does. */
    private int endOfQuoted(int at) {
        char first = text.charAt(at);
        if (first == '\'' || first == '"' || first == '`') {
            int end = at + 1;
            while (end < text.length() && text.charAt(end) != first) {
                end += text.charAt(end) == '\\' && first != '`' ? 2 : 1;
            }
            return Math.min(text.length(), end + 1);
        }
        if (text.startsWith("--", at)) {
            int end = text.indexOf('\n', at);
            return end < 0 ? text.length() : end;
        }
        if (text.startsWith("/*", at)) {
            int end = text.indexOf("*/", at);
            return end < 0 ? text.length() : end + 2;
        }
        return at;
    }

    private int behindPrefix(int at, String catalog) {
        if (at > 0 && (Character.isLetterOrDigit(text.charAt(at - 1)) || "_.`".indexOf(text.charAt(at - 1)) >= 0)) {
            return at;
        }
        for (String spelled : List.of(catalog, "`" + catalog + "`")) {
            if (text.regionMatches(true, at, spelled, 0, spelled.length())) {
                int behind = at + spelled.length();
                while (behind < text.length() && Character.isWhitespace(text.charAt(behind))) {
                    behind++;
                }
                if (behind < text.length() && text.charAt(behind) == '.') {
                    return behind + 1;
                }
            }
        }
        return at;
    }
}
