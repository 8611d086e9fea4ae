// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * A second session whose long transactions overlap many short ones: its events come late in the stream with small LSNs.
 * It works on customers of its own, so that the sessions never wait for each other.
 */
final class SlowImport implements AutoCloseable {

    private static final long FIRST_ID = 500_000;
    private static final int CUSTOMERS = 30;
    private static final int ROUNDS_BETWEEN_CHANGES = 40;
    private static final int CHANGES_IN_TRANSACTION = 60;

    private final Session session;
    private final Dice dice;
    private final boolean[] present = new boolean[CUSTOMERS];
    private int changes;

    SlowImport(Session session, Dice dice) {
        this.session = session;
        this.dice = dice;
    }

    /** Called once a round; does something in every fortieth. */
    void tick(int round) throws SQLException {
        if (round % ROUNDS_BETWEEN_CHANGES != 0) {
            return;
        }
        changeOne();
        changes++;
        if (changes % CHANGES_IN_TRANSACTION == 0) {
            session.commit();
        }
    }

    private void changeOne() throws SQLException {
        int index = dice.between(0, CUSTOMERS - 1);
        long id = FIRST_ID + index;
        if (!present[index]) {
            session.executeOne("INSERT INTO shop.customers (customer_id, name, registered_at, balance)"
                    + " VALUES (?,?,?,?)", id, "Imported № " + index,
                    OffsetDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_000, ZoneOffset.UTC), BigDecimal.ONE);
            present[index] = true;
        } else if (dice.percent(15)) {
            session.executeOne("DELETE FROM shop.customers WHERE customer_id = ?", id);
            present[index] = false;
        } else {
            session.executeOne("UPDATE shop.customers SET balance = balance * -2 WHERE customer_id = ?"
                    + " AND abs(balance) < 1000000000000", id);
        }
    }

    /** Commits what is left. */
    void finish() throws SQLException {
        session.commit();
    }

    int commits() {
        return session.commits();
    }

    @Override
    public void close() throws SQLException {
        session.close();
    }
}
