package io.tidemark.compile.catalog;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a publication did.
 *
 * @param version the new version, or the base if nothing was to be committed
 * @param committed whether there is a new version
 * @param layers counters by layer id, for the layers that were published
 */
public record PublishReport(CatalogVersion version, boolean committed, Map<String, Counters> layers) {
    /** Copies the map, in order of the ids. */
    public PublishReport {
        layers = Collections.unmodifiableMap(new TreeMap<>(layers));
    }

    /** The sums over all layers. */
    public Counters total() {
        return layers.values().stream().reduce(Counters.NONE, Counters::plus);
    }

    /**
     * Counters of partitions.
     *
     * @param compiled candidates, those without a payload included
     * @param added published for the first time
     * @param changed published with another payload
     * @param deleted taken away
     * @param unchanged candidates whose payload is published already
     * @param bytes payload bytes of the added and changed partitions
     */
    public record Counters(long compiled, long added, long changed, long deleted, long unchanged, long bytes) {
        /** Nothing was done. */
        public static final Counters NONE = new Counters(0, 0, 0, 0, 0, 0);

        /** How many partitions were written. */
        public long uploads() {
            return added + changed;
        }

        /** The sums. */
        public Counters plus(Counters other) {
            return new Counters(
                    compiled + other.compiled,
                    added + other.added,
                    changed + other.changed,
                    deleted + other.deleted,
                    unchanged + other.unchanged,
                    bytes + other.bytes);
        }
    }
}
