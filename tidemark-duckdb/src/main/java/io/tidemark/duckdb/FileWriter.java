package io.tidemark.duckdb;

import static io.tidemark.duckdb.session.Spelling.name;
import static io.tidemark.duckdb.session.Spelling.string;
import static io.tidemark.duckdb.session.Spelling.type;

import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.session.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes a query to Parquet files.
 *
 * <p>COPY keeps the order of the rows only when it writes one file, so one file is written first, and cut along its row
 * groups if it has become much larger than wanted. Initial loads pay for that; the usual update is one small file.
 */
final class FileWriter {
    /** A file may exceed the target by this factor before it is cut. */
    private static final double TARGET_TOLERANCE = 1.5;

    /**
     * How Parquet files are compressed. DuckDB's usual level 3 takes half as much time again for the whole of a write, and
     * makes files of dictionary-encoded and plain columns hardly smaller.
     */
    static final String COMPRESSION = "COMPRESSION zstd, COMPRESSION_LEVEL 1";

    private final Session session;
    private final WriteSpec spec;
    private final Path directory;
    private final List<Path> written = new ArrayList<>();

    FileWriter(Session session, WriteSpec spec) {
        this.session = session;
        this.spec = spec;
        this.directory = Path.of(spec.directory());
    }

    /** Writes the rows; leaves no file behind when it fails. */
    List<WrittenFile> write(String sql) {
        try {
            Files.createDirectories(directory);
            return writeAll(sql);
        } catch (IOException e) {
            written.forEach(FileWriter::deleteQuietly);
            throw TidemarkException.of(ErrorCode.IO_FAILED, "folder " + directory + " cannot be written")
                    .cause(e)
                    .build();
        } catch (RuntimeException e) {
            written.forEach(FileWriter::deleteQuietly);
            throw e;
        }
    }

    private List<WrittenFile> writeAll(String sql) throws IOException {
        if (!spec.partitionBy().isEmpty()) {
            List<WrittenFile> files = new PartitionWriter(session, spec).write(sql, written);
            if (!files.isEmpty()) {
                checkNotNull(sql, Map.of());
                checkNotEmpty(sql);
            }
            return files;
        }
        String columns = spec.schema().fields().stream()
                .map(field -> "CAST(" + name(field.name()) + " AS " + type(field.type()) + ") AS " + name(field.name()))
                .collect(Collectors.joining(", "));
        String order = spec.sortBy().stream()
                .map(column -> name(column) + " ASC NULLS FIRST")
                .collect(Collectors.joining(", "));
        String ordered = "SELECT " + columns + " FROM (" + sql + ")" + (order.isEmpty() ? "" : " ORDER BY " + order);
        Copied whole = copy(ordered, 0);
        if (whole.rows() == 0) {
            Files.delete(whole.path());
            return List.of();
        }
        checkNotNull(sql, whole.statistics());
        InfiniteTimes.refuse(spec.schema(), whole.statistics());
        // Splitting reads rows by number, which a column of the reader's own name would hide.
        if (whole.bytes() <= spec.fileBytesTarget() * TARGET_TOLERANCE
                || whole.rows() <= spec.rowGroupRows()
                || FileColumns.hidesReaders(spec.schema())) {
            return List.of(whole.file(spec));
        }
        return split(whole);
    }

    /** A file that COPY wrote. */
    private record Copied(Path path, long rows, long bytes, Map<String, Map<String, String>> statistics) {
        WrittenFile file(WriteSpec spec) {
            return new WrittenFile(
                    path.getFileName().toString(),
                    bytes,
                    rows,
                    FileStatistics.read(spec.schema(), spec.statisticsColumnsMax(), statistics),
                    Map.of());
        }
    }

    private Copied copy(String select, int index) {
        Path path = directory.resolve(
                String.format(Locale.ROOT, "%s-%05d-%s.zstd.parquet", spec.namePrefix(), index, UUID.randomUUID()));
        written.add(path);
        List<@Nullable Object> row = session.rows("COPY (" + select + ") TO " + string(path.toString())
                        + " (FORMAT parquet, " + COMPRESSION + ", ROW_GROUP_SIZE " + spec.rowGroupRows()
                        + ", USE_TMP_FILE false, RETURN_STATS true)")
                .get(0);
        return new Copied(path, number(row.get(1)), number(row.get(2)), columnStatistics(row.get(4)));
    }

    /** What COPY returned of the columns, by quoted path. */
    static Map<String, Map<String, String>> columnStatistics(@Nullable Object returned) {
        Map<String, Map<String, String>> statistics = new LinkedHashMap<>();
        if (returned instanceof Map<?, ?> columns) {
            columns.forEach((column, values) -> statistics.put(String.valueOf(column), texts(values)));
        }
        return statistics;
    }

    /** A map that COPY returned. */
    static Map<String, String> texts(@Nullable Object values) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (values instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                if (value != null) {
                    texts.put(String.valueOf(key), value.toString());
                }
            });
        }
        return texts;
    }

    /** A number that COPY returned. */
    static long number(@Nullable Object value) {
        if (value instanceof Number number) {
            return number.longValue();
        }
        throw TidemarkException.of(ErrorCode.INTERNAL, "COPY did not return its statistics")
                .build();
    }

    private List<WrittenFile> split(Copied whole) {
        long parts = Math.max(1, Math.round((double) whole.bytes() / spec.fileBytesTarget()));
        long groups = (whole.rows() + spec.rowGroupRows() - 1) / spec.rowGroupRows();
        long rowsPerFile = Math.max(1, (groups + parts - 1) / parts) * spec.rowGroupRows();
        List<WrittenFile> files = new ArrayList<>();
        for (long from = 0; from < whole.rows(); from += rowsPerFile) {
            String select = "SELECT * FROM read_parquet([{'filename': "
                    + string(whole.path().toString()) + "}]) WHERE file_row_number >= " + from
                    + " AND file_row_number < " + (from + rowsPerFile);
            files.add(copy(select, files.size()).file(spec));
        }
        deleteQuietly(whole.path());
        return files;
    }

    /** In folder names an empty text and NULL are the same, as Delta has it. */
    private void checkNotEmpty(String sql) {
        for (String column : spec.partitionBy()) {
            StructField field = spec.schema().field(column).orElseThrow();
            if (!field.nullable() && field.type() == ScalarType.STRING) {
                sample(sql, name(field.name()) + " = ''").ifPresent(row -> {
                    throw TidemarkException.of(
                                    ErrorCode.NOT_NULL_VIOLATED,
                                    "column " + field.name() + " is NOT NULL but would receive an empty text")
                            .detail("A partition column stores it as NULL. A row: " + row + ".")
                            .hint("write another value, or take NOT NULL away from the column")
                            .build();
                });
            }
        }
    }

    private void checkNotNull(String sql, Map<String, Map<String, String>> statistics) {
        for (StructField field : spec.schema().fields()) {
            Map<String, String> values = statistics.get(FileStatistics.key(List.of(field.name())));
            boolean broken = !field.nullable()
                    && (values == null || !"0".equals(values.get("null_count")))
                    && violates(sql, name(field.name()) + " IS NULL", field.name());
            if (!broken && field.type() instanceof StructType struct) {
                checkNested(sql, struct, name(field.name()), field.name());
            }
        }
    }

    private void checkNested(String sql, StructType struct, String parent, String path) {
        for (StructField field : struct.fields()) {
            String value = "struct_extract(" + parent + ", " + string(field.name()) + ")";
            String fieldPath = path + "." + field.name();
            if (!field.nullable()) {
                violates(sql, parent + " IS NOT NULL AND " + value + " IS NULL", fieldPath);
            }
            if (field.type() instanceof StructType nested) {
                checkNested(sql, nested, value, fieldPath);
            }
        }
    }

    private boolean violates(String sql, String condition, String path) {
        sample(sql, condition).ifPresent(row -> {
            throw TidemarkException.of(
                            ErrorCode.NOT_NULL_VIOLATED, "column " + path + " is NOT NULL but would receive NULL")
                    .detail("A row: " + row + ".")
                    .build();
        });
        return false;
    }

    /** A row that meets a condition, as text. */
    private Optional<String> sample(String sql, String condition) {
        String columns =
                spec.schema().fields().stream().map(field -> name(field.name())).collect(Collectors.joining(", "));
        List<List<@Nullable Object>> sample =
                session.rows("SELECT " + columns + " FROM (" + sql + ") WHERE " + condition + " LIMIT 1");
        if (sample.isEmpty()) {
            return Optional.empty();
        }
        List<String> values = new ArrayList<>();
        for (int i = 0; i < spec.schema().fields().size(); i++) {
            Object value = sample.get(0).get(i);
            values.add(spec.schema().fields().get(i).name() + " = " + ("".equals(value) ? "''" : value));
        }
        return Optional.of(String.join(", ", values));
    }

    private static void deleteQuietly(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // a file that no log names does no harm; the failure that led here matters more
        }
    }
}
