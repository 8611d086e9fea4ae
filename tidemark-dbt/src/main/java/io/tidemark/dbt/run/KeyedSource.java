package io.tidemark.dbt.run;

import io.tidemark.core.engine.InternalColumns;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.snapshot.SnapshotDifference;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.dbt.project.SnapshotSettings.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A snapshot's source with its key and time as columns. */
final class KeyedSource implements AutoCloseable {
    /** Column with the time of a row. */
    static final String TIME = "__time";

    private static final String KEY = "__key";
    private static final int SAMPLE_MAX = 3;

    private final RunContext context;
    private final SnapshotSettings settings;
    private final SourceRows rows;
    private final String relation;
    private final List<String> keyNames = new ArrayList<>();
    private final StructType columns;

    /**
     * Binds the source; its rows are not read yet, unless their types must be found out.
     *
     * @param table columns of the snapshot's table that came from the source, if there is a table
     */
    KeyedSource(RunContext context, SourceQuery query, Optional<StructType> table) {
        this.context = context;
        this.settings = context.settings();
        this.relation = context.prefix() + "keyed";
        for (int i = 0; i < settings.uniqueKey().size(); i++) {
            keyNames.add(KEY + i);
        }
        this.rows = new SourceRows(context.engine(), context.prefix() + "source", query, settings, table);
        try {
            names().forEach(name -> InternalColumns.checkFree(rows.columns().names(), name));
            context.engine().createView(relation, withExpressions());
            this.columns = context.describe(relation);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** SQL of the rows with their keys and times; an error names the option whose expression is wrong. */
    private String withExpressions() {
        List<String> expressions = expressions();
        try {
            return context.sql().with(rows.relation(), expressions, names(), settings.location());
        } catch (TidemarkException e) {
            for (int i = 0; i < expressions.size(); i++) {
                String option = i < keyNames.size() ? "unique_key" : "updated_at";
                checkExpression(option, expressions.get(i), names().get(i));
            }
            throw e;
        }
    }

    private void checkExpression(String option, String expression, String name) {
        try {
            context.sql().with(rows.relation(), List.of(expression), List.of(name), settings.location());
        } catch (TidemarkException e) {
            boolean column = plain(expression).matches("\\w+");
            TidemarkException.Builder error = column
                    ? TidemarkException.of(
                            ErrorCode.UNKNOWN_COLUMN,
                            option + " of snapshot " + context.snapshot() + " names " + expression
                                    + ", which its query does not have")
                    : TidemarkException.of(
                                    ErrorCode.QUERY_INVALID,
                                    option + " of snapshot " + context.snapshot() + " is no expression over its query: "
                                            + expression)
                            .detail(e.primary());
            throw error.at(settings.location())
                    .hint("the query has " + String.join(", ", given()))
                    .cause(e)
                    .build();
        }
    }

    /** The relation: the columns of the query, then those of {@link #names}. */
    String relation() {
        return relation;
    }

    /** Names and types of the relation's columns. */
    StructType columns() {
        return columns;
    }

    /** The rows of the query alone. */
    SourceRows rows() {
        return rows;
    }

    /** The names of the query's columns. */
    List<String> given() {
        return rows.columns().names();
    }

    /** Expressions of the project: the parts of the key, then the time if there is one. */
    List<String> expressions() {
        List<String> expressions = new ArrayList<>(settings.uniqueKey());
        settings.updatedAt().ifPresent(expressions::add);
        return expressions;
    }

    /** The columns of {@link #expressions}. */
    List<String> names() {
        List<String> names = new ArrayList<>(keyNames);
        settings.updatedAt().ifPresent(expression -> names.add(TIME));
        return names;
    }

    /** The columns of the key's parts. */
    List<String> keyNames() {
        return keyNames;
    }

    /** The columns of the key's parts, of rows with the alias {@code r}. */
    List<String> keys() {
        return keyNames.stream().map(key -> "r." + key).toList();
    }

    /**
     * The type of the rows' times, if the options say what it is.
     *
     * @throws TidemarkException {@code SNAPSHOT_CONFIG_INVALID} if it is no time
     */
    Optional<DataType> timeType() {
        if (settings.updatedAt().isEmpty()) {
            return Optional.empty();
        }
        DataType type = columns.field(TIME).orElseThrow().type();
        if (!Types.isTime(type)) {
            throw TidemarkException.of(
                            ErrorCode.SNAPSHOT_CONFIG_INVALID,
                            "updated_at of snapshot " + context.snapshot() + " is of type " + type.sql()
                                    + ", which is no time")
                    .at(settings.location())
                    .detail("Texts and numbers have another order than times: '9' stands behind '10'.")
                    .hint("cast it: updated_at='cast(" + settings.updatedAt().get() + " as timestamp)'")
                    .build();
        }
        return Optional.of(type);
    }

    /** The time of a row {@code r}; the run's if the options have none. NULL if the row has none. */
    String time(VersionSql versions) {
        return settings.updatedAt().isEmpty() ? versions.now() : versions.cast("r." + TIME);
    }

    private String what() {
        return "the source of snapshot " + context.snapshot();
    }

    /** Checks that no key stands in two rows. */
    void checkKeysAreUnique(SnapshotDifference difference) {
        difference.checkKeysAreUnique(what());
    }

    /** The error for a source in which a key was found to stand in two rows; it is read again for that. */
    TidemarkException keysAreNotUnique(SnapshotDifference difference) {
        checkKeysAreUnique(difference);
        return TidemarkException.of(ErrorCode.DUPLICATE_SNAPSHOT_KEY, "keys of " + what() + " stand in several rows")
                .detail(
                        "Nothing was committed. They cannot be shown: the source gave other rows when it was read again.")
                .hint("a snapshot has one row for each key: correct the source, or the key")
                .build();
    }

    /** Whether a row {@code r} has no time that the table could hold. */
    String isFaulty(VersionSql versions) {
        if (settings.updatedAt().isEmpty()) {
            return "FALSE";
        }
        String outside = versions.isOutside("r." + TIME);
        return settings.nullUpdatedAtIsRunTime() ? outside : "(r." + TIME + " IS NULL OR " + outside + ")";
    }

    /** Checks keys and times of the rows when they have been read, and before anything is written. */
    void check(SnapshotDifference difference, VersionSql versions) {
        difference.checkKeysAreGiven(what(), false, "");
        if (settings.updatedAt().isEmpty()) {
            return;
        }
        if (!settings.nullUpdatedAtIsRunTime()) {
            checkNone(
                    difference,
                    TIME + " IS NULL",
                    "without updated_at",
                    "correct the source, or set null_updated_at='run_time' to take them as changed at the run");
        }
        checkNone(
                difference,
                versions.isOutside(TIME),
                "whose updated_at is outside of the years 1 to 9999",
                "correct the source: tables have no place for infinite times");
    }

    private void checkNone(SnapshotDifference difference, String condition, String fault, String hint) {
        String faulty = " FROM " + context.quoted(difference.rows()) + " WHERE " + condition;
        long count = context.number("SELECT count(*)" + faulty);
        if (count > 0) {
            List<String> sample = new ArrayList<>();
            context.engine().stream(
                    "SELECT " + String.join(", ", keyNames) + faulty + " LIMIT " + SAMPLE_MAX,
                    row -> sample.add(SnapshotDifference.shown(row)));
            throw TidemarkException.of(
                            ErrorCode.NULL_UPDATED_AT,
                            count + (count == 1 ? " row" : " rows") + " of " + what() + " " + fault)
                    .detail("Nothing was committed. Keys for example: " + String.join(", ", sample))
                    .hint(hint)
                    .build();
        }
    }

    /** The compared columns: those of the option, or all of the query. */
    List<StructField> compared() {
        List<StructField> all = rows.columns().fields();
        if (settings.strategy() == Strategy.TIMESTAMP) {
            // That the time alone moved backwards is no change of data.
            return all.stream()
                    .filter(field -> !field.name()
                            .equalsIgnoreCase(plain(settings.updatedAt().orElse(""))))
                    .toList();
        }
        if (settings.checkColumns().isEmpty()) {
            return all;
        }
        List<StructField> chosen = new ArrayList<>();
        for (String column : settings.checkColumns()) {
            chosen.add(rows.columns()
                    .field(plain(column))
                    .orElseThrow(() -> TidemarkException.of(
                                    ErrorCode.UNKNOWN_COLUMN,
                                    "check_cols of snapshot " + context.snapshot() + " names " + column
                                            + ", which its query does not have")
                            .at(settings.location())
                            .hint("the query has " + String.join(", ", given()))
                            .build()));
        }
        return chosen;
    }

    /** Whether the table lacks the column of the time. */
    boolean timeIsNew() {
        return settings.updatedAt().isPresent()
                && rows.added().stream().anyMatch(plain(settings.updatedAt().get())::equalsIgnoreCase);
    }

    /** Files are sorted by those parts of the key that are columns. */
    List<String> sortBy(StructType schema) {
        return settings.uniqueKey().stream()
                .flatMap(key -> schema.field(plain(key)).stream())
                .map(StructField::name)
                .distinct()
                .toList();
    }

    /** A column's name without the quotes of SQL. */
    private static String plain(String column) {
        String text = column.strip();
        boolean quoted = text.length() > 1
                && ((text.startsWith("\"") && text.endsWith("\"")) || (text.startsWith("`") && text.endsWith("`")));
        return quoted ? text.substring(1, text.length() - 1) : text;
    }

    @Override
    public void close() {
        context.engine().drop(relation);
        rows.close();
    }
}
