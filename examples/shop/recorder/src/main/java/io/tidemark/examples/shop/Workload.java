// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.io.PrintStream;
import java.sql.SQLException;
import java.util.List;

/** A working year of the shop, made of small steps chosen by the seed. */
final class Workload {

    private static final int FIRST_CUSTOMERS = 400;

    /** One small change of the shop. */
    @FunctionalInterface
    private interface Step {
        void run() throws SQLException;
    }

    private record Weighted(double weight, Step step) {
    }

    private final Session session;
    private final SlowImport slowImport;
    private final SimulatedClock clock;
    private final Dice dice;
    private final int rounds;
    private final CustomerDesk customers;
    private final PriceDesk prices;
    private final CartDesk carts;
    private final Stories stories;
    private final List<Weighted> steps;
    private final double totalWeight;

    Workload(Session session, SlowImport slowImport, Dice dice, int rounds) {
        this.session = session;
        this.slowImport = slowImport;
        this.dice = dice;
        this.rounds = rounds;
        this.clock = new SimulatedClock(dice);
        this.customers = new CustomerDesk(session, clock, dice);
        this.prices = new PriceDesk(session, clock, dice);
        this.carts = new CartDesk(session, clock, dice, customers);
        this.stories = new Stories(session, customers, new Texts(dice));
        OrderDesk orders = new OrderDesk(session, clock, dice, customers);
        this.steps = List.of(
                new Weighted(38, orders::advance),
                new Weighted(10, orders::place),
                new Weighted(6, orders::adjustLine),
                new Weighted(1, orders::dropLine),
                new Weighted(1.5, orders::addLine),
                new Weighted(0.4, orders::purge),
                new Weighted(0.1, orders::placeAndRollBack),
                new Weighted(17, carts::change),
                new Weighted(4, carts::open),
                new Weighted(3, carts::close),
                new Weighted(8, prices::report),
                new Weighted(6, customers::visit),
                new Weighted(3, customers::edit),
                new Weighted(1.6, customers::register),
                new Weighted(0.1, customers::annotate),
                new Weighted(0.4, customers::leave),
                new Weighted(0.1, customers::changeNumber));
        this.totalWeight = steps.stream().mapToDouble(Weighted::weight).sum();
    }

    /** Runs everything and commits it. */
    void run(PrintStream out) throws SQLException {
        prices.openCatalogue();
        stories.begin();
        for (int i = 0; i < FIRST_CUSTOMERS; i++) {
            customers.register();
            session.stepDone();
        }
        for (int round = 1; round <= rounds; round++) {
            clock.tick();
            choose().run();
            session.stepDone();
            slowImport.tick(round);
            if (round == rounds / 2) {
                stories.tell();
                carts.truncate();
            }
        }
        session.commit();
        slowImport.finish();
        out.println("workload: " + rounds + " rounds, " + session.commits() + " short and " + slowImport.commits()
                + " long transactions; the shop's clock ended at " + clock.now());
    }

    private Step choose() {
        double mark = dice.fraction() * totalWeight;
        for (Weighted candidate : steps) {
            mark -= candidate.weight();
            if (mark < 0) {
                return candidate.step();
            }
        }
        return steps.get(0).step();
    }
}
