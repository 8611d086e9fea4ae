package io.tidemark.duckdb;

import static io.tidemark.duckdb.session.Spelling.name;
import static io.tidemark.duckdb.session.Spelling.string;
import static io.tidemark.duckdb.session.Spelling.type;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.FileScan.ColumnMapping;
import io.tidemark.core.engine.FileScan.DataFile;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Writes the SELECT of a relation over data files.
 *
 * <p>Unless all files are known to hold just what is wanted, {@code read_parquet} gets the columns with their types, so
 * that missing columns read NULL and narrower types are widened while reading. Files are given as structs because plain
 * paths would be taken for patterns. Nested parts are read under their physical names and renamed outside: the reader
 * can rename inside of structs, but returns NULL for renamed parts of list elements.
 *
 * <p>Where rows are deleted or partition values joined the rows come in no particular order; whoever needs one asks for
 * the columns of file and position.
 */
final class FileRelation {
    /** Bits of a packed key that hold the row's position; the file's index stands above them. */
    static final int POSITION_BITS = 40;

    /** As many positions as are named in a filter. Each statement that uses the relation reads the text again. */
    private static final int LISTED_POSITIONS_MAX = 64;
    /** More positions are covered by as many ranges at most. */
    private static final int RANGES_MAX = 16;
    /** Positions further apart than a vector of the engine are worth a range of their own. */
    private static final long GAP_MIN = 2_048;

    private static final String PACKED = "(CAST(p.file_index AS BIGINT) << " + POSITION_BITS + ") | p.file_row_number";
    private static final String PHYSICAL_NAME = "delta.columnMapping.physicalName";
    private static final String FIELD_ID = "delta.columnMapping.id";

    private final FileScan scan;
    private final Optional<String> deletedTable;
    private final Optional<KeptRows> kept;
    private final Optional<String> partitionTable;
    private final Set<String> partitionNames;
    private final boolean plain;

    /**
     * Positions of which alone is read.
     *
     * @param table name of a table of their packed keys
     * @param positionFilter condition on positions in files that all of them meet; unlike a join, it keeps the reader
     *     from decoding row groups that hold none
     */
    record KeptRows(String table, String positionFilter) {}

    /**
     * Prepares the SELECT.
     *
     * @param scan what to read
     * @param deletedTable name of the table of packed keys of deleted rows, if there are any
     * @param kept the only positions to read, if not all are
     * @param partitionTable name of the table of partition values, if there are any
     * @param plain whether all files hold the columns as they are wanted, see {@link FileColumns}
     */
    FileRelation(
            FileScan scan,
            Optional<String> deletedTable,
            Optional<KeptRows> kept,
            Optional<String> partitionTable,
            boolean plain) {
        this.scan = scan;
        this.plain = plain;
        this.deletedTable = deletedTable;
        this.kept = kept;
        this.partitionTable = partitionTable;
        this.partitionNames = scan.partitionColumns().stream()
                .map(column -> column.toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }

    /** The SELECT. */
    String select() {
        List<String> columns = new ArrayList<>();
        List<StructField> fields = scan.schema().fields();
        boolean empty = scan.files().isEmpty();
        for (int i = 0; i < fields.size(); i++) {
            StructField field = fields.get(i);
            String value;
            if (empty) {
                value = "CAST(NULL AS " + type(field.type()) + ")";
            } else if (isPartition(field)) {
                value = partitionTable.isPresent()
                        ? "v." + name("c" + i)
                        : partitionValue(
                                field, partitionText(scan.files().get(0), physicalName(field, scan.columnMapping())));
            } else {
                value = plain ? "p." + name(physicalName(field, scan.columnMapping())) : whole("p.c" + i, field.type());
            }
            columns.add(value + " AS " + name(field.name()));
        }
        scan.fileColumn()
                .ifPresent(column -> columns.add(
                        (empty ? "CAST(NULL AS BIGINT)" : "CAST(p.file_index AS BIGINT)") + " AS " + name(column)));
        scan.positionColumn()
                .ifPresent(column ->
                        columns.add((empty ? "CAST(NULL AS BIGINT)" : "p.file_row_number") + " AS " + name(column)));
        String select = "SELECT " + String.join(", ", columns);
        return empty ? select + " WHERE false" : select + from();
    }

    /**
     * A column with its logical names. A struct is read as a whole: where a file lacks the column, DuckDB 2.0 fails if a
     * query asks the reader for a field alone.
     */
    private String whole(String column, DataType type) {
        String value = renamed(column, type, 0);
        boolean bare = type.kind() == DataType.Kind.STRUCT && value.equals(column);
        return bare ? "CASE WHEN " + column + " IS NOT NULL THEN " + column + " END" : value;
    }

    private String from() {
        StringBuilder from = new StringBuilder(" FROM read_parquet([");
        from.append(scan.files().stream()
                .map(file -> "{'filename': " + string(file.location()) + "}")
                .collect(Collectors.joining(", ")));
        from.append("]").append(plain ? "" : ", schema = " + readSchema()).append(") AS p");
        partitionTable.ifPresent(table ->
                from.append(" JOIN ").append(table).append(" AS v ON v.file_index = CAST(p.file_index AS BIGINT)"));
        kept.ifPresent(rows -> from.append(" SEMI JOIN ").append(rows.table()).append(" AS k ON k.packed = " + PACKED));
        deletedTable.ifPresent(
                table -> from.append(" ANTI JOIN ").append(table).append(" AS d ON d.packed = " + PACKED));
        kept.ifPresent(rows -> from.append(" WHERE ").append(rows.positionFilter()));
        return from.toString();
    }

    /**
     * A condition that the given positions meet: a list of them if they are few, else some ranges that cover them.
     *
     * @param positions ascending; nothing meets the condition of none
     */
    static String positionFilter(long[] positions) {
        if (positions.length == 0) {
            return "false";
        }
        String column = "p.file_row_number";
        if (positions.length <= LISTED_POSITIONS_MAX) {
            return column
                    + LongStream.of(positions).mapToObj(Long::toString).collect(Collectors.joining(", ", " IN (", ")"));
        }
        // The places before which the widest gaps lie, in ascending order.
        List<Integer> cuts = IntStream.range(1, positions.length)
                .filter(i -> positions[i] - positions[i - 1] > GAP_MIN)
                .boxed()
                .sorted(Comparator.comparingLong((Integer i) -> positions[i - 1] - positions[i]))
                .limit(RANGES_MAX - 1)
                .sorted()
                .toList();
        List<String> ranges = new ArrayList<>();
        int from = 0;
        for (int cut : cuts) {
            ranges.add(column + " BETWEEN " + positions[from] + " AND " + positions[cut - 1]);
            from = cut;
        }
        ranges.add(column + " BETWEEN " + positions[from] + " AND " + positions[positions.length - 1]);
        return ranges.size() == 1 ? ranges.get(0) : "(" + String.join(" OR ", ranges) + ")";
    }

    private boolean isPartition(StructField field) {
        return partitionNames.contains(field.name().toLowerCase(Locale.ROOT));
    }

    private String readSchema() {
        List<String> entries = new ArrayList<>();
        List<StructField> fields = scan.schema().fields();
        for (int i = 0; i < fields.size(); i++) {
            StructField field = fields.get(i);
            if (!isPartition(field)) {
                entries.add(readEntry(field, "c" + i));
            }
        }
        if (entries.isEmpty()) {
            // The reader wants at least one column; this one is in no file and never read.
            String key = scan.columnMapping() == ColumnMapping.ID ? "-1" : string("__none");
            entries.add(key + ": {'name': '__none', 'type': 'INTEGER', 'default_value': NULL}");
        }
        return "MAP {" + String.join(", ", entries) + "}";
    }

    private String readEntry(StructField field, String readName) {
        boolean byId = scan.columnMapping() == ColumnMapping.ID;
        StringBuilder entry = new StringBuilder();
        entry.append(byId ? String.valueOf(fieldId(field)) : string(physicalName(field, scan.columnMapping())));
        entry.append(": {'name': ").append(string(readName));
        entry.append(", 'type': ").append(string(type(physical(field.type()))));
        entry.append(", 'default_value': NULL");
        if (byId && field.type() instanceof StructType struct) {
            entry.append(", 'children': MAP {")
                    .append(struct.fields().stream()
                            .map(child -> readEntry(child, physicalName(child, scan.columnMapping())))
                            .collect(Collectors.joining(", ")))
                    .append("}");
        }
        return entry.append("}").toString();
    }

    /** The name of a field in the files. */
    static String physicalName(StructField field, ColumnMapping mapping) {
        Object physical =
                mapping == ColumnMapping.NONE ? null : field.metadata().get(PHYSICAL_NAME);
        return physical == null ? field.name() : physical.toString();
    }

    private static long fieldId(StructField field) {
        if (field.metadata().get(FIELD_ID) instanceof Number id) {
            return id.longValue();
        }
        throw TidemarkException.of(ErrorCode.TABLE_SCHEMA_INVALID, "column " + field.name() + " has no field id")
                .detail("The table maps columns by id, but the field's metadata lack " + FIELD_ID + ".")
                .build();
    }

    /** The type with physical names of nested fields. */
    private DataType physical(DataType type) {
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> type;
            case STRUCT ->
                new StructType(((StructType) type)
                        .fields().stream()
                                .map(field -> StructField.of(
                                        physicalName(field, scan.columnMapping()), physical(field.type())))
                                .toList());
            case ARRAY -> new ArrayType(physical(((ArrayType) type).element()), true);
            case MAP -> new MapType(physical(((MapType) type).key()), physical(((MapType) type).value()), true);
        };
    }

    /** An expression that gives nested fields their logical names. */
    private String renamed(String expression, DataType type, int depth) {
        if (type(physical(type)).equals(type(type))) {
            return expression;
        }
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> expression;
            case STRUCT ->
                "CASE WHEN " + expression + " IS NOT NULL THEN struct_pack("
                        + ((StructType) type)
                                .fields().stream()
                                        .map(field -> name(field.name()) + " := "
                                                + renamed(
                                                        "struct_extract(" + expression + ", "
                                                                + string(physicalName(field, scan.columnMapping()))
                                                                + ")",
                                                        field.type(),
                                                        depth))
                                        .collect(Collectors.joining(", "))
                        + ") END";
            case ARRAY ->
                "list_transform(" + expression + ", lambda x" + depth + ": "
                        + renamed("x" + depth, ((ArrayType) type).element(), depth + 1) + ")";
            case MAP -> {
                String entry = "x" + depth;
                MapType map = (MapType) type;
                yield "map_from_entries(list_transform(map_entries(" + expression + "), lambda " + entry
                        + ": struct_pack(k := "
                        + renamed("struct_extract(" + entry + ", 'key')", map.key(), depth + 1) + ", v := "
                        + renamed("struct_extract(" + entry + ", 'value')", map.value(), depth + 1) + ")))";
            }
        };
    }

    /** Whether files have different partition values; one value for all stands in the SELECT itself. */
    static boolean needsPartitionTable(FileScan scan) {
        return !scan.partitionColumns().isEmpty()
                && scan.files().stream()
                                .map(DataFile::partitionValues)
                                .distinct()
                                .limit(2)
                                .count()
                        > 1;
    }

    private static String partitionValue(StructField field, String text) {
        return field.type() == ScalarType.BINARY
                ? "encode(" + text + ")"
                : "CAST(" + text + " AS " + type(field.type()) + ")";
    }

    /** The SELECT of the table of partition values: {@code file_index} and one column per partition column. */
    static String partitionSelect(FileScan scan) {
        List<Integer> indexes = new ArrayList<>();
        StringBuilder select = new StringBuilder("SELECT CAST(file_index AS BIGINT) AS file_index");
        for (String column : scan.partitionColumns()) {
            int index = indexOf(scan.schema(), column);
            StructField field = scan.schema().fields().get(index);
            String text = "t" + index;
            select.append(", ")
                    .append(partitionValue(field, text))
                    .append(" AS ")
                    .append(name("c" + index));
            indexes.add(index);
        }
        select.append(" FROM (VALUES ");
        for (int i = 0; i < scan.files().size(); i++) {
            select.append(i == 0 ? "(" : ", (").append(i);
            for (int index : indexes) {
                StructField field = scan.schema().fields().get(index);
                select.append(", ")
                        .append(partitionText(scan.files().get(i), physicalName(field, scan.columnMapping())));
            }
            select.append(")");
        }
        select.append(") AS v(file_index");
        indexes.forEach(index -> select.append(", t").append(index));
        return select.append(")").toString();
    }

    private static String partitionText(DataFile file, String physicalName) {
        Optional<String> value = file.partitionValues().getOrDefault(physicalName, Optional.empty());
        return "CAST("
                + value.filter(text -> !text.isEmpty())
                        .map(text -> string(text))
                        .orElse("NULL") + " AS VARCHAR)";
    }

    private static int indexOf(StructType schema, String column) {
        for (int i = 0; i < schema.fields().size(); i++) {
            if (schema.fields().get(i).name().equalsIgnoreCase(column)) {
                return i;
            }
        }
        throw TidemarkException.of(ErrorCode.TABLE_SCHEMA_INVALID, "partition column " + column + " is no column")
                .build();
    }
}
