package io.tidemark.tests.shop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Rows as PostgreSQL's COPY writes them in CSV, with {@code \N} for NULL. */
final class PostgresCsv {
    private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .toFormatter(Locale.ROOT);
    private static final String NULL = "\\N";

    private PostgresCsv() {}

    /** Reads a file; the first row holds the names. A NULL is null. */
    static List<List<@Nullable String>> read(Path file) throws IOException {
        try (Reader reader = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            return parse(reader);
        }
    }

    private static List<List<@Nullable String>> parse(Reader reader) throws IOException {
        List<List<@Nullable String>> rows = new ArrayList<>();
        List<@Nullable String> row = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        boolean inQuotes = false;
        int c = reader.read();
        while (c >= 0) {
            int next = reader.read();
            if (inQuotes) {
                if (c == '"' && next == '"') {
                    field.append('"');
                    next = reader.read();
                } else if (c == '"') {
                    inQuotes = false;
                } else {
                    field.append((char) c);
                }
            } else if (c == '"') {
                inQuotes = true;
                quoted = true;
            } else if (c == ',' || c == '\n') {
                row.add(!quoted && field.toString().equals(NULL) ? null : field.toString());
                field.setLength(0);
                quoted = false;
                if (c == '\n') {
                    rows.add(row);
                    row = new ArrayList<>();
                }
            } else {
                field.append((char) c);
            }
            c = next;
        }
        return rows;
    }

    /** A value of a table as PostgreSQL spells it in a session of time zone UTC; null stays null. */
    static @Nullable String text(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof Boolean flag) {
            return flag ? "t" : "f";
        }
        if (value instanceof Instant instant) {
            return TIME.format(instant.atOffset(ZoneOffset.UTC)) + "+00";
        }
        if (value instanceof LocalDateTime time) {
            return TIME.format(time);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(PostgresCsv::json).collect(Collectors.joining(",", "[", "]"));
        }
        return value.toString();
    }

    private static String json(@Nullable Object element) {
        if (element == null) {
            return "null";
        }
        return element instanceof Number
                ? element.toString()
                : "\"" + element.toString().replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
