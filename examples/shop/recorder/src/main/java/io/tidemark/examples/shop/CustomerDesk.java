// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;

/** Customers come, are edited, change their number and go; some of them come back under their old number. */
final class CustomerDesk {

    /** The first customers are left to {@link Stories}. */
    static final int FIRST_FREE_ID = 101;

    private static final long MOVED = 1_000_000;
    private static final List<BigDecimal> EXTREME_BALANCES = List.of(new BigDecimal("9999999999999999.9999"),
            new BigDecimal("-9999999999999999.9999"), new BigDecimal("-0.0001"), new BigDecimal("0.0000"),
            new BigDecimal("1234567890123456.7890"));

    private final Session session;
    private final SimulatedClock clock;
    private final Dice dice;
    private final Texts texts;
    private final KeyPool<Long> living;
    private final KeyPool<Long> gone;
    private final KeyPool<Long> withLongNote;
    private long nextId = FIRST_FREE_ID;

    CustomerDesk(Session session, SimulatedClock clock, Dice dice) {
        this.session = session;
        this.clock = clock;
        this.dice = dice;
        this.texts = new Texts(dice);
        this.living = new KeyPool<>(dice);
        this.gone = new KeyPool<>(dice);
        this.withLongNote = new KeyPool<>(dice);
    }

    Long anyone() {
        return living.any();
    }

    /** A new customer, now and then one who was deleted before. */
    void register() throws SQLException {
        long id = !gone.isEmpty() && dice.percent(15) ? gone.takeAny() : nextId++;
        boolean longNote = dice.percent(1);
        insert(id, longNote ? texts.longNote() : dice.percent(10) ? texts.remark() : null);
        living.add(id);
        if (longNote) {
            withLongNote.add(id);
        }
    }

    /** Inserts a row with random values and the given note. */
    void insert(long id, String note) throws SQLException {
        session.executeOne("INSERT INTO shop.customers VALUES (?,?,?,?,?,?,?,?,?,?,?)", id, texts.name(),
                dice.percent(80) ? texts.email(id) : null,
                dice.percent(30) ? texts.phone() : null,
                dice.percent(70) ? session.array("text", texts.tags()) : null,
                dice.percent(70) ? birthDate() : null,
                clock.now(), null, dice.percent(60) ? dice.percent(50) : null, balance(), note);
    }

    /** Only the last visit changes; a long note is left as it is. */
    void visit() throws SQLException {
        long id = dice.percent(12) && !withLongNote.isEmpty() ? withLongNote.any() : living.recent(200);
        LocalDateTime at = dice.percent(98) ? clock.local() : LocalDateTime.parse("1969-07-20T20:17:40.000001");
        session.executeOne("UPDATE shop.customers SET last_visit = ? WHERE customer_id = ?", at, id);
    }

    /** One attribute gets a new value, sometimes NULL. */
    void edit() throws SQLException {
        long id = dice.percent(10) && !withLongNote.isEmpty() ? withLongNote.any() : living.any();
        switch (dice.between(1, 7)) {
            case 1 -> set("name", id, texts.name());
            case 2 -> set("email", id, dice.percent(25) ? null : texts.email(id));
            case 3 -> set("phone", id, dice.percent(25) ? null : texts.phone());
            case 4 -> set("tags", id, dice.percent(15) ? null : session.array("text", texts.tags()));
            case 5 -> set("birth_date", id, dice.percent(15) ? null : birthDate());
            case 6 -> set("newsletter", id, dice.percent(25) ? null : dice.percent(50));
            default -> set("balance", id, balance());
        }
    }

    /** A long note is rewritten, shortened or removed. */
    void annotate() throws SQLException {
        if (withLongNote.isEmpty()) {
            return;
        }
        if (dice.percent(60)) {
            set("notes", withLongNote.any(), texts.longNote());
        } else {
            set("notes", withLongNote.takeAny(), dice.percent(50) ? null : texts.remark());
        }
    }

    /** Deletes a customer; the orders stay. */
    void leave() throws SQLException {
        long id = living.takeAny();
        withLongNote.remove(id);
        session.executeOne("DELETE FROM shop.customers WHERE customer_id = ?", id);
        gone.add(id);
    }

    /** The primary key changes, and the orders follow in the same transaction; a long note is left as it is. */
    void changeNumber() throws SQLException {
        boolean takeLong = dice.percent(70) && !withLongNote.isEmpty();
        long from = takeLong ? withLongNote.any() : living.any();
        long to = from < MOVED ? from + MOVED : from - MOVED;
        living.remove(from);
        rekey(from, to);
        session.execute("UPDATE shop.orders SET customer_id = ? WHERE customer_id = ?", to, from);
        living.add(to);
        if (withLongNote.remove(from)) {
            withLongNote.add(to);
        }
    }

    /** Changes the primary key of one row and nothing else. */
    void rekey(long from, long to) throws SQLException {
        session.executeOne("UPDATE shop.customers SET customer_id = ? WHERE customer_id = ?", to, from);
    }

    /** Sets one column of one customer. */
    void set(String column, long id, Object value) throws SQLException {
        session.executeOne("UPDATE shop.customers SET " + column + " = ? WHERE customer_id = ?", value, id);
    }

    private BigDecimal balance() {
        if (dice.percent(40)) {
            return null;
        }
        return dice.percent(2) ? dice.pick(EXTREME_BALANCES) : dice.decimal(-500, 2_000, 2).setScale(4);
    }

    private LocalDate birthDate() {
        return LocalDate.of(dice.between(1899, 2006), dice.between(1, 12), dice.between(1, 28));
    }
}
