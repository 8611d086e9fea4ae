package io.tidemark.duckdb.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.Set;
import java.util.function.Supplier;
import org.duckdb.DuckDBChunkedResult;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBPreparedStatement;
import org.duckdb.DuckDBReadableVector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One in-memory database and the statements that run on it. */
public final class Session implements AutoCloseable {
    /** Marks the last row of a streamed query; see {@link #chunks}. */
    private static final String END_COLUMN = "__end";

    private static final double PERCENT = 100.0;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** At level debug: each statement with its time, which is how slow plans are found. */
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);

    private final DuckDBConnection connection;
    private final KnownFiles files = new KnownFiles();
    private final Failures failures = new Failures(files);
    private volatile @Nullable DuckDBPreparedStatement running;
    private volatile boolean cancelled;
    private @Nullable Library library;
    /** Connections for streams that no stream uses now: a new one costs as much as a small query. */
    private final Deque<DuckDBConnection> idle = new ArrayDeque<>();

    private Session(DuckDBConnection connection) {
        this.connection = connection;
    }

    /**
     * Opens an empty database.
     *
     * @param options settings of DuckDB that must be given when the database is opened
     * @param statements what to run first
     */
    public static Session open(Properties options, List<String> statements) {
        Session session;
        try {
            session = new Session((DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:", options));
        } catch (SQLException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "the embedded engine did not start")
                    .detail(Failures.message(e))
                    .cause(e)
                    .build();
        }
        try {
            showProgress(session.connection);
            statements.forEach(session::execute);
        } catch (TidemarkException e) {
            session.close();
            throw e;
        } catch (SQLException e) {
            session.close();
            throw session.failures.translate(e);
        }
        return session;
    }

    /** The files that relations read. */
    public KnownFiles files() {
        return files;
    }

    /** Turns failures into errors. */
    public Failures failures() {
        return failures;
    }

    /** The main connection, for registering functions. */
    public DuckDBConnection connection() {
        return connection;
    }

    /** Another connection to the same database. */
    public DuckDBConnection duplicate() {
        try {
            return connection.duplicate();
        } catch (SQLException e) {
            throw failures.translate(e);
        }
    }

    /**
     * Keeps statements back until another statement's text holds a marker: a library that most runs do without.
     *
     * @param marker text that stands in every statement that needs the library
     * @param statements what makes it
     */
    public void defineWhenNamed(String marker, Supplier<List<String>> statements) {
        library = new Library(marker, statements);
    }

    private record Library(String marker, Supplier<List<String>> statements) {}

    private void defineIfNamed(String sql) throws SQLException {
        Library wanted = library;
        if (wanted != null && sql.contains(wanted.marker())) {
            library = null;
            for (String statement : wanted.statements().get()) {
                executeRaw(statement);
            }
        }
    }

    /** Begins an operation: forgets a cancel that came when nothing ran. */
    public void begin() {
        cancelled = false;
    }

    /** Runs a statement without result. */
    public void execute(String sql) {
        try {
            executeRaw(sql);
        } catch (SQLException e) {
            throw translate(e);
        }
    }

    /** Runs a statement without result and hands DuckDB's own failure on. */
    public void executeRaw(String sql) throws SQLException {
        checkCancelled();
        defineIfNamed(sql);
        try (Statement statement = connection.createStatement()) {
            track(statement, sql, () -> statement.execute(sql));
        }
    }

    /** Runs a statement with a small result. */
    public List<List<@Nullable Object>> rows(String sql) {
        try {
            return rowsRaw(sql);
        } catch (SQLException e) {
            throw translate(e);
        }
    }

    /** Runs a statement with a small result and hands DuckDB's own failure on. */
    public List<List<@Nullable Object>> rowsRaw(String sql) throws SQLException {
        checkCancelled();
        defineIfNamed(sql);
        List<List<@Nullable Object>> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            track(statement, sql, () -> {
                try (ResultSet result = statement.executeQuery(sql)) {
                    return collect(result, result.getMetaData().getColumnCount(), rows);
                }
            });
        }
        return rows;
    }

    /**
     * Runs a query with a small result if its columns are of given types.
     *
     * @param types names of types as DuckDB prints them
     * @return the rows; nothing if a column is of another type, and then nothing has run
     */
    public Optional<List<List<@Nullable Object>>> rowsOfTypes(String sql, Set<String> types) {
        checkCancelled();
        try {
            defineIfNamed(sql);
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                ResultSetMetaData columns = statement.getMetaData();
                int count = columns.getColumnCount();
                for (int i = 1; i <= count; i++) {
                    if (!types.contains(columns.getColumnTypeName(i))) {
                        return Optional.empty();
                    }
                }
                List<List<@Nullable Object>> rows = new ArrayList<>();
                track(statement, sql, () -> {
                    try (ResultSet result = statement.executeQuery()) {
                        return collect(result, count, rows);
                    }
                });
                return Optional.of(rows);
            }
        } catch (SQLException e) {
            throw translate(e);
        }
    }

    private static boolean collect(ResultSet result, int columns, List<List<@Nullable Object>> rows)
            throws SQLException {
        while (result.next()) {
            List<@Nullable Object> row = new ArrayList<>(columns);
            for (int i = 1; i <= columns; i++) {
                row.add(result.getObject(i));
            }
            rows.add(row);
        }
        return true;
    }

    /** Receives parts of a streamed result. */
    @FunctionalInterface
    public interface ChunkConsumer {
        /**
         * Takes rows.
         *
         * @param vectors the columns
         * @param rowCount number of rows
         * @return whether more are wanted
         */
        boolean accept(DuckDBReadableVector[] vectors, int rowCount);
    }

    /**
     * Streams a query in its order with bounded memory, on a connection of its own so that the consumer may run other
     * statements.
     *
     * <p>A failure after the first chunk makes the driver end the result as if it were complete. So a last row is
     * appended that marks the end; if it does not arrive the query runs again in a slower way that reports failures.
     */
    public void chunks(String sql, ChunkConsumer consumer) {
        checkCancelled();
        String marked = "SELECT *, false AS " + END_COLUMN + " FROM (" + sql + ") UNION ALL BY NAME SELECT true AS "
                + END_COLUMN;
        DuckDBConnection own = null;
        try {
            defineIfNamed(sql);
            own = idleOrNew();
            boolean complete;
            try (DuckDBPreparedStatement statement = own.prepare(marked)) {
                complete = track(statement, sql, () -> {
                    try (DuckDBChunkedResult result = statement.query()) {
                        return drain(result, consumer);
                    }
                });
            }
            if (!complete) {
                checkCancelled();
                throw findFailure(own, sql);
            }
            idle.push(own);
            own = null;
        } catch (SQLException | DuckDBFunctions.FunctionException e) {
            throw translate(e);
        } finally {
            // One that failed is not used again.
            close(own);
        }
    }

    private DuckDBConnection idleOrNew() throws SQLException {
        DuckDBConnection own = idle.poll();
        if (own == null) {
            own = duplicate();
            showProgress(own);
        }
        return own;
    }

    private void close(@Nullable DuckDBConnection other) {
        if (other != null) {
            try {
                other.close();
            } catch (SQLException e) {
                throw failures.translate(e);
            }
        }
    }

    private static void showProgress(DuckDBConnection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET enable_progress_bar = true");
            statement.execute("SET enable_progress_bar_print = false");
        }
    }

    private static boolean drain(DuckDBChunkedResult result, ChunkConsumer consumer) {
        while (result.nextChunk()) {
            DuckDBDataChunkReader chunk = result.chunk();
            int columns = (int) chunk.columnCount() - 1;
            int rows = (int) chunk.rowCount();
            DuckDBReadableVector end = chunk.vector(columns);
            boolean last = rows > 0 && end.getBoolean(rows - 1);
            if (last) {
                rows--;
            }
            if (rows > 0) {
                DuckDBReadableVector[] vectors = new DuckDBReadableVector[columns];
                for (int i = 0; i < columns; i++) {
                    vectors[i] = chunk.vector(i);
                }
                if (!consumer.accept(vectors, rows)) {
                    return true;
                }
            }
            if (last) {
                return true;
            }
        }
        return false;
    }

    private TidemarkException findFailure(DuckDBConnection own, String sql) {
        try (Statement statement = own.createStatement()) {
            track(statement, sql, () -> statement.execute("CREATE OR REPLACE TEMP TABLE __failed AS " + sql));
        } catch (SQLException e) {
            return translate(e);
        }
        return TidemarkException.of(ErrorCode.IO_FAILED, "a query's result ended early")
                .detail("The same query succeeded when it ran again.")
                .build();
    }

    /** Something that runs on a statement. */
    @FunctionalInterface
    private interface Work {
        boolean run() throws SQLException;
    }

    private boolean track(Statement statement, String sql, Work work) throws SQLException {
        DuckDBPreparedStatement before = running;
        running = (DuckDBPreparedStatement) statement;
        long begin = System.nanoTime();
        try {
            return work.run();
        } finally {
            running = before;
            LOG.debug("{} ms: {}", (System.nanoTime() - begin) / NANOS_PER_MILLI, sql);
        }
    }

    /** Stops what runs; may be called by another thread. */
    public void cancel() {
        cancelled = true;
        DuckDBPreparedStatement statement = running;
        if (statement != null) {
            try {
                statement.cancel();
            } catch (SQLException e) {
                throw failures.translate(e);
            }
        }
    }

    /** Share of the running statement that is done; may be called by another thread. */
    public OptionalDouble progress() {
        DuckDBPreparedStatement statement = running;
        if (statement == null) {
            return OptionalDouble.empty();
        }
        try {
            double percent = statement.getQueryProgress().getPercentage();
            return percent < 0 ? OptionalDouble.empty() : OptionalDouble.of(Math.min(1.0, percent / PERCENT));
        } catch (SQLException e) {
            // the statement has ended in the meantime
            return OptionalDouble.empty();
        }
    }

    /** Fails if a cancel has come. */
    public void checkCancelled() {
        if (cancelled) {
            throw TidemarkException.of(ErrorCode.INTERRUPTED, "the run was interrupted")
                    .build();
        }
    }

    private TidemarkException translate(Exception failure) {
        return failures.translate(failure);
    }

    @Override
    public void close() {
        idle.forEach(this::close);
        idle.clear();
        close(connection);
    }
}
