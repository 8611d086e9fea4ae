package io.tidemark.dbt.run;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.snapshot.SnapshotDifference;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructType;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.delta.rows.TableRows;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The current rows of a snapshot's table: those that have no end, or an end that stands for none. */
final class CurrentRows implements AutoCloseable {
    private static final int SAMPLE_MAX = 3;

    private final RunContext context;
    private final Engine engine;
    private final Dialect dialect;
    private final SnapshotSettings settings;
    private final TargetTable target;
    private final VersionSql versions;
    private final List<String> sentinels;
    private final KeyedRows keyed;
    private final String current;
    private final String whole;

    CurrentRows(
            RunContext context, TargetTable target, StructType schema, VersionSql versions, List<String> sentinels) {
        this.context = context;
        this.engine = context.engine();
        this.dialect = context.dialect();
        this.settings = context.settings();
        this.target = target;
        this.versions = versions;
        this.sentinels = sentinels;
        this.current = context.prefix() + "current";
        this.whole = context.prefix() + "whole";
        List<Object> values = sentinels.stream().map(this::sentinelValue).toList();
        this.keyed = new KeyedRows(
                engine, target.snapshot(), target.filesOfCurrentRows(values), schema, context.prefix() + "current_");
    }

    /** An older release of the table may keep its ends in another type, whose statistics are compared with it. */
    private Object sentinelValue(String text) {
        LocalDateTime time = text.length() == "2024-01-01".length()
                ? LocalDate.parse(text).atStartOfDay()
                : LocalDateTime.parse(text.replace(' ', 'T'));
        ScalarType type =
                (ScalarType) target.column(settings.columns().validTo()).type();
        return switch (type) {
            case DATE -> time.toLocalDate();
            case TIMESTAMP -> time.toInstant(ZoneOffset.UTC);
            default -> time;
        };
    }

    /** Makes the relation. */
    void register(KeyedSource source) {
        String relation = keyed.with(context.sql(), source.expressions(), source.names(), settings.location());
        engine.createView(current, "SELECT * FROM " + dialect.name(relation) + " AS r WHERE " + isCurrent());
    }

    /** Whether a row {@code r} is current. */
    String isCurrent() {
        String end =
                "r." + dialect.name(target.column(settings.columns().validTo()).name());
        String values = sentinels.stream().map(versions::time).collect(Collectors.joining(", "));
        return values.isEmpty()
                ? end + " IS NULL"
                : "(" + end + " IS NULL OR " + versions.cast(end) + " IN (" + values + "))";
    }

    String relation() {
        return current;
    }

    TableRows rows() {
        return keyed.rows();
    }

    /**
     * What a comparison must know of a row {@code r} beside its key.
     *
     * @param timeIsNew whether the table lacks the column of the time
     */
    Map<String, String> values(boolean timeIsNew) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("file", "r." + dialect.name(TableRows.FILE));
        values.put("pos", "r." + dialect.name(TableRows.ROW));
        values.put("valid_from", versions.cast(column(settings.columns().validFrom())));
        if (settings.updatedAt().isEmpty()) {
            values.put("stored_time", versions.cast("NULL"));
        } else {
            values.put(
                    "stored_time",
                    versions.cast(timeIsNew ? column(settings.columns().updatedAt()) : "r." + KeyedSource.TIME));
        }
        values.put("deleted", isDeleted());
        return values;
    }

    /**
     * Reads rows whole: those that are to be written once more, with another end.
     *
     * @param positions relation with columns {@code file} and {@code pos}
     */
    void read(String positions) {
        engine.materialize(
                whole,
                "SELECT t.* FROM " + dialect.name(keyed.typed()) + " AS t JOIN " + dialect.name(positions)
                        + " AS d ON t." + dialect.name(TableRows.FILE) + " = d.file AND t."
                        + dialect.name(TableRows.ROW) + " = d.pos",
                Optional.empty());
    }

    /** Joins what was read to rows with the columns {@code file} and {@code pos}. */
    String joinedTo(String alias) {
        return " JOIN " + dialect.name(whole) + " AS w ON " + alias + ".file = w." + dialect.name(TableRows.FILE)
                + " AND " + alias + ".pos = w." + dialect.name(TableRows.ROW);
    }

    /** The columns of a row that was read, by the names that they have in the table. */
    UnaryOperator<String> columns() {
        return column -> "w." + dialect.name(column);
    }

    private String isDeleted() {
        return target.marksDeletes()
                ? "COALESCE(lower(CAST(" + column(settings.columns().isDeleted()) + " AS "
                        + dialect.type(ScalarType.STRING) + ")) = 'true', FALSE)"
                : "FALSE";
    }

    private String column(String name) {
        return "r." + dialect.name(target.column(name).name());
    }

    /** How many keys have a current row that does not say that they are gone. */
    long countAlive() {
        return context.number("SELECT count(*) FROM " + dialect.name(current) + " AS r WHERE NOT " + isDeleted());
    }

    /**
     * Refuses a table in which a key has two current rows, as faulty runs of other programs or another key leave it, and
     * one in which no current row has a key.
     */
    void checkKeys(List<String> keys) {
        String list = String.join(", ", keys);
        String given = keys.stream().map(key -> key + " IS NOT NULL").collect(Collectors.joining(" AND "));
        checkSomeHaveKeys(given);
        String twice = "SELECT " + list + ", count(*) AS n FROM " + dialect.name(current) + " WHERE " + given
                + " GROUP BY " + list + " HAVING count(*) > 1";
        long count = context.number("SELECT count(*) FROM (" + twice + ") AS d");
        if (count == 0) {
            return;
        }
        List<String> sample = new ArrayList<>();
        engine.stream(twice, row -> {
            sample.add(SnapshotDifference.shown(row.subList(0, keys.size())) + ": " + row.get(keys.size()) + " rows");
            return sample.size() < SAMPLE_MAX;
        });
        throw TidemarkException.of(
                        ErrorCode.TARGET_ROWS_INVALID,
                        count + (count == 1 ? " key" : " keys") + " of table " + context.name() + " ("
                                + String.join(", ", settings.uniqueKey()) + ") " + (count == 1 ? "has" : "have")
                                + " several current rows")
                .at(settings.location())
                .detail("Nothing was committed. For example " + String.join(", ", sample) + ".")
                .hint(
                        "runs of another program or with another unique_key left them; close or delete all but one of each"
                                + " key")
                .build();
    }

    private void checkSomeHaveKeys(String given) {
        String from = "SELECT count(*) FROM " + dialect.name(current);
        long all = context.number(from);
        if (all > 0 && context.number(from + " WHERE " + given) == 0) {
            throw TidemarkException.of(
                            ErrorCode.TARGET_ROWS_INVALID,
                            "none of the " + all + " current rows of table " + context.name() + " has a key: "
                                    + String.join(", ", settings.uniqueKey()) + " is NULL in all of them")
                    .at(settings.location())
                    .detail("No row of the source could ever meet one of them. Nothing was committed.")
                    .hint(
                            "the table was made with another unique_key; give its current rows the new one's columns before"
                                    + " it is used")
                    .build();
        }
    }

    @Override
    public void close() {
        engine.drop(whole);
        engine.drop(current);
        keyed.close();
    }
}
