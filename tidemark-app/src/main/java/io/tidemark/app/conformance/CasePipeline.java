package io.tidemark.app.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes the pipeline file of a case. */
final class CasePipeline {
    /** Name of the target table. */
    static final String TARGET = "target";

    private final ConformanceCase theCase;
    private final JsonNode options;

    CasePipeline(ConformanceCase theCase) {
        this.theCase = theCase;
        this.options = theCase.options();
    }

    /** Name of the file beside the pipeline with the version of the snapshot and that of the one before. */
    static final String VERSION_FILE = "version.json";
    /** Name of the file beside the pipeline with the rows of the snapshot. */
    static final String SNAPSHOT_FILE = "snapshot.json";

    /** The text; its source are the JSON files beside it. */
    String text() {
        return theCase.isSnapshot() ? snapshots() : events();
    }

    /** Each update finds one snapshot, that whose predecessor was the last to be applied. */
    private String snapshots() {
        List<String> selected = new ArrayList<>();
        JsonNode columns = options.path("columns");
        for (String column : theCase.columns().keySet()) {
            boolean all = !columns.has("on") && !columns.has("except");
            boolean listed = contains(columns.path("on"), column);
            boolean kept = columns.has("except") && !contains(columns.path("except"), column);
            if (all || listed || kept) {
                selected.add(column);
            }
        }
        String type = theCase.versionType();
        List<String> clauses = new ArrayList<>();
        clauses.add("CREATE FLOW apply_snapshots AS AUTO CDC INTO " + TARGET);
        clauses.add("FROM SNAPSHOT (SELECT " + names(selected) + " FROM " + file(SNAPSHOT_FILE, schema()) + ")");
        clauses.add("WITH VERSION (SELECT version FROM "
                + file(VERSION_FILE, "version " + type + ", previous " + type)
                + " WHERE previous IS NOT DISTINCT FROM last_snapshot_version())");
        clauses.add("KEYS (" + names(theCase.keys()) + ")");
        clauses.add("STORED AS " + storedAs());
        trackHistory(clauses);
        return "CREATE OR REFRESH STREAMING TABLE " + TARGET + ";\n" + String.join("\n", clauses) + ";\n";
    }

    private static boolean contains(JsonNode array, String text) {
        for (JsonNode element : array) {
            if (element.asText().equalsIgnoreCase(text)) {
                return true;
            }
        }
        return false;
    }

    private static String file(String name, String schema) {
        return "read_files('" + name + "', format => 'json', schema => '" + schema.replace("'", "''") + "')";
    }

    private String schema() {
        return theCase.columns().entrySet().stream().map(CasePipeline::column).collect(Collectors.joining(", "));
    }

    private String events() {
        List<String> clauses = new ArrayList<>();
        clauses.add("CREATE FLOW apply_events AS AUTO CDC INTO " + TARGET);
        clauses.add("FROM STREAM " + file("events/*.json", schema()));
        clauses.add("KEYS (" + names(theCase.keys()) + ")");
        ignoreNulls(clauses);
        condition(clauses, "delete_when", "APPLY AS DELETE WHEN ");
        condition(clauses, "truncate_when", "APPLY AS TRUNCATE WHEN ");
        clauses.add("SEQUENCE BY " + sequence(options.path("seq")));
        if (options.path("system_seq").isTextual()) {
            clauses.add("SYSTEM SEQUENCE BY " + name(options.path("system_seq").asText()));
        }
        boolean everything = options.path("columns").path("except").isArray()
                && options.path("columns").path("except").isEmpty();
        if (options.path("columns").isObject() && !everything) {
            clauses.add("COLUMNS " + selection(options.path("columns")));
        }
        clauses.add("STORED AS " + storedAs());
        trackHistory(clauses);
        if (options.path("columns_to_update").isTextual()) {
            clauses.add("COLUMNS TO UPDATE "
                    + name(options.path("columns_to_update").asText()));
        }
        return "CREATE OR REFRESH STREAMING TABLE " + TARGET + ";\n" + String.join("\n", clauses) + ";\n";
    }

    private void trackHistory(List<String> clauses) {
        if (options.path("track_history").isObject()) {
            clauses.add("TRACK HISTORY ON " + selection(options.path("track_history")));
        }
    }

    private static String column(Map.Entry<String, String> column) {
        return name(column.getKey()) + " " + column.getValue();
    }

    private void ignoreNulls(List<String> clauses) {
        JsonNode ignore = options.path("ignore_nulls");
        if (ignore.isTextual() || (ignore.isBoolean() && ignore.asBoolean())) {
            clauses.add("IGNORE NULL UPDATES");
        } else if (ignore.isObject()) {
            clauses.add("IGNORE NULL UPDATES ON " + selection(ignore));
        }
    }

    private void condition(List<String> clauses, String option, String clause) {
        JsonNode text = options.path("sql").path(option);
        if (text.isTextual()) {
            clauses.add(clause + text.asText());
        }
    }

    private static String sequence(JsonNode sequence) {
        if (sequence.isTextual()) {
            return name(sequence.asText());
        }
        List<String> parts = new ArrayList<>();
        sequence.forEach(part -> parts.add(name(part.asText())));
        return "STRUCT(" + String.join(", ", parts) + ")";
    }

    private static String selection(JsonNode selection) {
        List<String> columns = new ArrayList<>();
        boolean except = selection.has("except");
        selection.path(except ? "except" : "on").forEach(column -> columns.add(column.asText()));
        return except ? "* EXCEPT (" + names(columns) + ")" : "(" + names(columns) + ")";
    }

    private String storedAs() {
        return switch (theCase.mode()) {
            case "scd1", "snapshot_scd1" -> "SCD TYPE 1";
            case "scd2", "snapshot_scd2" -> "SCD TYPE 2";
            case "bitemporal", "snapshot_bitemporal" -> "BITEMPORAL";
            default ->
                throw TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE,
                                "cases of mode " + theCase.mode() + " are not supported yet")
                        .build();
        };
    }

    private static String names(List<String> columns) {
        return columns.stream().map(CasePipeline::name).collect(Collectors.joining(", "));
    }

    private static String name(String column) {
        return "`" + column.replace("`", "``") + "`";
    }
}
