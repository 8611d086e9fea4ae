package io.tidemark.delta.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Transaction;
import io.tidemark.testkit.Seeded;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Thousands of interleavings of a few committers, step by step, with and without processes that die on the way. */
class SimulationTest {
    private static final int INTERLEAVINGS = 700;
    private static final int ACTORS = 3;
    private static final int TRANSACTIONS = 4;

    @ParameterizedTest
    @ValueSource(strings = {"Serializable", "WriteSerializable"})
    void everyInterleavingIsSerializable(String level) {
        Seeded.run(1, INTERLEAVINGS, (random, seed) -> simulate(random, level, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Serializable", "WriteSerializable"})
    void processesThatDieLeaveTheTableWhole(String level) {
        Seeded.run(10_001, INTERLEAVINGS, (random, seed) -> simulate(random, level, 150));
    }

    private static void simulate(Random random, String level, int crashOneIn) {
        Interleaving interleaving = new Interleaving(random, crashOneIn);
        SimulatedStorage storage = new SimulatedStorage(interleaving);
        DeltaTable table = DeltaTable.at(storage, "/t");
        RandomTransactions.create(table, level);
        Set<String> committed = new HashSet<>();
        Set<String> rejected = new HashSet<>();
        for (int actor = 0; actor < ACTORS; actor++) {
            RandomTransactions transactions = new RandomTransactions("a" + actor, random);
            interleaving.add(() -> {
                for (int i = 0; i < TRANSACTIONS; i++) {
                    Transaction transaction = transactions.next(table.snapshot());
                    CommitOutcome outcome = transaction.commit();
                    assertThat(outcome).isNotInstanceOf(CommitOutcome.Unknown.class);
                    (outcome instanceof CommitOutcome.Committed ? committed : rejected).add(transaction.id());
                }
            });
        }
        interleaving.run();
        Set<String> history = new HistoryChecker(storage, table, level.equals("Serializable")).check();
        assertThat(history).containsAll(committed);
        assertThat(rejected).allSatisfy(id -> assertThat(history).doesNotContain(id));
    }
}
