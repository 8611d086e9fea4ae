package io.tidemark.duckdb.input;

import io.tidemark.core.engine.InputScan;
import io.tidemark.core.engine.InputScan.Format;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.session.EpochMicros;
import io.tidemark.duckdb.session.Session;
import io.tidemark.duckdb.session.Spelling;
import io.tidemark.duckdb.session.TypeText;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes relations of source files. */
public final class InputReader {
    private static final String METADATA = "_metadata";
    private static final StructType METADATA_TYPE = StructType.of(
            StructField.of("file_path", ScalarType.STRING),
            StructField.of("file_name", ScalarType.STRING),
            StructField.of("file_size", ScalarType.LONG),
            StructField.of("file_modification_time", ScalarType.TIMESTAMP));

    private final Session session;
    private final String schemaName;
    private final Map<Inferred, StructType> inferred = new HashMap<>();

    /** Files as they were when their columns were inferred. */
    private record Inferred(InputScan scan, List<SourceFile> files) {}

    /** Makes tables in that schema of the session's database. */
    public InputReader(Session session, String schemaName) {
        this.session = session;
        this.schemaName = schemaName;
    }

    /**
     * A relation.
     *
     * @param schema its columns
     * @param select SQL that reads it
     */
    public record Loaded(StructType schema, String select) {}

    /**
     * Reads files of text into the table of that name; Parquet files are read when the relation is.
     *
     * @param scan what to read
     * @param table name of a table that does not exist yet
     */
    public Loaded load(InputScan scan, String table) {
        try {
            InputOptions options = new InputOptions(scan);
            List<SourceFile> files = scan.files().stream().map(SourceFile::of).toList();
            if (scan.format() == Format.PARQUET) {
                return parquet(scan, files);
            }
            Optional<StructType> schema = scan.schema().isPresent()
                    ? scan.schema()
                    : Optional.ofNullable(inferred.remove(new Inferred(scan, files)));
            RowSource source = source(scan, options, schema, files);
            StructType columns = source.columns();
            checkNames(columns, scan);
            load(source, files, table);
            String names = columns.names().stream().map(Spelling::name).collect(Collectors.joining(", "));
            String index = TableLoader.FILE_COLUMN + " + 1";
            String select = "SELECT " + names + (names.isEmpty() ? "" : ", ") + metadata(files, index) + " FROM "
                    + schemaName + "." + table;
            return new Loaded(withMetadata(columns), select);
        } catch (TidemarkException e) {
            throw e.at(scan.location());
        }
    }

    /**
     * The schema of files, without their rows. What had to be inferred is kept for {@link #load}, which then need not
     * read the same files twice to learn it.
     */
    public StructType describe(InputScan scan) {
        try {
            InputOptions options = new InputOptions(scan);
            if (scan.format() == Format.PARQUET) {
                return parquet(scan, scan.files().stream().map(SourceFile::of).toList())
                        .schema();
            }
            StructType columns = columns(scan, options);
            checkNames(columns, scan);
            return withMetadata(columns);
        } catch (TidemarkException e) {
            throw e.at(scan.location());
        }
    }

    private StructType columns(InputScan scan, InputOptions options) {
        if (scan.schema().isPresent()) {
            return source(scan, options, scan.schema(), List.of()).columns();
        }
        List<SourceFile> files = scan.files().stream().map(SourceFile::of).toList();
        StructType columns = source(scan, options, Optional.empty(), files).columns();
        inferred.put(new Inferred(scan, files), columns);
        return columns;
    }

    private static RowSource source(
            InputScan scan, InputOptions options, Optional<StructType> schema, List<SourceFile> files) {
        return switch (scan.format()) {
            case CSV -> new CsvSource(options, schema, files);
            case JSON -> new JsonSource(options, schema, files);
            case DEBEZIUM -> new DebeziumSource(options, schema);
            case PARQUET -> throw new IllegalStateException("Parquet files are not read row by row");
        };
    }

    private static void checkNames(StructType columns, InputScan scan) {
        for (StructField field : columns.fields()) {
            long same = columns.fields().stream()
                    .filter(other -> other.name().equalsIgnoreCase(field.name()))
                    .count();
            if (same > 1
                    || field.name().equalsIgnoreCase(METADATA)
                    || field.name().equals(TableLoader.FILE_COLUMN)) {
                throw TidemarkException.of(ErrorCode.RESERVED_COLUMN, "the files cannot have a column " + field.name())
                        .detail("The name stands twice or is one that the reader adds itself.")
                        .at(scan.location())
                        .build();
            }
            if (!TableLoader.canLoad(field.type())) {
                throw TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE,
                                "column " + field.name() + " of type "
                                        + field.type().sql() + " cannot be read")
                        .at(scan.location())
                        .build();
            }
        }
    }

    /**
     * Takes rows into the table of that name.
     *
     * @param columns their columns
     * @param rows hands them over
     * @param table name of a table that does not exist yet
     */
    public Loaded load(StructType columns, Consumer<RowConsumer> rows, String table) {
        try (TableLoader loader = new TableLoader(session, schemaName, table, columns)) {
            rows.accept(values -> {
                session.checkCancelled();
                loader.add(values, 0);
                return true;
            });
            loader.finish();
        } catch (SQLException e) {
            throw session.failures().translate(e);
        }
        String names = columns.fields().stream()
                .map(field -> Spelling.name(field.name()))
                .collect(Collectors.joining(", "));
        return new Loaded(columns, "SELECT " + names + " FROM " + schemaName + "." + table);
    }

    private void load(RowSource source, List<SourceFile> files, String table) {
        try (TableLoader loader = new TableLoader(session, schemaName, table, source.columns())) {
            for (int i = 0; i < files.size(); i++) {
                SourceFile file = files.get(i);
                int index = i;
                try {
                    source.read(file, values -> {
                        session.checkCancelled();
                        loader.add(values, index);
                    });
                } catch (IOException e) {
                    throw InputErrors.reading(file.path(), e);
                }
            }
            loader.finish();
        } catch (SQLException e) {
            throw session.failures().translate(e);
        }
    }

    private Loaded parquet(InputScan scan, List<SourceFile> files) {
        session.files().addSourceFiles(scan.files());
        if (files.isEmpty()) {
            StructType columns = scan.schema().orElseGet(() -> new StructType(List.of()));
            return new Loaded(withMetadata(columns), emptySelect(withMetadata(columns)));
        }
        String list = files.stream()
                .map(file -> "{'filename': " + Spelling.string(file.path()) + "}")
                .collect(Collectors.joining(", ", "[", "]"));
        String metadata = metadata(files, "CAST(p.file_index AS BIGINT) + 1");
        if (scan.schema().isEmpty()) {
            String reader = "read_parquet(" + list + ", union_by_name = true)";
            StructType columns = describe("SELECT * FROM " + reader);
            return new Loaded(withMetadata(columns), "SELECT p.*, " + metadata + " FROM " + reader + " AS p");
        }
        StructType columns = scan.schema().get();
        List<String> entries = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < columns.fields().size(); i++) {
            StructField field = columns.fields().get(i);
            entries.add(Spelling.string(field.name()) + ": {'name': 'c" + i + "', 'type': "
                    + Spelling.string(Spelling.type(field.type())) + ", 'default_value': NULL}");
            names.add("p.c" + i + " AS " + Spelling.name(field.name()));
        }
        return new Loaded(
                withMetadata(columns),
                "SELECT " + String.join(", ", names) + ", " + metadata + " FROM read_parquet(" + list
                        + ", schema = MAP {" + String.join(", ", entries) + "}) AS p");
    }

    private StructType describe(String sql) {
        List<StructField> fields = new ArrayList<>();
        for (List<@Nullable Object> row : session.rows("DESCRIBE " + sql)) {
            fields.add(TypeText.column(String.valueOf(row.get(0)), String.valueOf(row.get(1))));
        }
        return new StructType(fields);
    }

    private static String emptySelect(StructType columns) {
        return columns.fields().stream()
                .map(field -> "CAST(NULL AS " + Spelling.type(field.type()) + ") AS " + Spelling.name(field.name()))
                .collect(Collectors.joining(", ", "SELECT ", " WHERE false"));
    }

    private static StructType withMetadata(StructType columns) {
        List<StructField> fields = new ArrayList<>(columns.fields());
        fields.add(StructField.of(METADATA, METADATA_TYPE));
        return new StructType(fields);
    }

    private static String metadata(List<SourceFile> files, String index) {
        String type = Spelling.type(METADATA_TYPE);
        String facts = files.stream().map(InputReader::facts).collect(Collectors.joining(", ", "[", "]"));
        return "list_extract(CAST(" + facts + " AS " + type + "[]), " + index + ") AS " + METADATA;
    }

    private static String facts(SourceFile file) {
        long micros = EpochMicros.of(file.modified());
        return "{'file_path': " + Spelling.string(file.path()) + ", 'file_name': " + Spelling.string(file.name())
                + ", 'file_size': " + file.sizeBytes() + ", 'file_modification_time': CAST(make_timestamp(" + micros
                + ") AS TIMESTAMPTZ)}";
    }
}
