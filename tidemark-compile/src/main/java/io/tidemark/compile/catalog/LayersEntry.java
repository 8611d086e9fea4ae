package io.tidemark.compile.catalog;

import io.tidemark.delta.log.JsonValues;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The domain {@value #DOMAIN} of a catalog's table: the definitions of its layers. */
final class LayersEntry {
    static final String DOMAIN = "tidemark.layers";

    private static final long FORMAT_VERSION = 1;
    private static final String GENERIC = "generic";
    private static final String HERE_TILE = "heretile";

    private LayersEntry() {}

    static Map<String, LayerDefinition> parse(String text, String location) {
        String what = "what the table " + location + " says of its layers";
        Json json = Json.parse(text, what).checkFormat(FORMAT_VERSION);
        Map<String, LayerDefinition> layers = new LinkedHashMap<>();
        for (Json layer : json.objects("layers")) {
            LayerDefinition definition = new LayerDefinition(
                    layer.text("id"),
                    partitioning(layer, what),
                    Digest.of(layer.text("digest")),
                    layer.list("formerDigests").stream()
                            .map(String::valueOf)
                            .map(Digest::of)
                            .toList(),
                    layer.text("contentType"),
                    layer.number("inlineLimit"),
                    layer.flag("emptyPayloads"));
            layers.put(definition.id(), definition);
        }
        return layers;
    }

    private static Partitioning partitioning(Json layer, String what) {
        String kind = layer.text("partitioning");
        if (kind.equals(GENERIC)) {
            return new Partitioning.Generic();
        }
        if (kind.equals(HERE_TILE)) {
            Set<Integer> levels = new TreeSet<>();
            Json.numbers(layer.list("levels")).forEach(level -> levels.add(Math.toIntExact(level)));
            return new Partitioning.HereTile(levels);
        }
        throw Json.invalid(what, "it has layers partitioned by " + kind + ", which this release does not know", null);
    }

    static String json(Collection<LayerDefinition> layers) {
        List<Object> list = new ArrayList<>();
        for (LayerDefinition layer : layers) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("id", layer.id());
            if (layer.partitioning() instanceof Partitioning.HereTile tiles) {
                json.put("partitioning", HERE_TILE);
                json.put("levels", List.copyOf(tiles.levels()));
            } else {
                json.put("partitioning", GENERIC);
            }
            json.put("digest", layer.digest().algorithm());
            json.put(
                    "formerDigests",
                    layer.formerDigests().stream().map(Digest::algorithm).toList());
            json.put("contentType", layer.contentType());
            json.put("inlineLimit", layer.inlineLimitBytes());
            json.put("emptyPayloads", layer.allowsEmptyPayloads());
            list.add(json);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("formatVersion", FORMAT_VERSION);
        json.put("layers", list);
        return JsonValues.write(json);
    }
}
