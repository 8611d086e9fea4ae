// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.sql.SQLException;

/** Shopping carts: opened, changed many times within minutes, checked out; all of them truncated once. */
final class CartDesk {

    private final Session session;
    private final SimulatedClock clock;
    private final Dice dice;
    private final CustomerDesk customers;
    private final KeyPool<Long> carts;
    private long nextId = 1;

    CartDesk(Session session, SimulatedClock clock, Dice dice, CustomerDesk customers) {
        this.session = session;
        this.clock = clock;
        this.dice = dice;
        this.customers = customers;
        this.carts = new KeyPool<>(dice);
    }

    /** A new, empty cart, often of somebody unknown. */
    void open() throws SQLException {
        session.executeOne("INSERT INTO shop.carts VALUES (?,?,?,?,?,?,?)", nextId,
                dice.percent(60) ? customers.anyone() : null, 0, null, clock.now(), null, null);
        carts.add(nextId);
        nextId++;
    }

    /** Something is put into a recent cart or taken out. */
    void change() throws SQLException {
        if (carts.isEmpty()) {
            return;
        }
        long id = carts.recent(6);
        if (dice.percent(10)) {
            Object[] coupons = {dice.percent(20) ? null : "SPRING", "−10 %"};
            session.executeOne("UPDATE shop.carts SET coupons = ? WHERE cart_id = ?",
                    session.array("text", coupons), id);
        } else {
            session.executeOne("UPDATE shop.carts SET items = items + 1, amount = coalesce(amount, 0) + ?,"
                    + " changed_at = ? WHERE cart_id = ?", dice.decimal(1, 90, 2), clock.now(), id);
        }
    }

    /** A cart becomes an order or is given up, marked as abandoned first. */
    void close() throws SQLException {
        if (carts.isEmpty()) {
            return;
        }
        if (dice.percent(30)) {
            session.executeOne("UPDATE shop.carts SET abandoned = true WHERE cart_id = ?", carts.any());
        } else {
            session.executeOne("DELETE FROM shop.carts WHERE cart_id = ?", carts.takeRecent(20));
        }
    }

    /** Empties the table between two changes of one transaction and starts again with cart number 1. */
    void truncate() throws SQLException {
        open();
        session.execute("TRUNCATE shop.carts");
        carts.clear();
        nextId = 1;
        open();
    }
}
