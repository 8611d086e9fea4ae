package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.CrashPoints;
import io.tidemark.delta.PinnedState;
import io.tidemark.delta.Reruns;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.log.JsonValues;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The next version of a catalog in the making: it compares candidates with what is published, by key and checksum, and
 * makes one commit of what differs. Ends with {@link #commit} or {@link #abort}, once.
 */
public final class Publication {
    /** Crash point: payloads, rows and state are written, the commit is not. */
    public static final String BEFORE_COMMIT = "catalog.before-commit";

    private static final String OPERATION = "PUBLISH";

    private final CatalogTable table;
    private final PayloadFiles payloads;
    private final CatalogVersion base;
    private final Map<String, PublishMode> modes = new TreeMap<>();
    private final Map<String, String> configuration;
    private @Nullable String relation;
    private List<Dependency> dependencies;
    private Map<String, String> fingerprints;
    private @Nullable StateDraft state;
    private @Nullable String numberSetting;
    private @Nullable String newManifest;
    private boolean ended;

    Publication(CatalogTable table, PayloadFiles payloads, CatalogVersion base) {
        this.table = table;
        this.payloads = payloads;
        this.base = base;
        this.dependencies = base.dependencies();
        this.fingerprints = base.fingerprints();
        this.configuration = new HashMap<>(base.configuration());
    }

    /**
     * Sets the candidates.
     *
     * @param candidates a relation of the engine with the columns {@link Candidates#COLUMNS}, each key at most once
     * @param layers the layers that are published and how; candidates of other layers are an error
     */
    public Publication candidates(String candidates, Map<String, PublishMode> layers) {
        relation = candidates;
        modes.clear();
        modes.putAll(layers);
        return this;
    }

    /** Sets what the version is made from; without a call the base's dependencies stay. */
    public Publication dependencies(List<Dependency> inputs) {
        dependencies = List.copyOf(inputs);
        return this;
    }

    /** Sets the fingerprints of the tasks; without a call the base's stay. */
    public Publication fingerprints(Map<String, String> byTask) {
        fingerprints = Map.copyOf(byTask);
        return this;
    }

    /** Sets a setting of the catalog's configuration. */
    public Publication setting(String name, String value) {
        configuration.put(name, value);
        return this;
    }

    /** Sets a setting to the number of the version that is made, which makes one in any case. */
    public Publication settingOfNumber(String name) {
        numberSetting = name;
        return this;
    }

    /** Sets the state that the commit pins; without a call the base's state stays. */
    public Publication state(StateDraft draft) {
        state = draft;
        return this;
    }

    /**
     * Compares and commits. If nothing differs there is no commit.
     *
     * @throws TidemarkException {@code BASE_VERSION_CONFLICT} if another version was published since the base;
     *     {@code UNKNOWN_LAYER}, {@code INVALID_PARTITION_NAME}, {@code EMPTY_PAYLOAD}, {@code DUPLICATE_PARTITION} for
     *     candidates that are wrong
     */
    public PublishReport commit(Engine engine) {
        checkOpen();
        ended = true;
        Snapshot snapshot = table.latest();
        try (Comparison comparison = comparison(engine, snapshot)) {
            comparison.check();
            comparison.run(snapshot);
            Map<String, PublishReport.Counters> counters = comparison.counters();
            boolean differs = counters.values().stream().anyMatch(each -> each.uploads() + each.deleted() > 0);
            if (!differs && !recordsSomething()) {
                return new PublishReport(table.version(snapshot), false, counters);
            }
            comparison.securePayloads(payloads, snapshot);
            return committed(comparison, snapshot, counters);
        } catch (RuntimeException e) {
            if (certainlyFailed(e)) {
                discardState();
            }
            throw e;
        }
    }

    /** What {@link #commit} would do. Nothing is committed. */
    public Map<String, PublishReport.Counters> compare(Engine engine) {
        try (Comparison comparison = compared(engine)) {
            return comparison.counters();
        }
    }

    /**
     * Materializes what {@link #commit} would change: the columns of {@link Candidates} and {@code kind} (added, changed or
     * deleted). Nothing is committed.
     */
    public void registerDifferences(Engine engine, String differences) {
        try (Comparison comparison = compared(engine)) {
            comparison.materialize(differences);
        }
    }

    private Comparison compared(Engine engine) {
        checkOpen();
        Snapshot snapshot = table.latest();
        Comparison comparison = comparison(engine, snapshot);
        try {
            comparison.check();
            comparison.run(snapshot);
            return comparison;
        } catch (RuntimeException e) {
            comparison.close();
            throw e;
        }
    }

    private Comparison comparison(Engine engine, Snapshot snapshot) {
        CatalogEntry entry = checkBase(snapshot);
        return new Comparison(table, base, table.nextNumber(snapshot, entry), engine, relation, modes);
    }

    /** Gives up. Payload files that were staged are left to the garbage collection, since others may share them. */
    public void abort() {
        if (!ended) {
            ended = true;
            discardState();
        }
    }

    private void checkOpen() {
        if (ended) {
            throw new IllegalStateException("the publication has ended");
        }
    }

    private boolean recordsSomething() {
        return !dependencies.equals(base.dependencies())
                || !fingerprints.equals(base.fingerprints())
                || !configuration.equals(base.configuration())
                || numberSetting != null
                || (state != null && state.differsFromBase());
    }

    private static boolean certainlyFailed(RuntimeException failure) {
        return !(failure instanceof TidemarkException error && error.code() == ErrorCode.COMMIT_STATE_UNKNOWN);
    }

    private void discardState() {
        StateDraft draft = state;
        if (draft != null) {
            try {
                draft.discard();
            } catch (TidemarkException e) {
                // The files are waste that VACUUM finds; what led here matters more.
                return;
            }
        }
    }

    /** A commit that lost its table version to maintenance is made again; one that lost to a publication is not. */
    private PublishReport committed(
            Comparison comparison, Snapshot first, Map<String, PublishReport.Counters> counters) {
        comparison.write(first);
        Snapshot snapshot = first;
        Reruns reruns = Reruns.within(Reruns.Limits.DEFAULT);
        try {
            writeState(snapshot);
            while (true) {
                Transaction transaction = snapshot.begin(OPERATION);
                CatalogEntry entry = entry(snapshot, comparison, counters);
                comparison.stage(snapshot, transaction);
                describe(transaction, snapshot, entry, counters);
                CrashPoints.reach(BEFORE_COMMIT);
                CommitOutcome outcome = transaction.commit();
                if (!(outcome instanceof CommitOutcome.Rejected) || !reruns.again()) {
                    return new PublishReport(published(entry, outcome.version()), true, counters);
                }
                snapshot = table.latest();
                checkBase(snapshot);
                comparison.run(snapshot);
            }
        } catch (RuntimeException e) {
            if (certainlyFailed(e)) {
                comparison.discard(snapshot);
            }
            throw e;
        }
    }

    /** The version that was committed; its layers are those of the base. */
    private CatalogVersion published(CatalogEntry entry, long tableVersion) {
        return new CatalogVersion(
                entry.version(),
                tableVersion,
                entry.time(),
                base.layers(),
                entry.layerVersions(),
                entry.dependencies(),
                entry.fingerprints(),
                entry.configuration(),
                entry.counters(),
                newManifest == null ? base.manifest() : newManifest);
    }

    private void writeState(Snapshot snapshot) {
        if (state != null && state.differsFromBase()) {
            newManifest = UUID.randomUUID().toString();
            state.write(snapshot, newManifest);
        }
    }

    private CatalogEntry entry(Snapshot snapshot, Comparison comparison, Map<String, PublishReport.Counters> counters) {
        CatalogEntry before = table.entry(snapshot);
        if (numberSetting != null) {
            configuration.put(numberSetting, Long.toString(comparison.version()));
        }
        Map<String, Long> layerVersions = new HashMap<>(base.layerVersions());
        counters.forEach((layer, each) -> {
            if (each.uploads() + each.deleted() > 0) {
                layerVersions.put(layer, comparison.version());
            }
        });
        return new CatalogEntry(
                before.id(),
                before.tableId(),
                comparison.version(),
                before.minimum(),
                System.currentTimeMillis(),
                layerVersions,
                dependencies,
                fingerprints,
                configuration,
                counters,
                before.recentAfter(snapshot.version()));
    }

    private void describe(
            Transaction transaction,
            Snapshot snapshot,
            CatalogEntry entry,
            Map<String, PublishReport.Counters> counters) {
        transaction.setDomain(CatalogEntry.DOMAIN, entry.json());
        transaction.setTransaction(CatalogTable.application(entry), entry.version());
        if (newManifest != null) {
            Map<String, Object> pin = new LinkedHashMap<>();
            pin.put("formatVersion", 1L);
            pin.put("tableId", snapshot.tableId());
            pin.put(PinnedState.MANIFEST_FIELD, newManifest);
            transaction.setDomain(PinnedState.DOMAIN, JsonValues.write(pin));
        }
        PublishReport.Counters total =
                counters.values().stream().reduce(PublishReport.Counters.NONE, PublishReport.Counters::plus);
        transaction.parameter("catalogVersion", Long.toString(entry.version()));
        transaction.metric("numPartitionsAdded", total.added());
        transaction.metric("numPartitionsChanged", total.changed());
        transaction.metric("numPartitionsDeleted", total.deleted());
        transaction.metric("numPartitionsUnchanged", total.unchanged());
        transaction.metric("numPayloadBytes", total.bytes());
    }

    private CatalogEntry checkBase(Snapshot snapshot) {
        CatalogEntry entry = table.entry(snapshot);
        boolean layersChanged = !table.layers(snapshot).equals(base.layers());
        if (entry.version() == base.number() && !layersChanged) {
            return entry;
        }
        throw TidemarkException.of(
                        ErrorCode.BASE_VERSION_CONFLICT,
                        "catalog " + table.location() + " is not at version " + base.number() + " any more")
                .detail(
                        entry.version() == base.number()
                                ? "Its layers were changed meanwhile."
                                : "Version " + entry.version() + " was published meanwhile.")
                .hint("run again: what was computed for the old version is compared with the new one")
                .build();
    }
}
