package io.tidemark.app.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.SnapshotRunner;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.project.ProjectOptions;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.warehouse.Warehouse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A case of a dbt snapshot: a project with one snapshot, whose source is a table of the warehouse. */
final class DbtCase {
    /** The mode of such cases. */
    static final String MODE = "dbt_snapshot";

    private static final String SOURCE = "raw.source";
    private static final String TARGET = "snapshots.target";
    private static final String ID = "dbt_scd_id";

    private final ConformanceCase theCase;
    private final Warehouse warehouse;
    private final Path folder;

    DbtCase(ConformanceCase theCase, Warehouse warehouse, Path folder) {
        this.theCase = theCase;
        this.warehouse = warehouse;
        this.folder = folder;
    }

    /**
     * Runs the snapshot at the time of a batch.
     *
     * @param events file of the source's rows, relative to the folder
     * @throws TidemarkException what the run failed with
     */
    void run(Engine engine, int batch, String events) throws IOException {
        String schema = theCase.columns().entrySet().stream()
                .map(column -> name(column.getKey()) + " " + column.getValue())
                .collect(Collectors.joining(", "));
        String load = "CREATE OR REPLACE TABLE " + SOURCE + " AS SELECT "
                + theCase.columns().keySet().stream().map(DbtCase::name).collect(Collectors.joining(", "))
                + " FROM read_files('" + events + "', format => 'json', schema => '" + schema.replace("'", "''") + "')";
        new Session(warehouse, engine, folder).execute(new SourceText("case.sql", load), result -> {});
        Path project = folder.resolve("project");
        write(project, engine.name().equals("spark"));
        Project read = Project.read(ProjectOptions.of(project).withEnvironment(Map.of()));
        Instant time = Instant.ofEpochSecond(
                theCase.options().path("versions").path(batch).asLong());
        SnapshotRunner.Report report = new SnapshotRunner(read, engine, warehouse)
                .run(read.snapshots(), time, true, SnapshotRunner.Listener.NONE);
        if (!report.errors().isEmpty()) {
            throw TidemarkException.together(report.errors());
        }
    }

    /** Projects are written in the dialect of their adapter, and each engine runs those of its own. */
    private void write(Path project, boolean isSpark) throws IOException {
        Files.createDirectories(project.resolve("snapshots"));
        Files.writeString(project.resolve("dbt_project.yml"), "name: conformance\nprofile: conformance\n");
        Files.writeString(
                project.resolve("profiles.yml"),
                "conformance: {target: t, outputs: {t: {"
                        + (isSpark ? "type: spark, method: session" : "type: duckdb, path: ':memory:'")
                        + ", schema: snapshots}}}\n");
        Files.writeString(
                project.resolve("snapshots/sources.yml"), "sources: [{name: raw, tables: [{name: source}]}]\n");
        JsonNode options = theCase.options();
        List<String> config = new ArrayList<>();
        config.add("strategy='" + options.path("strategy").asText() + "'");
        config.add("unique_key=" + list(theCase.keys(), isSpark));
        config.add("allow_empty_source=true");
        config.add("hard_deletes='" + options.path("hard_deletes").asText("ignore") + "'");
        if (options.path("updated_at").isTextual()) {
            config.add("updated_at='" + time(column(options.path("updated_at").asText(), isSpark), isSpark) + "'");
        }
        if (options.path("check_cols").isArray()) {
            List<String> columns = new ArrayList<>();
            options.path("check_cols").forEach(each -> columns.add(each.asText()));
            config.add("check_cols=" + list(columns, isSpark));
        } else if (options.path("check_cols").isTextual()) {
            config.add("check_cols='" + options.path("check_cols").asText() + "'");
        }
        if (options.path("valid_to_current").isNumber()) {
            config.add("dbt_valid_to_current='"
                    + time(options.path("valid_to_current").asText(), isSpark) + "'");
        }
        Files.writeString(
                project.resolve("snapshots/target.sql"),
                "{% snapshot target %}{{ config(" + String.join(", ", config)
                        + ") }}\nselect * from {{ source('raw', 'source') }}\n{% endsnapshot %}\n");
    }

    /** Times are whole numbers in cases; the column keeps them, and the option makes times of them. */
    private static String time(String seconds, boolean isSpark) {
        String micros = "CAST(" + seconds + " AS BIGINT) * 1000000";
        return isSpark ? "CAST(timestamp_micros(" + micros + ") AS TIMESTAMP_NTZ)" : "make_timestamp(" + micros + ")";
    }

    private static String list(List<String> names, boolean isSpark) {
        return names.stream()
                .map(each -> "'" + column(each, isSpark) + "'")
                .collect(Collectors.joining(", ", "[", "]"));
    }

    private static String column(String name, boolean isSpark) {
        return isSpark ? name(name) : "\"" + name.replace("\"", "\"\"") + "\"";
    }

    private static String name(String column) {
        return "`" + column.replace("`", "``") + "`";
    }

    /** The snapshot's rows without their ids, which must differ. */
    List<String> rows(Engine engine) {
        List<String> rows = new ArrayList<>();
        Set<Object> ids = new HashSet<>();
        new Session(warehouse, engine, folder)
                .execute(new SourceText("case.sql", "SELECT * FROM " + TARGET), result -> {
                    if (result instanceof StatementResult.Rows found) {
                        List<String> names = found.schema().names();
                        found.rows().forEach(values -> {
                            List<String> kept = new ArrayList<>();
                            List<@Nullable Object> numbers = new ArrayList<>();
                            for (int i = 0; i < names.size(); i++) {
                                if (names.get(i).equals(ID)) {
                                    ids.add(String.valueOf(values.get(i)));
                                } else {
                                    kept.add(names.get(i));
                                    numbers.add(number(names.get(i), values.get(i)));
                                }
                            }
                            rows.add(CaseRows.row(kept, numbers));
                            return true;
                        });
                    }
                });
        if (ids.size() < rows.size()) {
            rows.add("two rows share a " + ID);
        }
        return rows;
    }

    private static @Nullable Object number(String column, @Nullable Object value) {
        return column.startsWith("dbt_") && value instanceof LocalDateTime time
                ? (Object) time.toEpochSecond(ZoneOffset.UTC)
                : value;
    }
}
