package io.tidemark.tests.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.KeyedReducer;
import io.tidemark.core.flow.ScdType;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.tests.change.Histories.Partial;
import io.tidemark.tests.change.Histories.Setup;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One key with very many events: the work grows with the events and the rows that they change, never with their square.
 * Rows that pass through the reducer are counted, since a clock says little on a shared machine.
 */
class HotKeyTest {
    private static final int BITEMPORAL_EVENTS = 40_000;
    private static final int TYPE_TWO_EVENTS = 5_000;
    private static final int LOADED_KEYS = 3_000;
    /** Each event of a life begins a row, ends a belief in the row before it, and that one is output twice. */
    private static final int ROWS_PER_EVENT_MAX = 3;

    @TempDir
    Path temporary;

    @Test
    void bitemporalWorkIsLinearInTheEventsOfAKey() {
        AtomicLong taken = new AtomicLong();
        AtomicLong emitted = new AtomicLong();
        try (DuckDbEngine duckDb = DuckDbEngine.open(DuckDbSettings.defaults(temporary))) {
            Engine engine = counting(duckDb, taken, emitted);
            PlanRunner runner = runner(engine, ScdType.BITEMPORAL);
            runner.update(events(BITEMPORAL_EVENTS));
            assertThat(taken).hasValue(BITEMPORAL_EVENTS);
            assertThat(emitted.get())
                    .isBetween((long) BITEMPORAL_EVENTS, (long) ROWS_PER_EVENT_MAX * BITEMPORAL_EVENTS);
            assertThat(count(engine, runner)).isEqualTo(emitted.get());
            // A late event passes all events of its key through the reducer once, and changes a handful of rows.
            runner.update("SELECT 'U' AS op, 'hot' AS k, 'late' AS a, 'x' AS b, 'x' AS c, CAST(17 AS BIGINT) AS seq,"
                    + " CAST(1000001 AS BIGINT) AS sys, CAST(NULL AS VARCHAR[]) AS upd");
            assertThat(taken).hasValue(2L * BITEMPORAL_EVENTS + 1);
        }
    }

    @Test
    void loadedKeysPassThroughNoReducerAndAreNotRemembered() {
        AtomicLong taken = new AtomicLong();
        try (DuckDbEngine duckDb = DuckDbEngine.open(DuckDbSettings.defaults(temporary))) {
            Engine engine = counting(duckDb, taken, new AtomicLong());
            PlanRunner runner = runner(engine, ScdType.BITEMPORAL);
            runner.update(load(LOADED_KEYS) + " UNION ALL " + events(2));
            assertThat(count(engine, runner)).isEqualTo(LOADED_KEYS + 3);
            assertThat(taken).as("events of the one key that has two").hasValue(2);
            assertThat(runner.stateRecords()).as("records of that key").isEqualTo(2);
            // The row of a loaded key is its first event, and is told from then on.
            runner.update("SELECT 'U' AS op, 'k5' AS k, 'new' AS a, 'x' AS b, 'x' AS c, CAST(17 AS BIGINT) AS seq,"
                    + " CAST(18 AS BIGINT) AS sys, CAST(NULL AS VARCHAR[]) AS upd");
            assertThat(taken).hasValue(2 + 2);
            assertThat(count(engine, runner)).isEqualTo(LOADED_KEYS + 3 + 2);
        }
    }

    private static String load(int keys) {
        return "SELECT 'U' AS op, 'k' || i AS k, CAST(i AS VARCHAR) AS a, 'x' AS b, 'x' AS c, i AS seq, 0 AS sys,"
                + " CAST(NULL AS VARCHAR[]) AS upd FROM range(" + keys + ") AS r(i)";
    }

    @Test
    void typeTwoKeepsOneRowPerChange() {
        try (DuckDbEngine engine = DuckDbEngine.open(DuckDbSettings.defaults(temporary))) {
            PlanRunner runner = runner(engine, ScdType.SCD2);
            runner.update(events(TYPE_TWO_EVENTS));
            assertThat(count(engine, runner)).isEqualTo(TYPE_TWO_EVENTS);
            // Nothing is remembered of events that have a row of their own.
            assertThat(runner.stateRecords()).isZero();
        }
    }

    private static PlanRunner runner(Engine engine, ScdType type) {
        Setup setup = new Setup(type, Partial.NONE, Histories.COLUMNS, false, false, false);
        return new PlanRunner(engine, "hot", setup.flow(), Setup.source());
    }

    /** Distinct values at distinct times; system times are scattered over the business times. */
    private static String events(int count) {
        return "SELECT 'U' AS op, 'hot' AS k, CAST(i AS VARCHAR) AS a, 'x' AS b, 'x' AS c, i AS seq," + " (i * 7919) % "
                + count + " AS sys, CAST(NULL AS VARCHAR[]) AS upd FROM range(" + count + ") AS r(i)";
    }

    private static long count(Engine engine, PlanRunner runner) {
        AtomicLong count = new AtomicLong();
        engine.stream("SELECT count(*) AS n FROM " + runner.target().relation(), row -> {
            count.set((Long) row.get(0));
            return true;
        });
        return count.get();
    }

    /** The engine with every reducer counted; all else passes through. */
    private static Engine counting(Engine engine, AtomicLong taken, AtomicLong emitted) {
        return (Engine) Proxy.newProxyInstance(
                Engine.class.getClassLoader(), new Class<?>[] {Engine.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("reduce")) {
                        KeyedReducer.Factory reducers = (KeyedReducer.Factory) arguments[3];
                        arguments[3] = (KeyedReducer.Factory) () -> new Counted(reducers.get(), taken, emitted);
                    }
                    try {
                        return method.invoke(engine, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getTargetException();
                    }
                });
    }

    private record Counted(KeyedReducer reducer, AtomicLong taken, AtomicLong emitted) implements KeyedReducer {
        @Override
        public int inputColumns() {
            return reducer.inputColumns();
        }

        @Override
        public int outputColumns() {
            return reducer.outputColumns();
        }

        @Override
        public void accept(long[] row, Output output) {
            taken.incrementAndGet();
            reducer.accept(row, counted(output));
        }

        @Override
        public void finish(Output output) {
            reducer.finish(counted(output));
        }

        private Output counted(Output output) {
            return row -> {
                emitted.addAndGet(row[0] == 0 ? 1 : 0);
                output.emit(row);
            };
        }
    }
}
