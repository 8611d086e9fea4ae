package io.tidemark.dbt.source;

import io.tidemark.dbt.project.SourceTable;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code external_location} of a source stands for: a file, a pattern of files, or a call that reads some. */
final class ExternalLocation {
    /** Texts that are arguments by place: behind a bracket or comma, and not behind a name. */
    private static final Pattern ARGUMENT = Pattern.compile("([(\\[,]\\s*)'([^']*)'");

    /** A call whose files are its first argument, and whose other arguments call nothing. */
    private static final Pattern READING = Pattern.compile(
            "(?:read_csv|read_csv_auto|read_parquet|parquet_scan|read_json|read_json_auto|read_ndjson|read_ndjson_auto)"
                    + "\\s*\\(\\s*('[^']*'|\\[\\s*'[^']*'(?:\\s*,\\s*'[^']*')*\\s*])\\s*(?:,[^()]*)?\\)",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern TEXT = Pattern.compile("'([^']*)'");

    private ExternalLocation() {}

    /**
     * The paths and patterns of files on this machine that are read.
     *
     * @param sql what {@link #sql} gave
     * @return nothing if that cannot be told
     */
    static List<String> patterns(String sql) {
        String text = sql;
        if (sql.contains("(")) {
            Matcher reading = READING.matcher(sql.strip());
            if (!reading.matches()) {
                return List.of();
            }
            text = reading.group(1);
        }
        List<String> patterns =
                TEXT.matcher(text).results().map(found -> found.group(1)).toList();
        return patterns.stream().anyMatch(pattern -> pattern.contains("://") || pattern.isEmpty())
                ? List.of()
                : patterns;
    }

    /** SQL that can stand behind FROM. Relative paths begin at a folder. */
    static String sql(String location, SourceTable source, Path folder) {
        String text = location.replace("{name}", source.name())
                .replace("{identifier}", source.identifier())
                .replace("{schema}", source.schema())
                .replace("{source_name}", source.source())
                .replace("{database}", source.database().orElse(""))
                .strip();
        if (text.contains("(")) {
            Matcher argument = ARGUMENT.matcher(text);
            return argument.replaceAll(found -> Matcher.quoteReplacement(found.group(1)
                    + quoted(isPath(found.group(2)) ? absolute(found.group(2), folder) : found.group(2))));
        }
        boolean inQuotes = text.startsWith("'") && text.endsWith("'") && text.length() > 1;
        return quoted(absolute(inQuotes ? text.substring(1, text.length() - 1) : text, folder));
    }

    private static boolean isPath(String text) {
        return text.contains("/") || text.contains("*") || text.matches(".*\\.[A-Za-z0-9]{2,8}");
    }

    private static String absolute(String path, Path folder) {
        return path.contains("://")
                        || Path.of(path.replace('*', 'x').replace('?', 'x')).isAbsolute()
                ? path
                : folder.toAbsolutePath().normalize() + "/" + path;
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
