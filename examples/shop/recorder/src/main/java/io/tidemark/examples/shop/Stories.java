// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.sql.SQLException;

/**
 * Short scripted episodes on customers 1 to 10 that must not depend on luck. Each begins with its own commit and, where
 * the text says so, is one transaction.
 */
final class Stories {

    private final Session session;
    private final CustomerDesk customers;
    private final Texts texts;

    Stories(Session session, CustomerDesk customers, Texts texts) {
        this.session = session;
        this.customers = customers;
        this.texts = texts;
    }

    /** Customers 1 to 8 with long notes. */
    void begin() throws SQLException {
        for (long id = 1; id <= 8; id++) {
            customers.insert(id, texts.longNote());
        }
        session.commit();
    }

    /** The middle of the workload: every episode once. */
    void tell() throws SQLException {
        moveAwayAndBack();
        swapKeys();
        deleteAndCreateAgain();
        manyChangesInOneTransaction();
        neverSeen();
        noteOfEveryKind();
        reuseOfLeftKey();
    }

    /** Customer 1 becomes 1000001, is edited there and becomes 1 again; the long note is never touched. */
    private void moveAwayAndBack() throws SQLException {
        session.commit();
        customers.rekey(1, 1_000_001);
        session.commit();
        customers.set("name", 1_000_001, "Ada, moved");
        session.commit();
        customers.rekey(1_000_001, 1);
        session.commit();
    }

    /** Customers 2 and 3 exchange their keys in one transaction, by way of key -2. */
    private void swapKeys() throws SQLException {
        customers.rekey(2, -2);
        customers.rekey(3, 2);
        customers.rekey(-2, 3);
        session.commit();
    }

    /** Customer 4 is deleted and created again in one transaction, with a NULL note. */
    private void deleteAndCreateAgain() throws SQLException {
        delete(4);
        customers.insert(4, null);
        session.commit();
    }

    /** Customer 5 is changed six times in one transaction; the long note once. */
    private void manyChangesInOneTransaction() throws SQLException {
        customers.set("name", 5, "first");
        customers.set("email", 5, null);
        customers.set("notes", 5, texts.longNote());
        customers.set("name", 5, "second");
        customers.rekey(5, 1_000_005);
        customers.set("name", 1_000_005, "third");
        session.commit();
    }

    /** Customer 9 lives only within one transaction. */
    private void neverSeen() throws SQLException {
        customers.insert(9, texts.longNote());
        customers.set("name", 9, "gone soon");
        delete(9);
        session.commit();
    }

    /**
     * The note of customer 6 goes from long to NULL, to an empty text, to the text that marks NULL in the CSV files, and
     * to long again; customer 8 ends with that marker as a text.
     */
    private void noteOfEveryKind() throws SQLException {
        for (String note : new String[] {null, "", CsvReader.NULL_MARKER, texts.longNote()}) {
            customers.set("notes", 6, note);
            customers.set("newsletter", 6, null);
            session.commit();
        }
        customers.set("notes", 8, CsvReader.NULL_MARKER);
        session.commit();
    }

    /** Customer 7 becomes 1000007, and a new customer 7 is created in the same transaction. */
    private void reuseOfLeftKey() throws SQLException {
        customers.rekey(7, 1_000_007);
        customers.insert(7, null);
        session.commit();
    }

    private void delete(long id) throws SQLException {
        session.executeOne("DELETE FROM shop.customers WHERE customer_id = ?", id);
    }
}
