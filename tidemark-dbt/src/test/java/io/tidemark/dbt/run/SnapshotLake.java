package io.tidemark.dbt.run;

import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.TableName;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.warehouse.Warehouse;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A warehouse and an engine in which tests run snapshots of queries. */
final class SnapshotLake implements AutoCloseable {
    private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder()
            .appendPattern("HH:mm:ss")
            .appendFraction(ChronoField.MICRO_OF_SECOND, 0, 6, true)
            .toFormatter(Locale.ROOT);
    private static final List<String> META =
            List.of("dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to", "dbt_is_deleted");

    private final DuckDbEngine engine;
    private final Warehouse warehouse;
    private final Path folder;

    SnapshotLake(Path folder) {
        this(folder, new LocalStorage());
    }

    SnapshotLake(Path folder, Storage storage) {
        this.folder = folder;
        this.engine = DuckDbEngine.open(
                DuckDbSettings.defaults(folder.resolve("temp")).withThreads(1));
        this.warehouse = Warehouse.at(storage, folder.resolve("warehouse").toString());
    }

    DuckDbEngine engine() {
        return engine;
    }

    DeltaTable table(String name) {
        return warehouse.table(TableName.of(name));
    }

    SnapshotResult run(String name, SnapshotSettings settings, String query, Instant time) {
        return run(name, settings, query, time, true);
    }

    SnapshotResult run(String name, SnapshotSettings settings, String query, Instant time, boolean commit) {
        EngineSql sql = new EngineSql(engine);
        SourceQuery source =
                new SourceQuery(sql.query(query, TextLocation.NONE), TextLocation.NONE, query, Optional.empty());
        return new SnapshotUpdate(engine, name, TableName.of(name), table(name), sql, settings, source, time, false)
                .run(commit);
    }

    /** Runs statements on the warehouse; rows come back as lists of values. */
    List<List<@Nullable Object>> sql(String text) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        new Session(warehouse, engine, folder).execute(new SourceText("statement.sql", text), result -> {
            if (result instanceof StatementResult.Rows found) {
                found.rows().forEach(values -> rows.add(new ArrayList<>(values)));
            }
        });
        return rows;
    }

    /** All rows of a snapshot's table as {@code cases.txt} spells them, sorted. */
    List<String> rows(String name) {
        List<String> rows = new ArrayList<>();
        List<String> columns = new ArrayList<>();
        new Session(warehouse, engine, folder)
                .execute(new SourceText("statement.sql", "SELECT * FROM " + name), result -> {
                    if (result instanceof StatementResult.Rows found) {
                        columns.addAll(found.schema().names());
                        found.rows().forEach(values -> rows.add(shown(columns, values)));
                    }
                });
        return rows.stream().sorted().toList();
    }

    private static boolean isMeta(String column) {
        return META.contains(column);
    }

    private static String shown(List<String> columns, List<@Nullable Object> values) {
        List<String> own = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            if (!isMeta(columns.get(i))) {
                own.add(text(values.get(i)));
            }
        }
        Object from = values.get(columns.indexOf("dbt_valid_from"));
        Object to = values.get(columns.indexOf("dbt_valid_to"));
        Object updated = values.get(columns.indexOf("dbt_updated_at"));
        int deleted = columns.indexOf("dbt_is_deleted");
        return "(" + String.join(",", own) + ") " + text(from) + ">" + (to == null ? "" : text(to))
                + (deleted >= 0 && "True".equals(values.get(deleted)) ? " D" : "")
                + (from != null && from.equals(updated) ? "" : " @" + text(updated));
    }

    private static String text(@Nullable Object value) {
        if (value == null) {
            return "∅";
        }
        if (value instanceof Instant instant) {
            return text(LocalDateTime.ofInstant(instant, ZoneOffset.UTC));
        }
        if (value instanceof LocalDate date) {
            return text(date.atStartOfDay());
        }
        if (value instanceof LocalDateTime time) {
            String day = time.toLocalDate().toString();
            String shown = time.getYear() == 2024 ? day.substring("2024-".length()) : day;
            return time.toLocalTime().toNanoOfDay() == 0 ? shown : shown + " " + TIME.format(time);
        }
        return value.toString();
    }

    @Override
    public void close() {
        engine.close();
    }
}
