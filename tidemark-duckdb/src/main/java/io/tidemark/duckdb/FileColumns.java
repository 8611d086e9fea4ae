package io.tidemark.duckdb;

import static io.tidemark.duckdb.session.Spelling.string;
import static io.tidemark.duckdb.session.Spelling.type;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.FileScan.ColumnMapping;
import io.tidemark.core.engine.FileScan.DataFile;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.session.Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Knows the columns of data files, as their footers tell them.
 *
 * <p>A reader that is told which columns to expect, which files of older schemas need, neither knows how many rows there
 * are nor takes the filters that a join finds while it runs: a join of a few keys with a large table then builds its
 * hash table over the large side. Where all files hold the wanted columns with their very types, such a mapping is not
 * needed. Footers are looked at once per engine; data files never change.
 */
final class FileColumns {
    /** With more files than this, looking into each costs more than a better plan saves. */
    private static final int FILES_MAX = 2_000;

    /**
     * Writers that either say how many NaN a column holds or leave its bounds out. Others leave NaN out of the bounds, and
     * a plan that trusts them would miss the greatest value of all.
     */
    private static final List<String> WRITERS_HEEDING_NAN = List.of("DuckDB", "parquet-mr");

    private static final String HEEDS_NAN = "\n";

    /** Columns that the reader adds by itself; one of that name in a file hides it. */
    private static final Set<String> READERS_OWN = Set.of("file_row_number", "file_index", "filename");

    private final Session session;
    /** By file: its columns as {@code name, line feed, type}, and {@link #HEEDS_NAN}. */
    private final Map<String, Set<String>> known = new HashMap<>();

    FileColumns(Session session) {
        this.session = session;
    }

    /** Whether all files of a scan hold all columns that are not partition columns under the expected names and types. */
    boolean fit(FileScan scan) {
        if (scan.files().isEmpty() || scan.files().size() > FILES_MAX || scan.columnMapping() == ColumnMapping.ID) {
            return false;
        }
        List<String> wanted = new ArrayList<>();
        Set<String> partition = scan.partitionColumns().stream()
                .map(column -> column.toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
        for (StructField field : scan.schema().fields()) {
            if (partition.contains(field.name().toLowerCase(Locale.ROOT))) {
                continue;
            }
            if (field.type().kind() != DataType.Kind.SCALAR && field.type().kind() != DataType.Kind.DECIMAL) {
                return false;
            }
            if (field.type() == ScalarType.FLOAT || field.type() == ScalarType.DOUBLE) {
                wanted.add(HEEDS_NAN);
            }
            wanted.add(entry(FileRelation.physicalName(field, scan.columnMapping()), type(field.type())));
        }
        return !wanted.isEmpty()
                && learn(scan.files())
                && scan.files().stream()
                        .allMatch(file ->
                                known.getOrDefault(file.location(), Set.of()).containsAll(wanted));
    }

    /** Looks into the files that are not known yet; a file that cannot be read is left for the query to complain of. */
    private boolean learn(List<DataFile> files) {
        String unknown = files.stream()
                .map(DataFile::location)
                .filter(location -> !known.containsKey(location))
                .distinct()
                .map(location -> "{'filename': " + string(location) + "}")
                .collect(Collectors.joining(", "));
        if (unknown.isEmpty()) {
            return true;
        }
        // A file with nested columns lists their parts beside the columns; it is remembered as one that fits nothing.
        String sql = "SELECT s.file_name, s.groups, s.columns, m.created_by FROM (SELECT file_name,"
                + " count(*) FILTER (num_children > 0) AS groups, list(name || chr(10) || COALESCE(duckdb_type, ''))"
                + " FILTER (num_children IS NULL OR num_children = 0) AS columns FROM parquet_schema([" + unknown
                + "]) GROUP BY file_name) AS s JOIN parquet_file_metadata([" + unknown
                + "]) AS m ON m.file_name = s.file_name";
        try {
            Map<Set<String>, Set<String>> shared = new HashMap<>();
            for (List<@Nullable Object> row : session.rowsRaw(sql)) {
                Set<String> columns = new HashSet<>();
                List<String> found = texts(row.get(2));
                if (((Number) row.get(1)).longValue() == 1 && found.stream().noneMatch(FileColumns::hidesReaders)) {
                    columns.addAll(found);
                    String writer = String.valueOf(row.get(3));
                    if (WRITERS_HEEDING_NAN.stream().anyMatch(writer::startsWith)) {
                        columns.add(HEEDS_NAN);
                    }
                }
                known.put(String.valueOf(row.get(0)), shared.computeIfAbsent(columns, Set::copyOf));
            }
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    private static List<String> texts(@Nullable Object list) throws SQLException {
        List<String> texts = new ArrayList<>();
        if (list instanceof java.sql.Array array) {
            for (Object text : (Object[]) array.getArray()) {
                texts.add(String.valueOf(text));
            }
        }
        return texts;
    }

    /** Whether a file's column, given as name and type, has the name of one that the reader adds. */
    private static boolean hidesReaders(String entry) {
        return READERS_OWN.contains(entry.substring(0, entry.indexOf('\n')).toLowerCase(Locale.ROOT));
    }

    /** Whether a schema has a column that the reader adds by itself. */
    static boolean hidesReaders(StructType schema) {
        return schema.names().stream().anyMatch(name -> READERS_OWN.contains(name.toLowerCase(Locale.ROOT)));
    }

    private static String entry(String name, String type) {
        return name + "\n" + type;
    }
}
