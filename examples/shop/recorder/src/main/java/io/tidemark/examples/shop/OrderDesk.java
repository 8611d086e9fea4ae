// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** Orders are placed, paid, packed, shipped, delivered, sometimes cancelled or returned, and some are purged. */
final class OrderDesk {

    private static final String UPDATE_TOTAL = "UPDATE shop.orders SET total = total + ? WHERE order_id = ?";

    /** What the workload has to know of an order. */
    private static final class Order {
        private final long id;
        private final List<Integer> lines = new ArrayList<>();
        private final List<Integer> dropped = new ArrayList<>();
        private String status = "new";

        private Order(long id) {
            this.id = id;
        }
    }

    private final Session session;
    private final SimulatedClock clock;
    private final Dice dice;
    private final Texts texts;
    private final CustomerDesk customers;
    private final KeyPool<Order> open;
    private final KeyPool<Order> closed;
    private final KeyPool<Long> purged;
    private long nextId = 1;

    OrderDesk(Session session, SimulatedClock clock, Dice dice, CustomerDesk customers) {
        this.session = session;
        this.clock = clock;
        this.dice = dice;
        this.texts = new Texts(dice);
        this.customers = customers;
        this.open = new KeyPool<>(dice);
        this.closed = new KeyPool<>(dice);
        this.purged = new KeyPool<>(dice);
    }

    /** An order with one to four lines; now and then one that was purged before is entered again. */
    void place() throws SQLException {
        Order order = new Order(!purged.isEmpty() && dice.percent(3) ? purged.takeAny() : nextId++);
        BigDecimal total = dice.percent(0.1) ? new BigDecimal("9999990000.99") : dice.decimal(5, 400, 2);
        session.executeOne("INSERT INTO shop.orders VALUES (?,?,?,?,?,?,?,?,?,?,?)", order.id, customers.anyone(),
                order.status, clock.now(), dice.percent(30) ? clock.local().plusDays(2).withNano(0) : null,
                null, null, total, null, dice.percent(5), dice.percent(8) ? texts.remark() : null);
        for (int i = dice.between(0, 2) + dice.between(0, 1); i >= 0; i--) {
            insertLine(order, order.lines.size() + 1);
        }
        open.add(order);
    }

    /** Moves a recent open order one step along its life cycle. */
    void advance() throws SQLException {
        if (open.isEmpty()) {
            place();
            return;
        }
        Order order = dice.percent(80) ? open.recent(12) : open.any();
        switch (order.status) {
            case "new" -> move(order, dice.percent(4) ? "cancelled" : "paid");
            case "paid" -> move(order, dice.percent(2) ? "cancelled" : "picking");
            case "picking" -> {
                move(order, "shipped");
                session.executeOne("UPDATE shop.orders SET shipped_at = ? WHERE order_id = ?", clock.now(), order.id);
            }
            case "shipped" -> session.executeOne(
                    "UPDATE shop.orders SET status = ?, delivered_on = ? WHERE order_id = ?",
                    status(order, "delivered"), clock.today(), order.id);
            default -> finish(order);
        }
        if (order.status.equals("cancelled")) {
            open.remove(order);
            closed.add(order);
        }
    }

    private void finish(Order order) throws SQLException {
        open.remove(order);
        closed.add(order);
        if (dice.percent(10)) {
            session.executeOne("UPDATE shop.orders SET status = ?, refund = -total WHERE order_id = ?",
                    status(order, "returned"), order.id);
        }
    }

    /** Changes the quantity of a line and the order's total. */
    void adjustLine() throws SQLException {
        if (open.isEmpty()) {
            return;
        }
        Order order = open.recent(12);
        if (order.lines.isEmpty()) {
            return;
        }
        session.executeOne("UPDATE shop.order_lines SET quantity = ? WHERE order_id = ? AND line_no = ?",
                quantity(), order.id, dice.pick(order.lines));
        session.executeOne(UPDATE_TOTAL, dice.decimal(-4, 9, 2), order.id);
    }

    /** Deletes a line. */
    void dropLine() throws SQLException {
        if (open.isEmpty() || open.recent(1).lines.isEmpty()) {
            return;
        }
        Order order = open.recent(1);
        Integer line = order.lines.remove(dice.between(0, order.lines.size() - 1));
        session.executeOne("DELETE FROM shop.order_lines WHERE order_id = ? AND line_no = ?", order.id, line);
        order.dropped.add(line);
    }

    /** Adds a line, under the number of a deleted one if there is one. */
    void addLine() throws SQLException {
        if (open.isEmpty()) {
            return;
        }
        Order order = open.recent(3);
        int line = order.dropped.isEmpty() ? order.lines.stream().mapToInt(Integer::intValue).max().orElse(0) + 1
                : order.dropped.remove(0);
        insertLine(order, line);
        session.executeOne(UPDATE_TOTAL, dice.decimal(1, 50, 2), order.id);
    }

    /** Deletes a closed order with its lines. */
    void purge() throws SQLException {
        if (closed.size() < 50) {
            return;
        }
        Order order = closed.takeAny();
        session.execute("DELETE FROM shop.order_lines WHERE order_id = ?", order.id);
        session.executeOne("DELETE FROM shop.orders WHERE order_id = ?", order.id);
        purged.add(order.id);
    }

    private void insertLine(Order order, int line) throws SQLException {
        Object[] lots = null;
        if (dice.percent(40)) {
            lots = new Object[dice.between(0, 3)];
            for (int i = 0; i < lots.length; i++) {
                lots[i] = dice.percent(10) ? null : dice.percent(3) ? Integer.valueOf(Integer.MIN_VALUE)
                        : Integer.valueOf(dice.between(-5, 990));
            }
        }
        session.executeOne("INSERT INTO shop.order_lines VALUES (?,?,?,?,?,?)", order.id, line,
                (long) dice.between(1, PriceDesk.PRODUCTS), quantity(),
                dice.percent(3) ? null : dice.decimal(1, 90, 2).setScale(4),
                lots == null ? null : session.array("integer", lots));
        order.lines.add(line);
    }

    private BigDecimal quantity() {
        return dice.percent(8) ? dice.decimal(-3, 12, 3) : new BigDecimal(dice.between(1, 6)).setScale(3);
    }

    private void move(Order order, String status) throws SQLException {
        session.executeOne("UPDATE shop.orders SET status = ? WHERE order_id = ?", status(order, status), order.id);
    }

    private static String status(Order order, String status) {
        order.status = status;
        return status;
    }

    /** An order and a note that never come into being, because their transaction is rolled back. */
    void placeAndRollBack() throws SQLException {
        session.commit();
        OffsetDateTime now = clock.now();
        session.executeOne("INSERT INTO shop.orders VALUES (?,?,?,?,?,?,?,?,?,?,?)", nextId, customers.anyone(), "new",
                now, null, null, null, new BigDecimal("1.00"), null, false, "rolled back: never in the feed");
        session.execute("UPDATE shop.customers SET notes = 'rolled back: never in the feed' WHERE customer_id = ?",
                customers.anyone());
        session.rollback();
    }
}
