package io.tidemark.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;

/** The least that a program in Java can do that opens DuckDB and writes one Parquet file. */
final class BareStart {
    private BareStart() {}

    /**
     * Writes ten rows.
     *
     * @param arguments the file
     */
    public static void main(String[] arguments) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            statement.execute("COPY (SELECT i AS id, 'name ' || i AS name FROM range(10) AS t(i)) TO '" + arguments[0]
                    + "' (FORMAT parquet)");
        }
    }
}
