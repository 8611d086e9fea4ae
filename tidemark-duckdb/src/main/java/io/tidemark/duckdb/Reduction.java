package io.tidemark.duckdb;

import io.tidemark.core.engine.KeyedReducer;
import io.tidemark.duckdb.session.Session;
import java.sql.SQLException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBReadableVector;

/** Streams rows of numbers through a reducer into a table, without an object per row. */
final class Reduction {
    private final Session session;
    private final KeyedReducer reducer;

    Reduction(Session session, KeyedReducer reducer) {
        this.session = session;
        this.reducer = reducer;
    }

    /** Reads the query on one connection and appends to the table on another. */
    void run(String inputSql, String schema, String table) {
        String names = IntStream.range(0, reducer.inputColumns())
                .mapToObj(i -> "c" + i)
                .collect(Collectors.joining(", "));
        try (DuckDBConnection connection = session.duplicate();
                DuckDBAppender appender = connection.createAppender(schema, table)) {
            KeyedReducer.Output output = row -> append(appender, row);
            long[] row = new long[reducer.inputColumns()];
            session.chunks("SELECT * FROM (" + inputSql + ") AS t(" + names + ")", (vectors, rowCount) -> {
                feed(vectors, rowCount, row, output);
                return true;
            });
            reducer.finish(output);
        } catch (SQLException e) {
            throw session.failures().translate(e);
        }
    }

    private void feed(DuckDBReadableVector[] vectors, int rowCount, long[] row, KeyedReducer.Output output) {
        for (int i = 0; i < rowCount; i++) {
            for (int column = 0; column < row.length; column++) {
                row[column] = vectors[column].getLong(i, KeyedReducer.NULL);
            }
            reducer.accept(row, output);
        }
    }

    private void append(DuckDBAppender appender, long[] row) {
        try {
            appender.beginRow();
            for (long value : row) {
                if (value == KeyedReducer.NULL) {
                    appender.appendNull();
                } else {
                    appender.append(value);
                }
            }
            appender.endRow();
        } catch (SQLException e) {
            throw session.failures().translate(e);
        }
    }
}
