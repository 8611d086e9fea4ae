package io.tidemark.duckdb;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Writes Parquet files as another program would, with a database of its own. */
final class ForeignFiles {
    private ForeignFiles() {}

    static void write(String select, Path path, String options) {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            statement.execute("COPY (" + select + ") TO '" + path.toString().replace("'", "''") + "' (FORMAT parquet"
                    + options + ")");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
