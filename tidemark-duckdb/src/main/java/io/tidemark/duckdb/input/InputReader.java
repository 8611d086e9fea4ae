package io.tidemark.duckdb.input;

import io.tidemark.core.engine.InputScan;
import io.tidemark.core.engine.InputScan.Format;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.EpochMicros;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.session.Session;
import io.tidemark.duckdb.session.Spelling;
import io.tidemark.duckdb.session.TypeText;
import io.tidemark.files.FileRows;
import io.tidemark.files.RowReader;
import io.tidemark.files.SourceFile;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes relations of source files. */
public final class InputReader {
    private final Session session;
    private final String schemaName;
    private final Map<InputScan, FileRows> inferred = new HashMap<>();

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
            if (scan.format() == Format.PARQUET) {
                return parquet(scan);
            }
            FileRows known = inferred.remove(scan);
            FileRows rows = known != null && known.areCurrent() ? known : FileRows.open(scan);
            StructType columns = rows.columns();
            checkNames(columns);
            load(rows, table);
            String names = columns.names().stream().map(Spelling::name).collect(Collectors.joining(", "));
            String index = TableLoader.FILE_COLUMN + " + 1";
            String select = "SELECT " + names + (names.isEmpty() ? "" : ", ") + metadata(rows.files(), index) + " FROM "
                    + schemaName + "." + table;
            return new Loaded(FileRows.withMetadata(columns), select);
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
            if (scan.format() == Format.PARQUET) {
                return parquet(scan).schema();
            }
            StructType columns = columns(scan);
            checkNames(columns);
            return FileRows.withMetadata(columns);
        } catch (TidemarkException e) {
            throw e.at(scan.location());
        }
    }

    private StructType columns(InputScan scan) {
        if (scan.schema().isPresent()) {
            return FileRows.columns(scan);
        }
        FileRows rows = FileRows.open(scan);
        inferred.put(scan, rows);
        return rows.columns();
    }

    private static void checkNames(StructType columns) {
        if (columns.names().contains(TableLoader.FILE_COLUMN)) {
            throw TidemarkException.of(
                            ErrorCode.RESERVED_COLUMN, "the files cannot have a column " + TableLoader.FILE_COLUMN)
                    .detail("The name stands twice or is one that the reader adds itself.")
                    .build();
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

    private void load(FileRows rows, String table) {
        try (TableLoader loader = new TableLoader(session, schemaName, table, rows.columns())) {
            for (int i = 0; i < rows.files().size(); i++) {
                try (RowReader reader = rows.read(i)) {
                    for (List<@Nullable Object> row = reader.next(); row != null; row = reader.next()) {
                        session.checkCancelled();
                        loader.add(row, i);
                    }
                }
            }
            loader.finish();
        } catch (SQLException e) {
            throw session.failures().translate(e);
        }
    }

    private Loaded parquet(InputScan scan) {
        FileRows.checkOptions(scan);
        List<SourceFile> files = SourceFile.all(scan.files());
        session.files().addSourceFiles(scan.files());
        if (files.isEmpty()) {
            StructType columns = scan.schema().orElseGet(() -> new StructType(List.of()));
            return new Loaded(FileRows.withMetadata(columns), emptySelect(FileRows.withMetadata(columns)));
        }
        String list = files.stream()
                .map(file -> "{'filename': " + Spelling.string(file.path()) + "}")
                .collect(Collectors.joining(", ", "[", "]"));
        String metadata = metadata(files, "CAST(p.file_index AS BIGINT) + 1");
        if (scan.schema().isEmpty()) {
            String reader = "read_parquet(" + list + ", union_by_name = true)";
            StructType columns = describe("SELECT * FROM " + reader);
            return new Loaded(FileRows.withMetadata(columns), "SELECT p.*, " + metadata + " FROM " + reader + " AS p");
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
                FileRows.withMetadata(columns),
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

    private static String metadata(List<SourceFile> files, String index) {
        String type = Spelling.type(FileRows.METADATA_TYPE);
        String facts = files.stream().map(InputReader::facts).collect(Collectors.joining(", ", "[", "]"));
        return "list_extract(CAST(" + facts + " AS " + type + "[]), " + index + ") AS " + FileRows.METADATA;
    }

    private static String facts(SourceFile file) {
        long micros = EpochMicros.of(file.modified());
        return "{'file_path': " + Spelling.string(file.path()) + ", 'file_name': " + Spelling.string(file.name())
                + ", 'file_size': " + file.sizeBytes() + ", 'file_modification_time': CAST(make_timestamp(" + micros
                + ") AS TIMESTAMPTZ)}";
    }
}
