// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;

/** Reads PostgreSQL's CSV: a value may hold line breaks when quoted, and an unquoted {@code \N} is NULL. */
final class CsvReader {

    /** Stands for NULL when it is not quoted. */
    static final String NULL_MARKER = "\\N";

    private static final int END = -1;

    private final Reader reader;
    private int next;

    CsvReader(Reader reader) throws IOException {
        this.reader = reader;
        this.next = reader.read();
    }

    /** The next line's values, or null at the end. */
    List<String> read() throws IOException {
        if (next == END) {
            return null;
        }
        List<String> values = new ArrayList<>();
        values.add(value());
        while (next == ',') {
            advance();
            values.add(value());
        }
        if (next != '\n') {
            throw new IOException("a line of CSV ends in character " + next);
        }
        advance();
        return values;
    }

    private String value() throws IOException {
        return next == '"' ? quoted() : plain();
    }

    private String plain() throws IOException {
        StringBuilder text = new StringBuilder();
        while (next != ',' && next != '\n' && next != END) {
            text.append((char) next);
            advance();
        }
        return text.toString().equals(NULL_MARKER) ? null : text.toString();
    }

    private String quoted() throws IOException {
        StringBuilder text = new StringBuilder();
        advance();
        while (true) {
            if (next == END) {
                throw new IOException("a quoted value has no end");
            }
            if (next == '"') {
                advance();
                if (next != '"') {
                    return text.toString();
                }
            }
            text.append((char) next);
            advance();
        }
    }

    private void advance() throws IOException {
        next = reader.read();
    }
}
