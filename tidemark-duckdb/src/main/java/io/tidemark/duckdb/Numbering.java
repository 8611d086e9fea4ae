package io.tidemark.duckdb;

import io.tidemark.duckdb.session.Session;
import io.tidemark.duckdb.session.Spelling;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBWritableVector;

/**
 * Gives numbers to rows while a query reads them. DuckDB's own sequences take a lock for each row and its windows one
 * thread for all; here each vector of rows takes its numbers at once.
 */
final class Numbering {
    private static final String FUNCTION = "__tidemark_number";

    private final Session session;
    private final Map<Long, AtomicLong> counters = new ConcurrentHashMap<>();
    private boolean registered;

    Numbering(Session session) {
        this.session = session;
    }

    /** Engine SQL of rows with a further column of their numbers, which a counter gives. */
    String numbered(String sql, String column, AtomicLong counter) {
        register();
        long id = counters.size();
        counters.put(id, counter);
        return "SELECT *, " + FUNCTION + "(CAST(" + id + " AS BIGINT)) AS " + Spelling.name(column) + " FROM (" + sql
                + ") AS numbered";
    }

    private void register() {
        if (registered) {
            return;
        }
        try (var builder = DuckDBFunctions.scalarFunction()) {
            // Volatile: it is computed for each row, although its argument is constant.
            builder.withName(FUNCTION)
                    .withParameters(DuckDBColumnType.BIGINT)
                    .withReturnType(DuckDBColumnType.BIGINT)
                    .withVolatile()
                    .withVectorizedFunction(this::number)
                    .register(session.connection());
        } catch (SQLException e) {
            throw session.failures().translate(e);
        }
        registered = true;
    }

    private void number(DuckDBDataChunkReader input, DuckDBWritableVector output) {
        long rows = input.rowCount();
        if (rows == 0) {
            return;
        }
        AtomicLong counter = counters.get(input.vector(0).getLong(0));
        if (counter == null) {
            throw new IllegalStateException("numbers of an unknown query");
        }
        long first = counter.getAndAdd(rows);
        for (long i = 0; i < rows; i++) {
            output.setLong(i, first + i);
        }
    }
}
