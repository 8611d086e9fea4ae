package io.tidemark.files;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the text of a CSV file into records. Within quotes a doubled quote and an escaped quote both stand for a quote;
 * an escape character before anything else is an ordinary character.
 */
final class CsvParser {
    private static final int END = -1;

    private final BufferedReader reader;
    private final Dialect dialect;
    private final String file;
    private long line = 1;
    private long recordLine = 1;
    private int pushedBack = END;
    private boolean hasPushedBack;

    /**
     * How a file is written.
     *
     * @param delimiter between the values
     * @param quote around values; none if empty
     * @param escape before quotes within quotes; none if empty
     * @param nullText what stands for NULL outside of quotes
     * @param multiLine whether quoted values may hold line breaks
     */
    record Dialect(
            char delimiter, Optional<Character> quote, Optional<Character> escape, String nullText, boolean multiLine) {
        static Dialect of(InputOptions options) {
            String separator = options.text("sep").isPresent() ? "sep" : "delimiter";
            return new Dialect(
                    options.character(separator, ',')
                            .orElseThrow(() -> options.invalid("option " + separator + " must not be empty")
                                    .build()),
                    options.character("quote", '"'),
                    options.character("escape", '\\'),
                    options.text("nullvalue").orElse(""),
                    options.flag("multiline", false));
        }

        boolean isQuote(int character) {
            return quote.isPresent() && character == quote.get();
        }

        boolean isEscape(int character) {
            return escape.isPresent() && character == escape.get();
        }
    }

    CsvParser(BufferedReader reader, Dialect dialect, String file) {
        this.reader = reader;
        this.dialect = dialect;
        this.file = file;
    }

    /** Where the last record began. */
    InputErrors.Place place() {
        return new InputErrors.Place(file, recordLine);
    }

    /** The next record that is no empty line; null values are those that stand for NULL. Empty at the end. */
    Optional<List<@Nullable String>> next() throws IOException {
        while (true) {
            recordLine = line;
            int first = read();
            if (first == END) {
                return Optional.empty();
            }
            if (first == '\n') {
                continue;
            }
            pushBack(first);
            return Optional.of(record());
        }
    }

    private List<@Nullable String> record() throws IOException {
        List<@Nullable String> values = new ArrayList<>();
        while (true) {
            int first = read();
            int end;
            if (dialect.isQuote(first)) {
                StringBuilder quoted = new StringBuilder();
                end = quoted(quoted);
                values.add(quoted.toString());
            } else {
                StringBuilder plain = new StringBuilder();
                int character = first;
                while (character != END && character != '\n' && character != dialect.delimiter()) {
                    plain.append((char) character);
                    character = read();
                }
                end = character;
                String text = plain.toString();
                values.add(text.equals(dialect.nullText()) || text.isEmpty() ? null : text);
            }
            if (end == END || end == '\n') {
                return values;
            }
        }
    }

    /** Reads up to the closing quote and what follows it; returns the delimiter, line break or end behind that. */
    private int quoted(StringBuilder value) throws IOException {
        while (true) {
            int character = read();
            if (character == END || (character == '\n' && !dialect.multiLine())) {
                throw InputErrors.malformed(
                        place(),
                        "a quoted value does not end on its line"
                                + (dialect.multiLine() ? "" : "; multiLine => true allows line breaks within quotes"));
            }
            if (dialect.isQuote(character)) {
                int next = read();
                if (dialect.isQuote(next)) {
                    value.append((char) next);
                    continue;
                }
                return afterQuote(next);
            }
            if (dialect.isEscape(character)) {
                int next = read();
                if (dialect.isQuote(next) || dialect.isEscape(next)) {
                    value.append((char) next);
                    continue;
                }
                pushBack(next);
            }
            value.append((char) character);
        }
    }

    private int afterQuote(int next) {
        if (next != END && next != '\n' && next != dialect.delimiter()) {
            throw InputErrors.malformed(place(), "'" + (char) next + "' follows a closing quote");
        }
        return next;
    }

    /** The next character; line breaks of all kinds are one line feed. */
    private int read() throws IOException {
        int character;
        if (hasPushedBack) {
            hasPushedBack = false;
            character = pushedBack;
        } else {
            character = reader.read();
            if (character == '\r') {
                reader.mark(1);
                if (reader.read() != '\n') {
                    reader.reset();
                }
                character = '\n';
            }
        }
        if (character == '\n') {
            line++;
        }
        return character;
    }

    private void pushBack(int character) {
        pushedBack = character;
        hasPushedBack = true;
        if (character == '\n') {
            line--;
        }
    }
}
