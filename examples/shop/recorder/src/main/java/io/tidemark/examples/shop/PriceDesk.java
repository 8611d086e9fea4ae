// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.OffsetDateTime;

/**
 * Price events. Each row says "from valid_from on, the product costs this"; rows are learned in commit order, which need
 * not be the order of valid_from. Rows are never deleted, and an update changes neither product nor valid_from.
 */
final class PriceDesk {

    /** Products are numbered from 1 to this. */
    static final int PRODUCTS = 400;

    private record Entry(long priceId, long productId, OffsetDateTime validFrom) {
    }

    private final Session session;
    private final SimulatedClock clock;
    private final Dice dice;
    private final KeyPool<Entry> entries;
    private long nextId = 1;

    PriceDesk(Session session, SimulatedClock clock, Dice dice) {
        this.session = session;
        this.clock = clock;
        this.dice = dice;
        this.entries = new KeyPool<>(dice);
    }

    /** The first price of every product. */
    void openCatalogue() throws SQLException {
        for (long product = 1; product <= PRODUCTS; product++) {
            insert(product, OffsetDateTime.parse("2025-01-01T00:00:00Z"), price(), "catalogue");
            session.stepDone();
        }
    }

    /** One price event of some kind. */
    void report() throws SQLException {
        long product = dice.between(1, PRODUCTS);
        int kind = dice.between(1, 100);
        if (kind <= 45) {
            insert(product, clock.now(), price(), null);
        } else if (kind <= 55) {
            insert(product, clock.wholeHour(dice.between(1, 24 * 30)), price(), "announced");
        } else if (kind <= 73) {
            insert(product, clock.wholeHour(-dice.between(1, 24 * 60)), price(), "learned late");
        } else if (kind <= 83) {
            Entry entry = entries.recent(2_000);
            insert(entry.productId, entry.validFrom, price(), "correction");
        } else if (kind <= 90) {
            Entry entry = entries.recent(2_000);
            session.executeOne("UPDATE shop.prices SET price = ?, reason = ? WHERE price_id = ?", price(),
                    "corrected in place", entry.priceId);
        } else if (kind <= 95) {
            withdraw(product, dice.percent(60) ? clock.now() : clock.wholeHour(-dice.between(1, 24 * 20)));
        } else if (kind <= 97) {
            Entry entry = entries.recent(2_000);
            withdraw(entry.productId, entry.validFrom);
        } else {
            insert(product, clock.now(), null, "unknown");
        }
    }

    private void withdraw(long product, OffsetDateTime from) throws SQLException {
        session.executeOne("INSERT INTO shop.prices VALUES (?,?,?,?,?,?,?)", nextId++, product, from, null, null, true,
                "withdrawn");
    }

    private void insert(long product, OffsetDateTime from, BigDecimal price, String reason) throws SQLException {
        String currency = dice.percent(90) ? "EUR" : dice.percent(80) ? "USD" : null;
        session.executeOne("INSERT INTO shop.prices VALUES (?,?,?,?,?,?,?)", nextId, product, from, price, currency,
                false, reason);
        entries.add(new Entry(nextId, product, from));
        nextId++;
    }

    private BigDecimal price() {
        return dice.percent(0.3) ? new BigDecimal("99999999.99") : new BigDecimal(dice.between(1, 200))
                .subtract(new BigDecimal("0.01"));
    }
}
