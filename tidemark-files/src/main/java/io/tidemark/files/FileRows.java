package io.tidemark.files;

import io.tidemark.core.engine.InputScan;
import io.tidemark.core.engine.InputScan.Format;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rows of source files of text: CSV, JSON and Debezium's events. Serializable, so that an engine can read the files
 * on several machines; each of them must see the files under the same paths.
 */
public final class FileRows implements Serializable {
    /** The column that engines add: path, name, size and modification time of a row's file. */
    public static final String METADATA = "_metadata";
    /** The type of {@link #METADATA}, with the facts of {@link SourceFile} in their order. */
    public static final StructType METADATA_TYPE = StructType.of(
            StructField.of("file_path", ScalarType.STRING),
            StructField.of("file_name", ScalarType.STRING),
            StructField.of("file_size", ScalarType.LONG),
            StructField.of("file_modification_time", ScalarType.TIMESTAMP));

    private static final long serialVersionUID = 1L;

    private final transient InputScan scan;
    private final transient List<SourceFile> files;
    private final transient RowSource source;

    private FileRows(InputScan scan, List<SourceFile> files, RowSource source) {
        this.scan = scan;
        this.files = files;
        this.source = source;
    }

    /**
     * Checks the options, looks the files up, and reads them once if no schema is declared.
     *
     * @param scan files of text: any format but Parquet
     * @throws TidemarkException {@code INVALID_SETTING} for an option; {@code FILE_*}, {@code IO_FAILED} or
     *     {@code PERMISSION_DENIED} for a file; {@code RESERVED_COLUMN} or {@code UNSUPPORTED_FEATURE} for a column
     */
    public static FileRows open(InputScan scan) {
        return placed(scan, () -> opened(scan, scan.files()));
    }

    /**
     * The columns that {@link #open} would give. Files are looked into only if no schema is declared.
     *
     * @throws TidemarkException as {@link #open}
     */
    public static StructType columns(InputScan scan) {
        List<String> needed = scan.schema().isPresent() ? List.of() : scan.files();
        return placed(scan, () -> opened(scan, needed).columns());
    }

    private static FileRows opened(InputScan scan, List<String> paths) {
        InputOptions options = new InputOptions(scan);
        List<SourceFile> files = SourceFile.all(paths);
        RowSource source = source(scan, options, files);
        checkColumns(source.columns());
        return new FileRows(scan, files, source);
    }

    /**
     * Checks that a format has the options of a scan.
     *
     * @throws TidemarkException {@code INVALID_SETTING}
     */
    public static void checkOptions(InputScan scan) {
        placed(scan, () -> new InputOptions(scan));
    }

    /** These columns and {@link #METADATA}. */
    public static StructType withMetadata(StructType columns) {
        List<StructField> fields = new ArrayList<>(columns.fields());
        fields.add(StructField.of(METADATA, METADATA_TYPE));
        return new StructType(fields);
    }

    /** The columns of the rows, without {@link #METADATA}. */
    public StructType columns() {
        return source.columns();
    }

    /** The files in the order in which they are read, as they were when they were looked up. */
    public List<SourceFile> files() {
        return files;
    }

    /** Whether the files are still as they were when they were looked up; an error if one is gone. */
    public boolean areCurrent() {
        return placed(scan, () -> SourceFile.all(scan.files()).equals(files));
    }

    /**
     * Opens a file.
     *
     * @param file its index in {@link #files}
     * @throws TidemarkException if it cannot be opened
     */
    public RowReader read(int file) {
        return placed(scan, () -> new PlacedReader(scan, files.get(file), source));
    }

    private static RowSource source(InputScan scan, InputOptions options, List<SourceFile> files) {
        return switch (scan.format()) {
            case CSV -> new CsvSource(options, scan.schema(), files);
            case JSON -> new JsonSource(options, scan.schema(), files);
            case DEBEZIUM -> new DebeziumSource(options, scan.schema());
            case PARQUET -> throw new IllegalArgumentException("Parquet files are not read row by row");
        };
    }

    private static void checkColumns(StructType columns) {
        for (StructField field : columns.fields()) {
            long same = columns.fields().stream()
                    .filter(other -> other.name().equalsIgnoreCase(field.name()))
                    .count();
            if (same > 1 || field.name().equalsIgnoreCase(METADATA)) {
                throw TidemarkException.of(ErrorCode.RESERVED_COLUMN, "the files cannot have a column " + field.name())
                        .detail("The name stands twice or is one that the reader adds itself.")
                        .build();
            }
            if (!canHold(field.type())) {
                throw TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE,
                                "column " + field.name() + " of type "
                                        + field.type().sql() + " cannot be read")
                        .build();
            }
        }
    }

    /** Whether a column of that type can be read. */
    static boolean canHold(DataType type) {
        return type != ScalarType.VARIANT && type != ScalarType.VOID;
    }

    /** What may fail for a reason that the user's text has to do with. */
    @FunctionalInterface
    private interface Step<T> {
        T run();
    }

    private static <T> T placed(InputScan scan, Step<T> step) {
        try {
            return step.run();
        } catch (TidemarkException e) {
            throw e.at(scan.location());
        }
    }

    /** Reads a file; what fails gets the place where the user named the files. */
    private static final class PlacedReader implements RowReader {
        private final InputScan scan;
        private final SourceFile file;
        private final RowSource.Rows rows;

        PlacedReader(InputScan scan, SourceFile file, RowSource source) {
            this.scan = scan;
            this.file = file;
            try {
                this.rows = source.open(file);
            } catch (IOException e) {
                throw InputErrors.reading(file.path(), e);
            }
        }

        @Override
        public @Nullable List<@Nullable Object> next() {
            try {
                return rows.next();
            } catch (IOException e) {
                throw InputErrors.reading(file.path(), e).at(scan.location());
            } catch (TidemarkException e) {
                throw e.at(scan.location());
            }
        }

        @Override
        public void close() {
            try {
                rows.close();
            } catch (IOException e) {
                throw InputErrors.reading(file.path(), e).at(scan.location());
            }
        }
    }

    private Object writeReplace() {
        return new Travelling(
                scan.format(),
                scan.schema().orElseGet(source::columns),
                scan.options(),
                files,
                scan.folder(),
                scan.location());
    }

    /**
     * What travels: the scan with the columns that were found, and the facts of the files. Patterns and character sets
     * are made anew where it arrives, and no file is looked up again.
     */
    private record Travelling(
            Format format,
            StructType schema,
            Map<String, String> options,
            List<SourceFile> files,
            String folder,
            TextLocation location)
            implements Serializable {
        private Object readResolve() {
            List<String> paths = files.stream().map(SourceFile::path).toList();
            InputScan scan = new InputScan(format, Optional.of(schema), options, paths, folder, location);
            return new FileRows(scan, files, source(scan, new InputOptions(scan), files));
        }
    }
}
