// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** A connection that gathers small steps into transactions of about 20 to 50 changed rows. */
final class Session implements AutoCloseable {

    private final Connection connection;
    private final Dice dice;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private int pending;
    private int limit = 20;
    private int commits;

    Session(String url, String user, Dice dice) throws SQLException {
        this.connection = DriverManager.getConnection(url, user, "");
        this.connection.setAutoCommit(false);
        this.dice = dice;
    }

    /** Runs a statement and returns the number of rows that it changed. */
    int execute(String sql, Object... arguments) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
        int changed = statement.executeUpdate();
        pending += changed;
        return changed;
    }

    /** As {@link #execute}, for a statement that must change exactly one row. */
    void executeOne(String sql, Object... arguments) throws SQLException {
        int changed = execute(sql, arguments);
        if (changed != 1) {
            throw new IllegalStateException(changed + " rows instead of 1 changed by " + sql);
        }
    }

    Array array(String elementType, Object... elements) throws SQLException {
        return connection.createArrayOf(elementType, elements);
    }

    /** Called after each step: commits when the transaction has grown to its size. */
    void stepDone() throws SQLException {
        if (pending >= limit) {
            commit();
        }
    }

    void commit() throws SQLException {
        connection.commit();
        commits++;
        pending = 0;
        limit = dice.between(20, 50);
    }

    void rollback() throws SQLException {
        connection.rollback();
        pending = 0;
    }

    int commits() {
        return commits;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
