package io.tidemark.tests.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.flow.ScdType;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.testkit.Seeded;
import io.tidemark.tests.change.Histories.Partial;
import io.tidemark.tests.change.Histories.Setup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes by hand between updates mean the same as edits of the list of events, whatever came before and comes after. */
class HandMadeRowsProperties {
    private static final int FLOWS = 15;
    private static final int KEYS = 20;
    private static final int EVENTS_PER_KEY_MAX = 8;

    @TempDir
    Path temporary;

    @Test
    void typeOne() {
        check(11_000, ScdType.SCD1, Partial.NONE);
    }

    @Test
    void typeOnePartial() {
        check(12_000, ScdType.SCD1, Partial.IGNORE_NULLS);
    }

    @Test
    void typeTwo() {
        check(13_000, ScdType.SCD2, Partial.NONE);
    }

    @Test
    void typeTwoPartial() {
        check(14_000, ScdType.SCD2, Partial.COLUMNS_TO_UPDATE);
    }

    @Test
    void bitemporal() {
        check(15_000, ScdType.BITEMPORAL, Partial.NONE);
    }

    private void check(long firstSeed, ScdType type, Partial partial) {
        List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> "k" + i).toList();
        try (DuckDbEngine engine = DuckDbEngine.open(DuckDbSettings.defaults(temporary))) {
            Seeded.run(firstSeed, FLOWS, (random, seed) -> {
                boolean sequenceInTarget = type == ScdType.SCD1 && random.nextBoolean();
                List<String> tracked = random.nextBoolean() ? Histories.COLUMNS : List.of("a", "b");
                Setup setup = new Setup(type, partial, tracked, sequenceInTarget, false, false);
                Histories histories = Histories.random(random, setup, KEYS, EVENTS_PER_KEY_MAX);
                PlanRunner runner = new PlanRunner(engine, "f" + seed, setup.flow(), Setup.source());
                List<Oracle.Event> arrived = new ArrayList<>();
                for (int i = 0; i < histories.batches().size(); i++) {
                    runner.update(Histories.sql(histories.batches().get(i), engine.dialect()));
                    arrived.addAll(histories.batches().get(i));
                    assertThat(HistoryProperties.text(runner.rows()))
                            .as("%s after update %d", setup, i)
                            .containsExactlyElementsOf(Histories.expected(setup, arrived));
                    new HandChanges(random, setup, runner.target(), arrived).change(keys);
                }
                runner.close();
            });
        }
    }
}
