package io.tidemark.compile.catalog;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A version of a catalog: what its commit says beside the partitions.
 *
 * @param number the version, counted from 1; {@link #EMPTY} before the first
 * @param tableVersion the version of the Delta table at which it is read
 * @param time when it was published, by the publisher's clock; of the empty version, when the catalog was made
 * @param layers the layers by id
 * @param layerVersions the version that last changed a partition of the layer, by layer id; layers that never had any are
 *     missing
 * @param dependencies what it was made from
 * @param fingerprints what besides the input decided the output, by task id
 * @param configuration the catalog's settings
 * @param counters what its publication did, by layer id
 * @param manifest id of the pinned state's manifest, null if there is no state
 */
public record CatalogVersion(
        long number,
        long tableVersion,
        Instant time,
        Map<String, LayerDefinition> layers,
        Map<String, Long> layerVersions,
        List<Dependency> dependencies,
        Map<String, String> fingerprints,
        Map<String, String> configuration,
        Map<String, PublishReport.Counters> counters,
        @Nullable String manifest) {
    /** The number of the version before the first commit. */
    public static final long EMPTY = 0;

    /** Copies the collections. */
    public CatalogVersion {
        layers = Collections.unmodifiableMap(new LinkedHashMap<>(layers));
        layerVersions = Map.copyOf(layerVersions);
        dependencies = List.copyOf(dependencies);
        fingerprints = Map.copyOf(fingerprints);
        configuration = Map.copyOf(configuration);
        counters = Map.copyOf(counters);
    }

    /** Whether nothing was published yet. */
    public boolean isEmpty() {
        return number == EMPTY;
    }

    /** The version of an input, as it was recorded. */
    public Optional<Dependency> dependency(String catalog) {
        return dependencies.stream()
                .filter(dependency -> dependency.catalog().equals(catalog))
                .findFirst();
    }

    /** The id of the pinned state's manifest; nothing if there is no state. */
    public Optional<String> stateManifest() {
        return Optional.ofNullable(manifest);
    }
}
