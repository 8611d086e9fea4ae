package io.tidemark.sql.session;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.change.ReservedColumns;
import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.Snapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What rows must keep in a table that change flows write: the flow takes an inserted row as a version of its key, so
 * versions must neither overlap nor be empty.
 *
 * @param storage how the flows store history
 * @param keys the key columns
 */
record TargetRules(ScdType storage, List<String> keys) {
    /** Name of the column that numbers the inserted rows. */
    static final String ORDINAL = "__insert_row";

    private static final String DOMAIN = "tidemark.target";
    private static final int SAMPLE_ROWS_MAX = 5;

    /** The rules of a table; nothing if no change flow writes it. */
    static Optional<TargetRules> of(Snapshot table) {
        Optional<String> domain = table.domain(DOMAIN);
        if (domain.isEmpty()) {
            return Optional.empty();
        }
        JsonNode entry = Texts.parse(domain.get(), "domain " + DOMAIN);
        String storedAs = entry.path("storedAs").asText("");
        List<String> keys = new ArrayList<>();
        entry.path("keyColumns").forEach(key -> keys.add(key.asText()));
        return Arrays.stream(ScdType.values())
                .filter(type -> type.sql().equalsIgnoreCase(storedAs))
                .findFirst()
                .map(type -> new TargetRules(type, List.copyOf(keys)));
    }

    /**
     * Refuses rows that the flows could not go on from.
     *
     * @param rows relation of the new rows with the column {@link #ORDINAL}
     * @param existing relation of the table
     */
    void check(Engine engine, String rows, String existing, TableName table) {
        Check check = new Check(engine, rows, existing, table);
        check.refuse("a key is NULL", "a key is never NULL", check.anyNull(keys));
        switch (storage) {
            case SCD1 -> check.refuseDuplicates("TRUE", "the table has one row per key");
            case SCD2 -> {
                check.refusePeriods(ReservedColumns.START_AT, ReservedColumns.END_AT);
                check.refuseDuplicates(
                        check.overlap(ReservedColumns.START_AT, ReservedColumns.END_AT),
                        "the versions of a key must not overlap");
            }
            case BITEMPORAL -> {
                check.refusePeriods(ReservedColumns.START_AT, ReservedColumns.END_AT);
                String system = check.column("n", ReservedColumns.SYSTEM_START_AT);
                check.refuse("__SYSTEM_START_AT is NULL", "say since when the row is believed", system + " IS NULL");
                check.refuse(
                        "__SYSTEM_END_AT is not NULL",
                        "only rows that are believed now can be inserted; send an event for anything else",
                        check.column("n", ReservedColumns.SYSTEM_END_AT) + " IS NOT NULL");
                check.refuseDuplicates(
                        "(" + check.overlap(ReservedColumns.START_AT, ReservedColumns.END_AT) + ") AND ("
                                + check.overlap(ReservedColumns.SYSTEM_START_AT, ReservedColumns.SYSTEM_END_AT) + ")",
                        "at no system time may two rows of a key hold for one business time");
            }
        }
    }

    /** Which rows are one row before and after a change, as engine SQL. */
    List<String> identity(Dialect dialect) {
        return ReservedColumns.identity(storage, keys, dialect);
    }

    /** Whether rows of a key may only go together. */
    boolean keepsWholeKeys() {
        return storage == ScdType.BITEMPORAL;
    }

    /** Refuses changes of rows, if the flows cannot follow them. */
    void checkUpdates(TableName table) {
        if (storage == ScdType.BITEMPORAL) {
            throw TidemarkException.of(
                            ErrorCode.TARGET_ROWS_INVALID,
                            "rows of table " + table + " cannot be updated: they say what was believed when")
                    .hint("send an event with a newer system sequence")
                    .build();
        }
    }

    /**
     * Refuses deletions that leave rows of a key which the flows could not go on from.
     *
     * @param deleted engine SQL of the deleted rows
     * @param remaining relation of the others
     */
    void checkDeleted(Engine engine, String deleted, String remaining, TableName table) {
        if (keepsWholeKeys()) {
            Check check = new Check(engine, remaining, remaining, table);
            String sameKey = keys.stream()
                    .map(key -> check.column("n", key) + " = " + check.column("d", key))
                    .collect(Collectors.joining(" AND "));
            check.refuse(
                    "other rows of a deleted key would stay",
                    "delete all rows of the key, or send a delete event",
                    "EXISTS (SELECT 1 FROM (" + deleted + ") AS d WHERE " + sameKey + ")");
        }
    }

    /** Runs the checks over the relations; {@code n} is a new row, {@code e} another row of its key. */
    private final class Check {
        private final Engine engine;
        private final Dialect dialect;
        private final String rows;
        private final String existing;
        private final TableName table;
        private final List<String> shown;

        Check(Engine engine, String rows, String existing, TableName table) {
            this.engine = engine;
            this.dialect = engine.dialect();
            this.rows = dialect.name(rows);
            this.existing = dialect.name(existing);
            this.table = table;
            this.shown = new ArrayList<>(keys);
            shown.addAll(ReservedColumns.of(storage));
        }

        String column(String alias, String name) {
            return alias + "." + dialect.name(name);
        }

        String anyNull(List<String> columns) {
            return columns.stream().map(name -> column("n", name) + " IS NULL").collect(Collectors.joining(" OR "));
        }

        /** A condition: whether the half-open periods of both rows have a point in common; an end NULL is open. */
        String overlap(String start, String end) {
            return "(" + column("e", end) + " IS NULL OR " + column("n", start) + " < " + column("e", end) + ") AND ("
                    + column("n", end) + " IS NULL OR " + column("e", start) + " < " + column("n", end) + ")";
        }

        void refusePeriods(String start, String end) {
            refuse(start + " is NULL", "a version needs a start", column("n", start) + " IS NULL");
            refuse(
                    start + " is not before " + end,
                    "a version lasts from its start to before its end",
                    column("n", end) + " IS NOT NULL AND NOT (" + column("n", start) + " < " + column("n", end) + ")");
        }

        void refuse(String what, String hint, String condition) {
            raise(what, hint, "SELECT " + columns("n") + " FROM " + rows + " AS n WHERE " + condition, shown.size());
        }

        /** Refuses new rows that meet a condition together with a row of the table or with a later new row. */
        void refuseDuplicates(String condition, String hint) {
            String sameKey = keys.stream()
                    .map(key -> column("n", key) + " = " + column("e", key))
                    .collect(Collectors.joining(" AND "));
            String select = "SELECT " + columns("n") + ", " + columns("e") + " FROM " + rows + " AS n JOIN ";
            String where = " AS e ON " + sameKey + " WHERE (" + condition + ")";
            String what = storage == ScdType.SCD1 ? "a key exists already" : "a version overlaps another one";
            raise(what, hint, select + existing + where, 2 * shown.size());
            String order = " AND " + column("n", ORDINAL) + " < " + column("e", ORDINAL);
            raise(what, hint, select + rows + where + order, 2 * shown.size());
        }

        private String columns(String alias) {
            return shown.stream().map(name -> column(alias, name)).collect(Collectors.joining(", "));
        }

        private void raise(String what, String hint, String sql, int columnCount) {
            List<String> samples = new ArrayList<>();
            engine.stream("SELECT * FROM (" + sql + ") AS t (" + numbered(columnCount) + ")", row -> {
                StringBuilder text = new StringBuilder("The row ").append(rowText(row, 0));
                if (row.size() > shown.size()) {
                    text.append(" meets ").append(rowText(row, shown.size()));
                }
                samples.add(text.append('.').toString());
                return samples.size() < SAMPLE_ROWS_MAX;
            });
            if (!samples.isEmpty()) {
                throw TidemarkException.of(
                                ErrorCode.TARGET_ROWS_INVALID,
                                "the rows do not fit table " + table + ", which a change flow writes: " + what)
                        .detail(String.join("\n", samples))
                        .hint(hint)
                        .build();
            }
        }

        private String rowText(List<? extends @Nullable Object> row, int from) {
            List<String> parts = new ArrayList<>();
            for (int i = 0; i < shown.size(); i++) {
                parts.add(shown.get(i) + " = " + Texts.shown(row.get(from + i)));
            }
            return "(" + String.join(", ", parts) + ")";
        }
    }

    private static String numbered(int count) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add("c" + i);
        }
        return String.join(", ", names);
    }
}
