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

    /** The text; its source are the JSON files in the folder {@code events} beside it. */
    String text() {
        String schema =
                theCase.columns().entrySet().stream().map(CasePipeline::column).collect(Collectors.joining(", "));
        List<String> clauses = new ArrayList<>();
        clauses.add("CREATE FLOW apply_events AS AUTO CDC INTO " + TARGET);
        clauses.add("FROM STREAM read_files('events/*.json', format => 'json', schema => '" + schema.replace("'", "''")
                + "')");
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
        if (options.path("track_history").isObject()) {
            clauses.add("TRACK HISTORY ON " + selection(options.path("track_history")));
        }
        if (options.path("columns_to_update").isTextual()) {
            clauses.add("COLUMNS TO UPDATE "
                    + name(options.path("columns_to_update").asText()));
        }
        return "CREATE OR REFRESH STREAMING TABLE " + TARGET + ";\n" + String.join("\n", clauses) + ";\n";
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
            case "scd1" -> "SCD TYPE 1";
            case "scd2" -> "SCD TYPE 2";
            case "bitemporal" -> "BITEMPORAL";
            default ->
                throw TidemarkException.of(
                                ErrorCode.FROM_SNAPSHOT_UNSUPPORTED,
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
