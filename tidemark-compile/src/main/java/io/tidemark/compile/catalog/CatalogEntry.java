package io.tidemark.compile.catalog;

import io.tidemark.delta.log.JsonValues;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The domain {@value #DOMAIN} of a catalog's table: its version and what belongs to it. Each publication writes it, so
 * that two at once are a conflict, and nobody else does.
 *
 * @param id the catalog's id
 * @param tableId id of the table that it belongs to; a copy of the table has another one
 * @param version the catalog version
 * @param minimum the oldest version that is kept
 * @param timeMillis when the version was published, in milliseconds since 1970
 * @param layerVersions the version that last changed each layer
 * @param dependencies what the version was made from
 * @param fingerprints by task id
 * @param configuration settings
 * @param counters what the publication did, by layer id
 * @param recent for some versions before this one a version of the table that has their content, newest first
 */
record CatalogEntry(
        String id,
        String tableId,
        long version,
        long minimum,
        long timeMillis,
        Map<String, Long> layerVersions,
        List<Dependency> dependencies,
        Map<String, String> fingerprints,
        Map<String, String> configuration,
        Map<String, PublishReport.Counters> counters,
        List<Place> recent) {
    static final String DOMAIN = "tidemark.catalog";

    private static final long FORMAT_VERSION = 1;
    private static final int RECENT_MAX = 50;
    private static final int COUNTERS = 6;

    /**
     * Where the content of a version is.
     *
     * @param version the catalog version
     * @param tableVersion a version of the table
     */
    record Place(long version, long tableVersion) {}

    static CatalogEntry parse(String text, String location) {
        Json json = Json.parse(text, "what the table " + location + " says of its catalog")
                .checkFormat(FORMAT_VERSION);
        List<Dependency> dependencies = new ArrayList<>();
        for (Json each : json.objects("dependencies")) {
            dependencies.add(new Dependency(each.text("catalog"), each.number("version"), each.flag("direct")));
        }
        List<Place> recent = new ArrayList<>();
        for (Object pair : json.list("recent")) {
            List<Long> numbers = Json.numbers(pair);
            recent.add(new Place(numbers.get(0), numbers.get(1)));
        }
        return new CatalogEntry(
                json.text("id"),
                json.text("tableId"),
                json.number("version"),
                json.number("minimum"),
                json.number("time"),
                json.map("layerVersions", value -> value instanceof Long number ? number : 0L),
                dependencies,
                json.map("fingerprints", String::valueOf),
                json.map("configuration", String::valueOf),
                json.map("counters", CatalogEntry::counters),
                recent);
    }

    private static PublishReport.Counters counters(@Nullable Object value) {
        List<Long> n = Json.numbers(value);
        return n.size() != COUNTERS
                ? PublishReport.Counters.NONE
                : new PublishReport.Counters(n.get(0), n.get(1), n.get(2), n.get(3), n.get(4), n.get(5));
    }

    String json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("formatVersion", FORMAT_VERSION);
        json.put("id", id);
        json.put("tableId", tableId);
        json.put("version", version);
        json.put("minimum", minimum);
        json.put("time", timeMillis);
        json.put("layerVersions", new TreeMap<>(layerVersions));
        List<Object> inputs = new ArrayList<>();
        for (Dependency dependency : dependencies) {
            Map<String, Object> input = new LinkedHashMap<>();
            input.put("catalog", dependency.catalog());
            input.put("version", dependency.version());
            input.put("direct", dependency.direct());
            inputs.add(input);
        }
        json.put("dependencies", inputs);
        json.put("fingerprints", new TreeMap<>(fingerprints));
        json.put("configuration", new TreeMap<>(configuration));
        Map<String, Object> counted = new TreeMap<>();
        counters.forEach((layer, c) -> counted.put(
                layer, List.of(c.compiled(), c.added(), c.changed(), c.deleted(), c.unchanged(), c.bytes())));
        json.put("counters", counted);
        json.put(
                "recent",
                recent.stream()
                        .map(place -> List.of(place.version(), place.tableVersion()))
                        .toList());
        return JsonValues.write(json);
    }

    /** The places to remember in the next version, if this one is the content of a version of the table. */
    List<Place> recentAfter(long tableVersion) {
        List<Place> places = new ArrayList<>();
        places.add(new Place(version, tableVersion));
        places.addAll(recent.subList(0, Math.min(recent.size(), RECENT_MAX - 1)));
        return places;
    }

    /** Whether this is the publication that was made on a version. Numbers skip those that a restore has given up. */
    boolean follows(long base) {
        return version > base && !recent.isEmpty() && recent.get(0).version() == base;
    }

    /** A version of the table with the content of an older version, if it is remembered here. */
    OptionalLong tableVersionOf(long wanted) {
        return recent.stream()
                .filter(place -> place.version() == wanted)
                .mapToLong(Place::tableVersion)
                .findFirst();
    }

    /** This with another oldest version. */
    CatalogEntry withMinimum(long oldest) {
        return new CatalogEntry(
                id,
                tableId,
                version,
                oldest,
                timeMillis,
                layerVersions,
                dependencies,
                fingerprints,
                configuration,
                counters,
                recent);
    }

    Instant time() {
        return Instant.ofEpochMilli(timeMillis);
    }
}
