package io.tidemark.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

/** A DuckDB of its own, set as Tidemark's engine is: the same memory, all processors. */
final class Database implements AutoCloseable {
    private final Connection connection;

    /**
     * Opens a database.
     *
     * @param file a database file, or the empty text for one in memory
     * @param memory limit such as {@code 1GB}
     */
    Database(String file, String memory) throws SQLException {
        connection = DriverManager.getConnection("jdbc:duckdb:" + file);
        run("SET memory_limit = '" + memory + "'");
        run("SET TimeZone = 'UTC'");
        run("SET threads = " + Runtime.getRuntime().availableProcessors());
    }

    /** Runs a statement without result. */
    void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Runs several statements, each ended by a semicolon at the end of a line. */
    void script(String sql) throws SQLException {
        for (String statement : sql.split(";\\s*\n")) {
            if (!statement.isBlank()) {
                run(statement);
            }
        }
    }

    /** The first value of the first row, as text. */
    String value(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return String.valueOf(result.getObject(1)).toLowerCase(Locale.ROOT);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
