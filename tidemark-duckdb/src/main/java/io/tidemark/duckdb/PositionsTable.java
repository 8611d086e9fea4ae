package io.tidemark.duckdb;

import io.tidemark.core.engine.RowPositions;
import io.tidemark.duckdb.session.Session;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * Makes a table of packed positions, which hold a file's index above its row's number. Many of them are handed over as
 * lists: each number by itself would take three calls, and a table that has been updated for long has hundreds of thousands
 * of deleted rows.
 */
final class PositionsTable implements AutoCloseable {
    private static final int LIST_LENGTH = 16_384;
    private static final String LISTS_SUFFIX = "_lists";

    private final Session session;
    private final DuckDBConnection connection;
    private final DuckDBAppender appender;
    private final boolean asLists;
    private final long[] list = new long[LIST_LENGTH];
    private int length;

    private PositionsTable(Session session, String schema, String table, boolean asLists) throws SQLException {
        this.session = session;
        this.asLists = asLists;
        this.connection = session.duplicate();
        this.appender = connection.createAppender(schema, table);
    }

    /**
     * Makes the table, with the column {@code packed}.
     *
     * @param files the positions by the index of their file
     */
    static void create(Session session, String schema, String table, List<RowPositions> files) {
        String name = schema + "." + table;
        long count = files.stream().mapToLong(RowPositions::cardinality).sum();
        boolean asLists = count > LIST_LENGTH;
        String first = asLists ? table + LISTS_SUFFIX : table;
        session.execute("CREATE TABLE " + schema + "." + first + " (packed BIGINT" + (asLists ? "[])" : ")"));
        try (PositionsTable positions = new PositionsTable(session, schema, first, asLists)) {
            for (int i = 0; i < files.size(); i++) {
                long file = (long) i << FileRelation.POSITION_BITS;
                files.get(i).forEach(position -> positions.add(file | position));
            }
            positions.finish();
        } catch (SQLException e) {
            throw session.failures().translate(e);
        }
        if (asLists) {
            session.execute("CREATE TABLE " + name + " AS SELECT unnest(packed) AS packed FROM " + name + LISTS_SUFFIX
                    + "; DROP TABLE " + name + LISTS_SUFFIX);
        }
    }

    private void add(long packed) {
        try {
            if (!asLists) {
                appender.beginRow();
                appender.append(packed);
                appender.endRow();
                return;
            }
            list[length++] = packed;
            if (length == LIST_LENGTH) {
                finish();
            }
        } catch (SQLException e) {
            throw session.failures().translate(e);
        }
    }

    private void finish() throws SQLException {
        if (length > 0) {
            appender.beginRow();
            appender.append(Arrays.copyOf(list, length));
            appender.endRow();
            length = 0;
        }
    }

    @Override
    public void close() throws SQLException {
        appender.close();
        connection.close();
    }
}
