import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.compile.Driver;
import io.tidemark.compile.Job;
import io.tidemark.compile.Payload;
import io.tidemark.compile.Plan;
import io.tidemark.compile.Reference;
import io.tidemark.compile.Task;
import io.tidemark.compile.catalog.Candidates;
import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogDefinition;
import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.compile.catalog.Partitioning;
import io.tidemark.compile.catalog.PayloadStager;
import io.tidemark.compile.catalog.PublishMode;
import io.tidemark.core.engine.Engine;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A map of the world in tiles: outlines of countries at two levels, labels of airports that refer to their country, and
 * pages that put both together. A second edition of the data shows what a change reaches.
 */
public final class WorldMap {
    private static final int OVERVIEW = 2;
    private static final int DETAIL = 4;

    private WorldMap() {}

    /** What a country gives to a tile: how many points of its outline lie there. */
    record Outline(String country, int points) {}

    /** A country's payload: its name, then one line for each ring of points {@code longitude,latitude}. */
    static Task outlines() {
        return Task.named("outlines")
                .version("1")
                .in("geo", "countries")
                .out("outlines")
                .mapGroup(Outline.class)
                .compileIn((country, emit, c) -> {
                    List<String> lines = c.payload(country).text().lines().toList();
                    Map<String, Integer> points = new TreeMap<>();
                    for (String ring : lines.subList(1, lines.size())) {
                        for (String point : ring.split(" ")) {
                            points.merge(tile(point, OVERVIEW), 1, Integer::sum);
                            points.merge(tile(point, DETAIL), 1, Integer::sum);
                        }
                    }
                    points.forEach((tile, count) -> emit.to(c.out("outlines", tile), new Outline(lines.get(0), count)));
                })
                .compileOut((tile, outlines) -> Payload.some(outlines.toList().stream()
                        .map(outline -> outline.country() + ": " + outline.points() + " points\n")
                        .collect(Collectors.joining())))
                .build();
    }

    /** An airport's payload: name, point and country, each on a line. It is labelled with the name of its country. */
    static Task labels() {
        return Task.named("labels")
                .version("1")
                .in("geo", "airports")
                .reading("geo", "countries")
                .out("labels")
                .refTree(String.class, Reference.to("country", "geo", "countries"))
                .resolve((airport, found, c) -> found.add(
                        "country", c.in("geo", "countries", c.payload(airport).text().lines().toList().get(2))))
                .compileIn((airport, references, emit, c) -> {
                    List<String> lines = c.payload(airport).text().lines().toList();
                    String country = references.get("country").stream()
                            .map(key -> c.payload(key).text().lines().findFirst().orElse(""))
                            .collect(Collectors.joining());
                    emit.to(
                            c.out("labels", tile(lines.get(1), DETAIL)),
                            airport.partition() + " " + lines.get(0) + ", " + country);
                })
                .compileOut((tile, labels) -> Payload.some(String.join("\n", labels.toList()) + "\n"))
                .build();
    }

    /** Tiles of both tasks above under one key. */
    static Task pages() {
        return Task.named("pages")
                .version("1")
                .in(PartitionKey.OUTPUT, "outlines", "labels")
                .out("pages")
                .directMToN(String.class)
                .map((part, c) -> List.of(c.out("pages", part.partition())))
                .compileIn((part, c) -> part.layer() + "\n" + c.payload(part).text())
                .compileOut((page, parts) -> Payload.some(String.join("", parts.toList())))
                .build();
    }

    /** The number of the HERE tile of a level around a point {@code longitude,latitude}. */
    static String tile(String point, int level) {
        int comma = point.indexOf(',');
        double width = 360.0 / (1 << level);
        long column = (long) Math.min((1 << level) - 1, (Double.parseDouble(point.substring(0, comma)) + 180) / width);
        long row = (long) Math.min((1 << level) / 2 - 1, (Double.parseDouble(point.substring(comma + 1)) + 90) / width);
        long number = 1;
        for (int bit = level - 1; bit >= 0; bit--) {
            number = number << 2 | (row >> bit & 1) << 1 | (column >> bit & 1);
        }
        return Long.toString(number);
    }

    /** Arguments: a folder for the catalogs, which must not exist, the TopoJSON file, then a folder for each edition. */
    public static void main(String[] arguments) throws IOException {
        LocalStorage storage = new LocalStorage();
        Path work = Files.createDirectories(Path.of(arguments[0]));
        Catalog geo = Catalog.create(
                storage,
                work.resolve("geo").toString(),
                CatalogDefinition.of("geo", LayerDefinition.generic("countries"), LayerDefinition.generic("airports")));
        Partitioning tiles = new Partitioning.HereTile(Set.of(OVERVIEW, DETAIL));
        Catalog map = Catalog.create(
                storage,
                work.resolve("map").toString(),
                CatalogDefinition.of(
                        "map",
                        LayerDefinition.of("outlines", tiles),
                        LayerDefinition.of("labels", tiles),
                        LayerDefinition.of("pages", tiles)));
        try (Engine engine = DuckDbEngine.open(DuckDbSettings.defaults(Files.createTempDirectory("tidemark-")))) {
            Driver driver = Driver.on(map)
                    .bind("geo", geo)
                    .tasks(outlines(), labels(), pages())
                    .engine(engine);
            for (String edition : List.of(arguments).subList(2, arguments.length)) {
                publish(geo, World.read(Path.of(arguments[1]), Path.of(edition)), engine);
                Plan plan = driver.plan(Job.latest());
                System.out.println("plan    " + plan.toString().replace("\n", "\n        "));
                System.out.println("report  " + driver.run(plan).toString().replace("\n", "\n        "));
            }
        }
    }

    /** Makes an edition the content of both layers; what is published already is not written again. */
    private static void publish(Catalog geo, World world, Engine engine) throws IOException {
        Map<String, Map<String, String>> layers = Map.of("countries", world.countries(), "airports", world.airports());
        try (PayloadStager stager = geo.stager(geo.latest(), Files.createTempDirectory("tidemark-"))) {
            engine.load(
                    "edition",
                    Candidates.COLUMNS,
                    rows -> layers.forEach((layer, partitions) -> partitions.forEach((name, text) -> rows.accept(
                            Candidates.row(
                                    layer,
                                    name,
                                    stager.stage(layer, name, text.getBytes(StandardCharsets.UTF_8)))))));
            geo.publish(geo.latest())
                    .candidates("edition", Map.of("countries", PublishMode.SNAPSHOT, "airports", PublishMode.SNAPSHOT))
                    .commit(engine);
        }
    }

    /** Payloads of countries and airports by the names of their partitions. */
    record World(Map<String, String> countries, Map<String, String> airports) {
        static World read(Path topology, Path edition) throws IOException {
            Map<String, String> newNames = new TreeMap<>();
            rows(edition.resolve("names.csv")).forEach(row -> newNames.put(row[0], row[1]));
            JsonNode root = new ObjectMapper().readTree(topology.toFile());
            Map<String, List<double[][]>> outlines = new TreeMap<>();
            Map<String, String> countries = new TreeMap<>();
            for (JsonNode country : root.path("objects").path("countries").path("geometries")) {
                String name = country.path("properties").path("name").asText();
                String id = country.path("id").asText(name);
                List<double[][]> rings = new ArrayList<>();
                boolean several = country.path("type").asText().equals("MultiPolygon");
                for (JsonNode polygon : several ? country.path("arcs") : List.of(country.path("arcs"))) {
                    polygon.forEach(ring -> rings.add(points(root, ring)));
                }
                outlines.put(id, rings);
                countries.put(
                        id,
                        newNames.getOrDefault(id, name) + "\n"
                                + rings.stream().map(World::text).collect(Collectors.joining("\n")));
            }
            Map<String, String> airports = new TreeMap<>();
            for (String[] row : rows(edition.resolve("airports.csv"))) {
                double[] point = {Double.parseDouble(row[2]), Double.parseDouble(row[3])};
                airports.put(row[0], row[1] + "\n" + row[2] + "," + row[3] + "\n" + country(point, outlines));
            }
            return new World(countries, airports);
        }

        private static List<String[]> rows(Path file) throws IOException {
            return Files.readAllLines(file).stream()
                    .skip(1)
                    .map(line -> line.split(","))
                    .toList();
        }

        /** The points of a ring: arcs one after the other, backwards where their number is negative (TopoJSON 1.0). */
        private static double[][] points(JsonNode root, JsonNode ring) {
            JsonNode scale = root.path("transform").path("scale");
            JsonNode translate = root.path("transform").path("translate");
            List<double[]> points = new ArrayList<>();
            for (JsonNode number : ring) {
                int arc = number.asInt();
                List<double[]> stretch = new ArrayList<>();
                long x = 0;
                long y = 0;
                for (JsonNode step : root.path("arcs").path(arc < 0 ? ~arc : arc)) {
                    x += step.path(0).asLong();
                    y += step.path(1).asLong();
                    double[] point = {
                        x * scale.path(0).asDouble() + translate.path(0).asDouble(),
                        y * scale.path(1).asDouble() + translate.path(1).asDouble()
                    };
                    stretch.add(arc < 0 ? 0 : stretch.size(), point);
                }
                // The first point of an arc is the last one of the arc before it.
                points.addAll(points.isEmpty() ? stretch : stretch.subList(1, stretch.size()));
            }
            return points.toArray(double[][]::new);
        }

        private static String text(double[][] ring) {
            List<String> points = new ArrayList<>();
            for (double[] point : ring) {
                points.add(String.format(Locale.ROOT, "%.3f,%.3f", point[0], point[1]));
            }
            return String.join(" ", points);
        }

        /** The country around a point, or the nearest one: at this scale many coasts lie inland of their airports. */
        private static String country(double[] point, Map<String, List<double[][]>> outlines) {
            String nearest = "";
            double least = Double.POSITIVE_INFINITY;
            for (Map.Entry<String, List<double[][]>> country : outlines.entrySet()) {
                boolean inside = false;
                for (double[][] ring : country.getValue()) {
                    inside ^= contains(ring, point);
                    for (double[] corner : ring) {
                        double distance = Math.hypot(corner[0] - point[0], corner[1] - point[1]);
                        if (distance < least) {
                            least = distance;
                            nearest = country.getKey();
                        }
                    }
                }
                if (inside) {
                    return country.getKey();
                }
            }
            return nearest;
        }

        private static boolean contains(double[][] ring, double[] point) {
            boolean inside = false;
            for (int i = 0, before = ring.length - 1; i < ring.length; before = i++) {
                boolean spans = ring[i][1] > point[1] != ring[before][1] > point[1];
                if (spans
                        && point[0]
                                < (ring[before][0] - ring[i][0])
                                                * (point[1] - ring[i][1])
                                                / (ring[before][1] - ring[i][1])
                                        + ring[i][0]) {
                    inside = !inside;
                }
            }
            return inside;
        }
    }
}
