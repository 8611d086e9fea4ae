package io.tidemark.compile.catalog;

import java.util.List;
import java.util.Map;

/**
 * What a new catalog shall be.
 *
 * @param id its id, of the form of {@link LayerDefinition#id}; only for people
 * @param layers its layers, with different ids
 * @param configuration settings that ride in its versions; {@link Catalog#STATE_LAYER} is one
 */
public record CatalogDefinition(String id, List<LayerDefinition> layers, Map<String, String> configuration) {
    /** Copies the collections. */
    public CatalogDefinition {
        layers = List.copyOf(layers);
        configuration = Map.copyOf(configuration);
    }

    /** A catalog with the usual configuration. */
    public static CatalogDefinition of(String id, LayerDefinition... layers) {
        return new CatalogDefinition(id, List.of(layers), Map.of());
    }
}
