package io.tidemark.files;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.files.InputOptions.Mode;
import io.tidemark.files.TextValues.BadValue;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** CSV files. Columns are found by the names in the header, or by position if there is none. */
final class CsvSource implements RowSource {
    private final CsvParser.Dialect dialect;
    private final boolean header;
    private final Charset charset;
    private final Mode mode;
    private final TextValues texts;
    private final StructType columns;

    CsvSource(InputOptions options, Optional<StructType> declared, List<SourceFile> files) {
        this.dialect = CsvParser.Dialect.of(options);
        this.header = options.flag("header", true);
        this.charset = options.charset();
        this.mode = options.mode();
        this.texts = TextValues.of(options);
        this.columns = declared.isPresent() ? checked(declared.get(), options) : inferred(files);
    }

    private static StructType checked(StructType declared, InputOptions options) {
        for (StructField field : declared.fields()) {
            boolean plain = switch (field.type().kind()) {
                case SCALAR -> FileRows.canHold(field.type());
                case DECIMAL -> true;
                case STRUCT, ARRAY, MAP -> false;
            };
            if (!plain) {
                throw options.invalid("column " + field.name() + ": CSV files cannot hold "
                                + field.type().sql())
                        .build();
            }
        }
        return declared;
    }

    @Override
    public StructType columns() {
        return columns;
    }

    @Override
    public Rows open(SourceFile file) throws IOException {
        return new Records(file.open(charset), file.path());
    }

    /** The records of a file; its header is read with the first of them. */
    private final class Records implements Rows {
        private final BufferedReader reader;
        private final CsvParser parser;
        private final List<@Nullable Object> row = new ArrayList<>();
        private int @Nullable [] indexes;
        private int width;

        Records(BufferedReader reader, String path) {
            this.reader = reader;
            this.parser = new CsvParser(reader, dialect, path);
        }

        @Override
        public @Nullable List<@Nullable Object> next() throws IOException {
            int[] found = indexes;
            if (found == null) {
                found = places();
                indexes = found;
            }
            for (Optional<List<@Nullable String>> next = parser.next(); next.isPresent(); next = parser.next()) {
                row.clear();
                if (convert(next.get(), found, width, parser.place(), row)) {
                    return row;
                }
            }
            return null;
        }

        /** Where in a record each column stands. */
        private int[] places() throws IOException {
            Optional<List<@Nullable String>> names = header ? parser.next() : Optional.empty();
            width = names.map(List::size).orElse(columns.fields().size());
            return names.map(list -> byName(parser.place(), list)).orElseGet(CsvSource.this::byPosition);
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }

    private int[] byPosition() {
        int[] indexes = new int[columns.fields().size()];
        for (int i = 0; i < indexes.length; i++) {
            indexes[i] = i;
        }
        return indexes;
    }

    private int[] byName(InputErrors.Place place, List<@Nullable String> names) {
        Set<String> seen = new HashSet<>();
        Map<String, Integer> positions = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i) == null
                    ? ""
                    : String.valueOf(names.get(i)).strip().toLowerCase(Locale.ROOT);
            if (!name.isEmpty() && !seen.add(name)) {
                throw InputErrors.malformed(place, "the header names column " + names.get(i) + " twice");
            }
            positions.putIfAbsent(name, i);
        }
        int[] indexes = new int[columns.fields().size()];
        for (int i = 0; i < indexes.length; i++) {
            indexes[i] = positions.getOrDefault(columns.fields().get(i).name().toLowerCase(Locale.ROOT), -1);
        }
        return indexes;
    }

    /** Converts a record; returns whether the row is to be kept. */
    private boolean convert(
            List<@Nullable String> record,
            int[] indexes,
            int width,
            InputErrors.Place place,
            List<@Nullable Object> row) {
        if (record.size() != width && mode != Mode.PERMISSIVE) {
            if (mode == Mode.DROPMALFORMED) {
                return false;
            }
            throw InputErrors.malformed(place, "the row has " + record.size() + " values instead of " + width);
        }
        for (int i = 0; i < indexes.length; i++) {
            StructField field = columns.fields().get(i);
            String text = indexes[i] < 0 || indexes[i] >= record.size() ? null : record.get(indexes[i]);
            Object value = null;
            if (text != null) {
                try {
                    value = texts.parse(text, field.type());
                } catch (BadValue e) {
                    if (mode == Mode.DROPMALFORMED) {
                        return false;
                    }
                    if (mode == Mode.FAILFAST) {
                        throw InputErrors.wrongValue(place, field.name(), text, field.type());
                    }
                }
            }
            if (value == null && !field.nullable()) {
                throw InputErrors.missing(place, field.name());
            }
            row.add(value);
        }
        return true;
    }

    private StructType inferred(List<SourceFile> files) {
        Map<String, TextTypes> types = new LinkedHashMap<>();
        for (SourceFile file : files) {
            try (BufferedReader reader = file.open(charset)) {
                infer(new CsvParser(reader, dialect, file.path()), types);
            } catch (IOException e) {
                throw InputErrors.reading(file.path(), e);
            }
        }
        List<StructField> fields = new ArrayList<>();
        types.forEach((name, type) -> fields.add(StructField.of(name, type.type())));
        return new StructType(fields);
    }

    private void infer(CsvParser parser, Map<String, TextTypes> types) throws IOException {
        List<String> names = new ArrayList<>();
        Optional<List<@Nullable String>> next = parser.next();
        if (header && next.isPresent()) {
            for (String name : next.get()) {
                names.add(name == null ? "_c" + names.size() : name.strip());
            }
            next = parser.next();
        }
        names.forEach(name -> types.computeIfAbsent(name, key -> new TextTypes(texts)));
        for (; next.isPresent(); next = parser.next()) {
            List<@Nullable String> record = next.get();
            for (int i = 0; i < record.size(); i++) {
                if (i >= names.size()) {
                    names.add("_c" + i);
                }
                types.computeIfAbsent(names.get(i), key -> new TextTypes(texts)).see(record.get(i));
            }
        }
    }

    /** The type that fits all texts seen so far. */
    private static final class TextTypes {
        private static final List<DataType> CANDIDATES = List.of(
                ScalarType.INTEGER,
                ScalarType.LONG,
                ScalarType.DOUBLE,
                ScalarType.DATE,
                ScalarType.TIMESTAMP,
                ScalarType.BOOLEAN,
                ScalarType.STRING);

        private final TextValues texts;
        private final List<DataType> left = new ArrayList<>(CANDIDATES);
        private boolean seen;

        TextTypes(TextValues texts) {
            this.texts = texts;
        }

        void see(@Nullable String text) {
            if (text == null) {
                return;
            }
            seen = true;
            left.removeIf(type -> {
                try {
                    texts.parse(text, type);
                    return false;
                } catch (BadValue e) {
                    return true;
                }
            });
        }

        DataType type() {
            return seen ? left.get(0) : ScalarType.STRING;
        }
    }
}
