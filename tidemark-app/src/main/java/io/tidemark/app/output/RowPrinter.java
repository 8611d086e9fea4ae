package io.tidemark.app.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Prints rows one by one. Text is aligned by the first rows; longer values of later rows push their line to the right, so
 * that a result of any size is printed without being held.
 */
public final class RowPrinter implements AutoCloseable {
    private static final int ROWS_MEASURED = 1_000;
    private static final JsonFactory JSON = new JsonFactory();

    private final PrintWriter out;
    private final OutputFormat format;
    private final List<String> columns;
    private final List<List<String>> held = new ArrayList<>();
    private final boolean[] numbers;
    private final int valueWidthMax;
    private int[] widths = new int[0];
    private long rows;
    private boolean begun;

    /** A printer of rows with the given columns; text shows whole values. */
    public RowPrinter(PrintWriter out, OutputFormat format, List<String> columns) {
        this(out, format, columns, Integer.MAX_VALUE);
    }

    /**
     * A printer of rows.
     *
     * @param valueWidthMax text shows as many characters of a value at most; other formats show all
     */
    public RowPrinter(PrintWriter out, OutputFormat format, List<String> columns, int valueWidthMax) {
        this.valueWidthMax = valueWidthMax;
        this.out = out;
        this.format = format;
        this.columns = format == OutputFormat.JSON ? distinct(columns) : List.copyOf(columns);
        this.numbers = new boolean[columns.size()];
        java.util.Arrays.fill(numbers, true);
    }

    /** Members of an object need names of their own: a second {@code a} is {@code a_2}. */
    private static List<String> distinct(List<String> columns) {
        List<String> names = new ArrayList<>();
        for (String column : columns) {
            String name = column;
            for (int i = 2; names.contains(name); i++) {
                name = column + "_" + i;
            }
            names.add(name);
        }
        return names;
    }

    /** Rows are complete: prints what is still held, and the header if there was no row. */
    public void finish() {
        begin();
        if (format == OutputFormat.TEXT) {
            flushHeld();
        }
    }

    /** The header comes with the first row, so that a query that fails prints nothing. */
    private void begin() {
        if (!begun && format == OutputFormat.CSV) {
            out.println(columns.stream().map(RowPrinter::csv).collect(Collectors.joining(",")));
        }
        begun = true;
    }

    /** Prints one row. */
    public void print(List<@Nullable Object> values) {
        rows++;
        begin();
        switch (format) {
            case TEXT -> text(values);
            case CSV ->
                out.println(values.stream()
                        .map(value -> value == null ? "" : csv(Values.text(value)))
                        .collect(Collectors.joining(",")));
            case JSON -> out.println(json(values));
        }
    }

    /** Number of rows printed so far. */
    public long rows() {
        return rows;
    }

    @Override
    public void close() {
        out.flush();
    }

    private void text(List<@Nullable Object> values) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            Object value = values.get(i);
            texts.add(cut(
                    Values.text(value).replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")));
            numbers[i] &= value == null || Values.isNumber(value);
        }
        if (widths.length > 0) {
            out.println(line(texts));
            return;
        }
        held.add(texts);
        if (held.size() == ROWS_MEASURED) {
            flushHeld();
        }
    }

    private void flushHeld() {
        if (widths.length > 0) {
            return;
        }
        widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = width(columns.get(i));
            for (List<String> row : held) {
                widths[i] = Math.max(widths[i], width(row.get(i)));
            }
        }
        out.println(line(columns));
        StringBuilder rule = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            rule.append(i == 0 ? "" : "  ").append("-".repeat(widths[i]));
        }
        out.println(rule);
        held.forEach(row -> out.println(line(row)));
        held.clear();
    }

    private String line(List<String> texts) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < texts.size(); i++) {
            String pad = " ".repeat(Math.max(0, widths[i] - width(texts.get(i))));
            line.append(i == 0 ? "" : "  ");
            line.append(numbers[i] ? pad + texts.get(i) : texts.get(i) + pad);
        }
        return line.toString().stripTrailing();
    }

    private String cut(String text) {
        return width(text) <= valueWidthMax
                ? text
                : text.substring(0, text.offsetByCodePoints(0, valueWidthMax - 1)) + "…";
    }

    private static int width(String text) {
        return text.codePointCount(0, text.length());
    }

    private static String csv(String text) {
        boolean quoted = text.isEmpty() || text.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return quoted ? "\"" + text.replace("\"", "\"\"") + "\"" : text;
    }

    private String json(List<@Nullable Object> values) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            for (int i = 0; i < columns.size(); i++) {
                json.writeFieldName(columns.get(i));
                Values.json(json, values.get(i));
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }
}
