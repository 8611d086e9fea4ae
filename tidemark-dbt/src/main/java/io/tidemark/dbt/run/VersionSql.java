package io.tidemark.dbt.run;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** SQL of times and ids of versions, in the spelling of all engines. */
final class VersionSql {
    /** What joins the parts of an id's text. */
    private static final String SEPARATOR = "|";
    /** The one text form of times in ids: a fraction has no trailing zeros. */
    private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.MICRO_OF_SECOND, 0, 6, true)
            .toFormatter(Locale.ROOT);

    private final Dialect dialect;
    private final DataType timeType;
    private final String now;

    /**
     * SQL for one run.
     *
     * @param timeType type of the table's times
     * @param runTime the run's time, in UTC
     */
    VersionSql(Dialect dialect, DataType timeType, LocalDateTime runTime) {
        this.dialect = dialect;
        this.timeType = timeType;
        this.now = time(TIME.format(runTime));
    }

    /** Whether a time is outside of the years that all readers of a table understand, as infinite ones are. */
    String isOutside(String time) {
        String plain = dialect.type(ScalarType.TIMESTAMP_NTZ);
        return "CAST(" + time + " AS " + plain + ") NOT BETWEEN CAST(" + dialect.string("0001-01-01 00:00:00") + " AS "
                + plain + ") AND CAST(" + dialect.string("9999-12-31 23:59:59.999999") + " AS " + plain + ")";
    }

    /** The run's time. */
    String now() {
        return now;
    }

    /** The time in a canonical text. */
    String time(String text) {
        String plain = "CAST(" + dialect.string(text) + " AS " + dialect.type(ScalarType.TIMESTAMP_NTZ) + ")";
        return timeType == ScalarType.TIMESTAMP_NTZ ? plain : "CAST(" + plain + " AS " + dialect.type(timeType) + ")";
    }

    /** A time as the canonical text. */
    String text(String time, DataType type) {
        String plain = type == ScalarType.TIMESTAMP
                ? "CAST(" + time + " AS " + dialect.type(ScalarType.TIMESTAMP_NTZ) + ")"
                : time;
        return "CAST(" + plain + " AS " + dialect.type(ScalarType.STRING) + ")";
    }

    /** A time as canonical text, of the table's type. */
    String text(String time) {
        return text(time, timeType);
    }

    /** An expression in the table's type of times. */
    String cast(String expression) {
        return "CAST(" + expression + " AS " + dialect.type(timeType) + ")";
    }

    /**
     * When a version begins: at its time if that lies behind what was before, else at the run's time, else at the least
     * time behind what was before.
     *
     * @param time the version's own time
     * @param before start or end of the version before; NULL if there is none
     */
    String start(String time, String before) {
        return "CASE WHEN " + before + " IS NULL OR " + time + " > " + before + " THEN " + time + " WHEN " + now + " > "
                + before + " THEN " + now + " ELSE " + after(before) + " END";
    }

    private String after(String time) {
        return timeType == ScalarType.DATE
                ? cast(time + " + INTERVAL 1 DAY")
                : cast(time + " + INTERVAL 1 MICROSECOND");
    }

    /**
     * The id of a version: a hash over its key and start. Parts of a composite key that hold the separator are written
     * with their lengths, so that no two keys share an id; keys without it keep the id that dbt gives.
     *
     * @param keys text expressions of the key's parts
     * @param start its start
     */
    String id(List<String> keys, String start) {
        List<String> parts = new ArrayList<>(keys);
        parts.add(text(start));
        String plain = joined(parts);
        if (keys.size() == 1) {
            return "md5(" + plain + ")";
        }
        List<String> holds = keys.stream()
                .map(key -> key + " LIKE " + dialect.string("%" + SEPARATOR + "%"))
                .toList();
        List<String> measured = new ArrayList<>();
        keys.forEach(key ->
                measured.add("CAST(length(" + key + ") AS " + dialect.type(ScalarType.STRING) + ") || ':' || " + key));
        measured.add(text(start));
        return "md5(CASE WHEN " + String.join(" OR ", holds) + " THEN '#' || " + joined(measured) + " ELSE " + plain
                + " END)";
    }

    /** The id of the row that says that a key is gone. */
    String deletionId(String oldId, String start) {
        return "md5(" + joined(List.of("COALESCE(" + oldId + ", '')", text(start))) + ")";
    }

    private String joined(List<String> parts) {
        return String.join(" || " + dialect.string(SEPARATOR) + " || ", parts);
    }
}
