package io.tidemark.pipeline.update;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.pipeline.run.RunListener;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.pipeline.source.FlowSources;
import io.tidemark.pipeline.source.PlannedTables;
import io.tidemark.sql.warehouse.Warehouse;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all updates of one run share.
 *
 * @param engine the engine
 * @param warehouse the warehouse
 * @param sources what sources need
 * @param options how the pipeline is run
 * @param listener hears of progress
 * @param clock tells when events arrive
 * @param counter makes names of relations unique
 * @param seen the latest snapshots of tables when they were last looked at
 */
public record UpdateContext(
        Engine engine,
        Warehouse warehouse,
        FlowSources.Setting sources,
        RunOptions options,
        RunListener listener,
        Clock clock,
        AtomicLong counter,
        Map<TableName, Snapshot> seen) {
    private static final long MICROS_PER_MILLI = 1_000;

    /** This context, to bind queries over empty relations and nothing else. */
    UpdateContext binding(PlannedTables planned) {
        return new UpdateContext(engine, warehouse, sources.binding(planned), options, listener, clock, counter, seen);
    }

    /** A start for names of relations that no other update uses. */
    String freshPrefix() {
        return "u" + counter.incrementAndGet() + "_";
    }

    /** The place of a table. */
    DeltaTable table(TableName name) {
        return warehouse.table(name);
    }

    /** The latest snapshot of a table, which is not read again if no newer one has come; nothing if there is no table. */
    Optional<Snapshot> latest(TableName name) {
        DeltaTable table = table(name);
        Snapshot known = seen.get(name);
        Optional<Snapshot> latest =
                known == null || !table.exists() ? table.latest() : Optional.of(table.snapshot(known));
        latest.ifPresent(snapshot -> seen.put(name, snapshot));
        return latest;
    }

    /** The time of the update, in microseconds since 1970-01-01 UTC. */
    long nowMicros() {
        return clock.millis() * MICROS_PER_MILLI;
    }
}
