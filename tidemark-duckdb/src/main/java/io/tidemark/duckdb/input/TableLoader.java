package io.tidemark.duckdb.input;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.EpochMicros;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.session.NestedText;
import io.tidemark.duckdb.session.Session;
import io.tidemark.duckdb.session.Spelling;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/** Appends rows of Java values to a new table; a last column holds the index of the row's file. */
final class TableLoader implements AutoCloseable {
    /** Name of the column with the index of the file. */
    static final String FILE_COLUMN = "__file";

    private static final String STAGING_SUFFIX = "_texts";

    private final Session session;
    private final String schemaName;
    private final String table;
    private final StructType columns;
    private final boolean nested;
    private final DuckDBConnection connection;
    private final DuckDBAppender appender;

    /**
     * Makes the table.
     *
     * @param session the database
     * @param schemaName schema of the table
     * @param table name of the table
     * @param columns its columns, without the one for the file
     */
    TableLoader(Session session, String schemaName, String table, StructType columns) throws SQLException {
        this.session = session;
        this.schemaName = schemaName;
        this.table = table;
        this.columns = columns;
        this.nested = columns.fields().stream().anyMatch(field -> travelsAsText(field.type()));
        String first = nested ? table + STAGING_SUFFIX : table;
        String definitions = columns.fields().stream()
                .map(field -> Spelling.name(field.name()) + " "
                        + (travelsAsText(field.type()) ? "VARCHAR" : Spelling.type(field.type())))
                .collect(Collectors.joining(", "));
        session.execute(
                "CREATE TABLE " + schemaName + "." + first + " (" + definitions + ", " + FILE_COLUMN + " INTEGER)");
        this.connection = session.duplicate();
        this.appender = connection.createAppender(schemaName, first);
    }

    private static boolean isNested(DataType type) {
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> false;
            case STRUCT, ARRAY, MAP -> true;
        };
    }

    /** The appender takes flat structs and lists of texts as they are. */
    private static boolean travelsAsText(DataType type) {
        return isNested(type) && !isTextList(type) && !isFlat(type);
    }

    private static boolean isTextList(DataType type) {
        return type instanceof ArrayType array && array.element() == ScalarType.STRING;
    }

    private static boolean isFlat(DataType type) {
        return type instanceof StructType struct && struct.fields().stream().noneMatch(field -> isNested(field.type()));
    }

    /** Appends a row. */
    void add(List<@Nullable Object> values, int file) {
        try {
            appender.beginRow();
            for (int i = 0; i < columns.fields().size(); i++) {
                append(values.get(i), columns.fields().get(i).type());
            }
            appender.append(file);
            appender.endRow();
        } catch (SQLException e) {
            throw session.failures().translate(e);
        }
    }

    private void append(@Nullable Object value, DataType type) throws SQLException {
        if (value == null) {
            appender.appendNull();
        } else if (isTextList(type)) {
            appender.append((List<?>) value);
        } else if (isFlat(type)) {
            appender.beginStruct();
            for (StructField field : ((StructType) type).fields()) {
                append(((Map<?, ?>) value).get(field.name()), field.type());
            }
            appender.endStruct();
        } else if (isNested(type)) {
            appender.append(NestedText.write(value, type));
        } else if (value instanceof String text) {
            appender.append(text);
        } else if (value instanceof Long number) {
            appender.append(number.longValue());
        } else if (value instanceof Integer number) {
            appender.append(number.intValue());
        } else if (value instanceof BigDecimal number) {
            appender.append(number);
        } else if (value instanceof Boolean flag) {
            appender.append(flag.booleanValue());
        } else if (value instanceof Double number) {
            appender.append(number.doubleValue());
        } else if (value instanceof LocalDate date) {
            appender.append(date);
        } else if (value instanceof Instant instant) {
            appender.appendEpochMicros(EpochMicros.of(instant));
        } else if (value instanceof LocalDateTime local) {
            appender.appendEpochMicros(EpochMicros.of(local));
        } else if (value instanceof byte[] bytes) {
            appender.append(bytes);
        } else if (value instanceof Float number) {
            appender.append(number.floatValue());
        } else if (value instanceof Short number) {
            appender.append(number.shortValue());
        } else if (value instanceof Byte number) {
            appender.append(number.byteValue());
        } else {
            throw new IllegalStateException("no column holds " + value.getClass());
        }
    }

    /** Ends the table. */
    void finish() throws SQLException {
        appender.close();
        if (nested) {
            String decoded = columns.fields().stream().map(TableLoader::decoded).collect(Collectors.joining(", "));
            String staging = schemaName + "." + table + STAGING_SUFFIX;
            session.execute("CREATE TABLE " + schemaName + "." + table + " AS SELECT " + decoded + ", " + FILE_COLUMN
                    + " FROM " + staging);
        }
    }

    private static String decoded(StructField field) {
        String name = Spelling.name(field.name());
        return travelsAsText(field.type()) ? NestedText.read(name, field.type()) + " AS " + name : name;
    }

    @Override
    public void close() throws SQLException {
        if (!appender.isClosed()) {
            appender.close();
        }
        connection.close();
        if (nested) {
            session.execute("DROP TABLE IF EXISTS " + schemaName + "." + table + STAGING_SUFFIX);
        }
    }
}
