package io.tidemark.dbt.source;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.project.SourceTable;
import io.tidemark.dbt.yaml.YamlNode;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A database that is read by JDBC: one query, whose rows are streamed. */
public final class JdbcSource {
    /** Entry of a source's meta with the address of a database. */
    public static final String URL = "jdbc_url";

    private static final String USER = "jdbc_user";
    private static final String PASSWORD = "jdbc_password";
    private static final int FETCH_ROWS = 10_000;
    private static final int DECIMAL_SCALE_WITHOUT_BOUND = 18;
    private static final String POSTGRES_PORT = "5432";

    private final String url;
    private final Properties properties;
    private final TextLocation location;

    private JdbcSource(String url, Properties properties, TextLocation location) {
        this.url = url;
        this.properties = properties;
        this.location = location;
    }

    /** The database of a source. */
    static JdbcSource of(SourceTable source) {
        Properties properties = new Properties();
        source.meta(USER).ifPresent(user -> properties.setProperty("user", user));
        source.meta(PASSWORD).ifPresent(password -> properties.setProperty("password", password));
        return new JdbcSource(source.meta(URL).orElseThrow(), properties, source.location());
    }

    /** The database of a PostgreSQL profile. */
    public static JdbcSource ofProfile(Project project) {
        YamlNode settings = project.target().settings();
        Properties properties = new Properties();
        settings.text("user").ifPresent(user -> properties.setProperty("user", user));
        settings.text("password")
                .or(() -> settings.text("pass"))
                .ifPresent(password -> properties.setProperty("password", password));
        settings.text("sslmode").ifPresent(mode -> properties.setProperty("sslmode", mode));
        settings.text("search_path").ifPresent(path -> properties.setProperty("currentSchema", path));
        String url = "jdbc:postgresql://" + settings.text("host").orElse("localhost") + ":"
                + settings.text("port").orElse(POSTGRES_PORT) + "/"
                + project.target().database();
        // What fails is the query of a snapshot, whose place the caller knows.
        return new JdbcSource(url, properties, TextLocation.NONE);
    }

    /** Reads a whole table into a relation of an engine. */
    void loadTable(Engine engine, String relation, SourceTable source) {
        load(
                engine,
                relation,
                "SELECT * FROM " + source.quoting().name(Optional.empty(), source.schema(), source.identifier()));
    }

    /** Reads the rows of a query into a relation of an engine. */
    public void load(Engine engine, String relation, String query) {
        try (Connection connection = DriverManager.getConnection(url, properties)) {
            // Without a transaction the driver of PostgreSQL holds the whole result in memory.
            connection.setAutoCommit(false);
            readOnly(connection);
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(FETCH_ROWS);
                try (ResultSet rows = statement.executeQuery(query)) {
                    List<Column> columns = columns(rows.getMetaData());
                    StructType schema = new StructType(columns.stream()
                            .map(column -> StructField.of(column.name(), column.type()))
                            .toList());
                    engine.load(relation, schema, handOver(rows, columns));
                }
            }
            connection.rollback();
        } catch (SQLException e) {
            throw failed(e);
        } catch (ReadFailure e) {
            throw failed(e.reason);
        }
    }

    private static void readOnly(Connection connection) throws SQLException {
        try {
            connection.setReadOnly(true);
        } catch (SQLFeatureNotSupportedException e) {
            // A hint only: some drivers refuse it. Only a query is run all the same.
            return;
        }
    }

    private TidemarkException failed(SQLException e) {
        String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        boolean noDriver = message.startsWith("No suitable driver");
        return TidemarkException.of(ErrorCode.DATABASE_FAILED, "the database " + shownUrl() + ": " + message)
                .at(location)
                .hint(
                        noDriver
                                ? "put the driver's jar on the class path (TIDEMARK_JAVA_OPTIONS or the folder of libraries)"
                                : "nothing was committed; check address, user and query")
                .cause(e)
                .build();
    }

    /** An address may carry a password. */
    private String shownUrl() {
        int parameters = url.indexOf('?');
        String text = parameters < 0 ? url : url.substring(0, parameters);
        return text.replaceAll("//[^/@]*@", "//");
    }

    /** A failure in the middle of the rows, carried through the engine that takes them. */
    private static final class ReadFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final SQLException reason;

        ReadFailure(SQLException reason) {
            super(reason);
            this.reason = reason;
        }
    }

    private static Consumer<RowConsumer> handOver(ResultSet rows, List<Column> columns) {
        return consumer -> {
            try {
                List<@Nullable Object> values = new ArrayList<>();
                boolean wanted = true;
                while (wanted && rows.next()) {
                    values.clear();
                    for (int i = 0; i < columns.size(); i++) {
                        values.add(columns.get(i).read(rows, i + 1));
                    }
                    wanted = consumer.accept(values);
                }
            } catch (SQLException e) {
                throw new ReadFailure(e);
            }
        };
    }

    /** A column of a result. */
    private record Column(String name, DataType type, boolean uncertainNumber) {
        @Nullable
        Object read(ResultSet rows, int index) throws SQLException {
            if (type instanceof DecimalType decimal) {
                BigDecimal number = rows.getBigDecimal(index);
                return number == null ? null : fitted(number, decimal);
            }
            if (type instanceof ArrayType) {
                Array array = rows.getArray(index);
                return array == null ? null : texts(array);
            }
            Object value = null;
            switch ((ScalarType) type) {
                case BOOLEAN -> value = rows.getBoolean(index);
                case BYTE -> value = rows.getByte(index);
                case SHORT -> value = rows.getShort(index);
                case INTEGER -> value = rows.getInt(index);
                case LONG -> value = rows.getLong(index);
                case FLOAT -> value = rows.getFloat(index);
                case DOUBLE -> value = rows.getDouble(index);
                case BINARY -> value = rows.getBytes(index);
                case DATE -> value = rows.getObject(index, LocalDate.class);
                case TIMESTAMP_NTZ -> value = rows.getObject(index, LocalDateTime.class);
                case TIMESTAMP -> {
                    OffsetDateTime time = rows.getObject(index, OffsetDateTime.class);
                    value = time == null ? null : time.toInstant();
                }
                default -> value = rows.getString(index);
            }
            return rows.wasNull() ? null : value;
        }

        private Object fitted(BigDecimal number, DecimalType decimal) {
            BigDecimal plain = number.stripTrailingZeros();
            boolean fits = plain.scale() <= decimal.scale()
                    && plain.precision() - plain.scale() <= decimal.precision() - decimal.scale();
            if (!fits) {
                throw TidemarkException.of(
                                ErrorCode.QUERY_FAILED,
                                "column " + name + " holds " + plain.toPlainString() + ", which " + decimal.sql()
                                        + " cannot hold")
                        .detail(
                                uncertainNumber
                                        ? "The column has no bound of digits in the database. Nothing was committed."
                                        : "Nothing was committed.")
                        .hint("cast it in the query: cast(" + name + " as numeric(38, 10)), or to text")
                        .build();
            }
            return number.setScale(decimal.scale());
        }

        private static List<@Nullable Object> texts(Array array) throws SQLException {
            List<@Nullable Object> texts = new ArrayList<>();
            Object values = array.getArray();
            for (int i = 0; i < java.lang.reflect.Array.getLength(values); i++) {
                Object each = java.lang.reflect.Array.get(values, i);
                texts.add(each == null ? null : each.toString());
            }
            return texts;
        }
    }

    private List<Column> columns(ResultSetMetaData facts) throws SQLException {
        List<Column> columns = new ArrayList<>();
        for (int i = 1; i <= facts.getColumnCount(); i++) {
            String typeName = facts.getColumnTypeName(i);
            boolean unbound = isDecimal(facts.getColumnType(i)) && facts.getPrecision(i) == 0;
            DataType type = switch (facts.getColumnType(i)) {
                case Types.BIT, Types.BOOLEAN ->
                    typeName.equalsIgnoreCase("bit") ? ScalarType.STRING : ScalarType.BOOLEAN;
                case Types.TINYINT, Types.SMALLINT -> ScalarType.SHORT;
                case Types.INTEGER -> ScalarType.INTEGER;
                case Types.BIGINT -> ScalarType.LONG;
                case Types.REAL -> ScalarType.FLOAT;
                case Types.FLOAT, Types.DOUBLE -> ScalarType.DOUBLE;
                case Types.NUMERIC, Types.DECIMAL -> decimal(facts.getPrecision(i), facts.getScale(i));
                case Types.DATE -> ScalarType.DATE;
                case Types.TIMESTAMP ->
                    typeName.equalsIgnoreCase("timestamptz") ? ScalarType.TIMESTAMP : ScalarType.TIMESTAMP_NTZ;
                case Types.TIMESTAMP_WITH_TIMEZONE -> ScalarType.TIMESTAMP;
                case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> ScalarType.BINARY;
                case Types.ARRAY -> new ArrayType(ScalarType.STRING, true);
                default -> ScalarType.STRING;
            };
            columns.add(new Column(facts.getColumnLabel(i), type, unbound));
        }
        return columns;
    }

    private static boolean isDecimal(int type) {
        return type == Types.NUMERIC || type == Types.DECIMAL;
    }

    private static DataType decimal(int precision, int scale) {
        if (precision == 0 || precision > DecimalType.PRECISION_MAX || scale < 0 || scale > precision) {
            return new DecimalType(DecimalType.PRECISION_MAX, DECIMAL_SCALE_WITHOUT_BOUND);
        }
        return new DecimalType(precision, scale);
    }
}
