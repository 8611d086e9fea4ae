package io.tidemark.dbt.run;

import io.tidemark.core.error.TextLocation;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.dbt.project.SnapshotSettings.HardDeletes;
import io.tidemark.dbt.project.SnapshotSettings.MetaColumns;
import io.tidemark.dbt.project.SnapshotSettings.Strategy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A line of {@code cases.txt}.
 *
 * @param name number and name
 * @param runs the runs
 * @param expected the rows after the last run, as the line spells them
 * @param error the code with which the last run fails
 * @param missed how many changes the last run must report as missed
 * @param valueType type that the column {@code v} must have at the end
 */
record SnapshotCase(
        String name,
        List<Run> runs,
        List<String> expected,
        Optional<String> error,
        Optional<Long> missed,
        Optional<String> valueType) {
    private static final List<String> TIMES = List.of("01-10", "01-11", "01-12", "01-13");

    /**
     * One run.
     *
     * @param settings its options
     * @param query SQL of its source
     * @param time when it is
     */
    record Run(SnapshotSettings settings, String query, Instant time) {}

    static List<SnapshotCase> parse(List<String> lines) {
        return lines.stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(SnapshotCase::parse)
                .toList();
    }

    private static SnapshotCase parse(String line) {
        String[] parts = line.split("(?<!\\\\)\\|", -1);
        Map<String, String> options = new LinkedHashMap<>();
        read(parts[1], options);
        List<String> times =
                options.containsKey("at") ? List.of(options.get("at").split(",")) : TIMES;
        String missed = options.remove("missed");
        String type = options.remove("type");
        List<Run> runs = new ArrayList<>();
        for (String run : parts[2].replace("\\|", "|").split(";", -1)) {
            String rows = run.strip();
            if (rows.startsWith("[")) {
                int end = rows.indexOf(']');
                // Types of lists end in brackets, too.
                while (end + 1 < rows.length() && rows.charAt(end - 1) == '[') {
                    end = rows.indexOf(']', end + 1);
                }
                read(rows.substring(1, end), options);
                rows = rows.substring(end + 1).strip();
            }
            Instant time = Instant.parse("2024-" + times.get(runs.size()) + "T00:00:00Z");
            runs.add(new Run(settings(options), query(rows, options), time));
        }
        String wanted = parts[3].replace("\\|", "|").strip();
        Optional<String> error = Optional.empty();
        if (wanted.startsWith("!")) {
            int end = wanted.indexOf(' ');
            error = Optional.of(end < 0 ? wanted.substring(1) : wanted.substring(1, end));
            wanted = end < 0 ? "" : wanted.substring(end).strip();
        }
        List<String> rows = wanted.isEmpty()
                ? List.of()
                : List.of(wanted.split("; ")).stream()
                        .map(String::strip)
                        .sorted()
                        .toList();
        return new SnapshotCase(
                parts[0].strip(),
                runs,
                rows,
                error,
                Optional.ofNullable(missed).map(Long::valueOf),
                Optional.ofNullable(type));
    }

    private static void read(String text, Map<String, String> options) {
        for (String word : text.replace("\\|", "|").strip().split("\\s+")) {
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            if (List.of("ts", "check", "checkupd").contains(name)) {
                options.remove("ts");
                options.remove("check");
                options.remove("checkupd");
            }
            if (List.of("ignore", "invalidate", "new_record").contains(name)) {
                options.remove("invalidate");
                options.remove("new_record");
            }
            options.put(name, equals < 0 ? "" : word.substring(equals + 1));
        }
    }

    private static SnapshotSettings settings(Map<String, String> options) {
        boolean timestamp = options.containsKey("ts");
        String checked = options.getOrDefault("check", options.getOrDefault("checkupd", ""));
        String key = options.getOrDefault("key", "id");
        HardDeletes deletes = options.containsKey("invalidate")
                ? HardDeletes.INVALIDATE
                : options.containsKey("new_record") ? HardDeletes.NEW_RECORD : HardDeletes.IGNORE;
        String sentinel = options.getOrDefault("cur", "");
        return new SnapshotSettings(
                timestamp ? Strategy.TIMESTAMP : Strategy.CHECK,
                key.contains("||") ? List.of(key) : List.of(key.split(",")),
                timestamp || options.containsKey("checkupd") ? Optional.of("upd") : Optional.empty(),
                checked.isEmpty() ? List.of() : List.of(checked.split(",")),
                deletes,
                sentinel.isEmpty() ? Optional.empty() : Optional.of("TIMESTAMP '" + sentinel + "'"),
                MetaColumns.DEFAULT,
                options.containsKey("empty"),
                options.containsKey("run_time"),
                options.containsKey("hash"),
                new TextLocation("cases.txt", 1, 1));
    }

    private static String query(String rows, Map<String, String> options) {
        String usual = options.containsKey("check") ? "id:INTEGER,v:VARCHAR" : "id:INTEGER,v:VARCHAR,upd:TIMESTAMP";
        List<String> columns = split(options.getOrDefault("cols", usual));
        List<String> names =
                columns.stream().map(column -> column.split(":")[0]).toList();
        List<String> types =
                columns.stream().map(column -> column.split(":")[1]).toList();
        List<String> selects = new ArrayList<>();
        List<String> nothing = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            nothing.add("CAST(NULL AS " + types.get(i) + ") AS " + names.get(i));
        }
        selects.add("SELECT " + String.join(", ", nothing) + " WHERE false");
        for (String row : rows.isEmpty()
                ? List.<String>of()
                : List.of(rows.substring(1, rows.length() - 1).split("\\)\\("))) {
            List<String> values = split(row);
            List<String> casts = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                casts.add("CAST(" + literal(values.get(i), types.get(i)) + " AS " + types.get(i) + ")");
            }
            selects.add("SELECT " + String.join(", ", casts));
        }
        return String.join(" UNION ALL ", selects);
    }

    private static String literal(String value, String type) {
        if (value.equals("∅")) {
            return "NULL";
        }
        boolean time = type.equals("TIMESTAMP") || type.equals("DATE");
        return "'" + (time ? "2024-" + value : value).replace("'", "''") + "'";
    }

    /** Splits at commas that are in no brackets. */
    private static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        StringBuilder part = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            depth += "[(".indexOf(character) >= 0 ? 1 : "])".indexOf(character) >= 0 ? -1 : 0;
            if (character == ',' && depth == 0) {
                parts.add(part.toString());
                part.setLength(0);
            } else {
                part.append(character);
            }
        }
        parts.add(part.toString());
        return parts;
    }
}
