package io.tidemark.compile;

import io.tidemark.compile.catalog.Candidates;
import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.Digest;
import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.compile.catalog.PartitionMeta;
import io.tidemark.compile.work.Relations;
import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The input catalogs of a run as relations of the engine. Each is asked once, for the layers that all tasks need
 * together. What tasks of this run have made already is laid over the output's base version.
 */
final class RunInputs {
    /** What is known of a partition, behind its key as text. */
    static final List<String> META_COLUMNS =
            List.of("layer", "partition", "version", "digest", "checksum", "size", "crc32c", "handle");

    /** The columns of {@link #payloads}, behind the key. */
    static final List<String> PAYLOAD_COLUMNS =
            List.of("version", "digest", "checksum", "size", "crc32c", "handle", "payload");

    private static final StructType CHANGES = StructType.of(
            StructField.of("k", ScalarType.STRING),
            StructField.of("layer", ScalarType.STRING),
            StructField.of("kind", ScalarType.STRING));

    private final Relations relations;
    private final Map<String, Source> sources;
    private final Map<String, Set<String>> layers = new LinkedHashMap<>();
    private final Map<String, String> metas = new HashMap<>();
    private final Map<String, String> changes = new HashMap<>();
    private final List<RunReport.InputQuery> queries = new ArrayList<>();
    /** Differences to the base that tasks of this run have made, by output layer. */
    private final Map<String, String> made = new LinkedHashMap<>();

    /**
     * A catalog as an input.
     *
     * @param id id under which programs know it
     * @param version the version that is read
     * @param since the version that the output was made from; null if that is not known or plays no part
     */
    record Source(
            String id,
            Catalog catalog,
            CatalogVersion version,
            @Nullable CatalogVersion since) {}

    RunInputs(Relations relations, Map<String, Source> sources, List<Task> tasks) {
        this.relations = relations;
        this.sources = sources;
        for (Task task : tasks) {
            task.inputLayers()
                    .forEach((catalog, names) -> layers.computeIfAbsent(catalog, id -> new LinkedHashSet<>())
                            .addAll(names));
        }
    }

    /** What was asked of the catalogs, in order. */
    List<RunReport.InputQuery> queries() {
        return queries;
    }

    Source source(String id) {
        Source source = sources.get(id);
        if (source == null) {
            throw new IllegalStateException("no catalog " + id);
        }
        return source;
    }

    /** All partitions of a catalog's layers that tasks need: {@code k} and {@link #META_COLUMNS}. */
    String meta(String id) {
        return metas.computeIfAbsent(id, this::registerMeta);
    }

    private String registerMeta(String id) {
        Source source = source(id);
        Set<String> wanted = layers.getOrDefault(id, Set.of());
        String raw = relations.fresh("meta_" + id.replaceAll("[^A-Za-z0-9]", "_"));
        source.catalog().registerMeta(relations.engine(), raw, source.version(), wanted);
        queries.add(new RunReport.InputQuery(id, RunReport.InputQuery.Kind.PARTITIONS, List.copyOf(wanted)));
        String base = relations.adopt(raw, Catalog.relations(raw));
        String columns = String.join(", ", META_COLUMNS);
        String sql = "SELECT " + Keys.sql(string(id + "/")) + " AS k, " + columns + " FROM "
                + (id.equals(PartitionKey.OUTPUT) ? overlaid(base, META_COLUMNS) : base);
        return relations.view("partitions", sql);
    }

    /** Rows of the base version without those that tasks have changed, and with what they have made. */
    private String overlaid(String base, List<String> columns) {
        if (made.isEmpty()) {
            return base;
        }
        String changed = made.values().stream()
                .map(diff -> "SELECT layer, partition, 1 AS changed FROM " + diff)
                .collect(Collectors.joining(" UNION ALL "));
        List<String> parts = new ArrayList<>();
        parts.add("SELECT " + String.join(", ", columns) + " FROM (SELECT b.*, c.changed FROM " + base
                + " b LEFT JOIN (" + changed + ") c USING (layer, partition)) o WHERE changed IS NULL");
        made.forEach((layer, diff) -> {
            Source output = source(PartitionKey.OUTPUT);
            Digest digest = Objects.requireNonNull(output.version().layers().get(layer), layer)
                    .digest();
            String values = columns.stream()
                    .map(column -> switch (column) {
                        case "version" -> (output.version().number() + 1) + " AS version";
                        case "digest" -> string(digest.algorithm()) + " AS digest";
                        default -> column;
                    })
                    .collect(Collectors.joining(", "));
            parts.add("SELECT " + values + " FROM " + diff + " WHERE size IS NOT NULL");
        });
        return "(" + String.join(" UNION ALL ", parts) + ") m";
    }

    /** The net changes of a catalog's layers that tasks need: {@code k}, {@code layer} and {@code kind}. */
    String changes(String id) {
        return changes.computeIfAbsent(id, this::registerChanges);
    }

    private String registerChanges(String id) {
        if (id.equals(PartitionKey.OUTPUT)) {
            return relations.view("changes_output", madeChanges());
        }
        Source source = source(id);
        CatalogVersion since = source.since();
        if (since == null || since.number() == source.version().number()) {
            return relations.empty("changes", CHANGES);
        }
        Set<String> wanted = layers.getOrDefault(id, Set.of());
        String raw = relations.fresh("changes_" + id.replaceAll("[^A-Za-z0-9]", "_"));
        source.catalog().registerChanges(relations.engine(), raw, since, source.version(), wanted);
        queries.add(new RunReport.InputQuery(id, RunReport.InputQuery.Kind.CHANGES, List.copyOf(wanted)));
        String base = relations.adopt(raw, Catalog.relations(raw));
        return relations.view("changes", "SELECT " + Keys.sql(string(id + "/")) + " AS k, layer, kind FROM " + base);
    }

    private String madeChanges() {
        if (made.isEmpty()) {
            return dialect().emptySelect(CHANGES);
        }
        return made.values().stream()
                .map(diff ->
                        "SELECT " + Keys.sql(string(PartitionKey.OUTPUT + "/")) + " AS k, layer, kind FROM " + diff)
                .collect(Collectors.joining(" UNION ALL "));
    }

    /**
     * Lays what a task has made over the base, for the tasks that come after it.
     *
     * @param difference {@link Candidates#COLUMNS} and {@code kind}
     */
    void made(String layer, String difference) {
        made.put(layer, difference);
        metas.remove(PartitionKey.OUTPUT);
        changes.remove(PartitionKey.OUTPUT);
    }

    /** The keys of some input layers that are published: {@code k}. */
    String keys(Map<String, Set<String>> wanted) {
        return wanted.entrySet().stream()
                .map(entry -> "SELECT k FROM " + meta(entry.getKey()) + " WHERE layer IN ("
                        + entry.getValue().stream().map(this::string).collect(Collectors.joining(", ")) + ")")
                .collect(Collectors.joining(" UNION ALL "));
    }

    /** The net changes of some input layers: {@code k} and {@code kind}. */
    String changedKeys(Map<String, Set<String>> wanted) {
        return wanted.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(Task.PREVIOUS))
                .map(entry -> "SELECT k, kind FROM " + changes(entry.getKey()) + " WHERE layer IN ("
                        + entry.getValue().stream().map(this::string).collect(Collectors.joining(", ")) + ")")
                .reduce((left, right) -> left + " UNION ALL " + right)
                .orElseGet(() -> "SELECT k, kind FROM (" + dialect().emptySelect(CHANGES) + ") e");
    }

    /**
     * The published partitions among some keys with their payloads: {@code k} and {@link #PAYLOAD_COLUMNS}.
     *
     * @param wanted relation with a column {@code target} of keys
     * @param most whether most partitions are wanted; else their places are looked up first
     */
    String payloads(String wanted, boolean most) {
        List<String> parts = new ArrayList<>();
        for (String id : layers.keySet()) {
            String prefix = string(id + "/");
            String payloads = most ? allPayloads(id) : payloadsOf(id, keys(id, wanted));
            parts.add("SELECT " + Keys.sql(prefix) + " AS k, " + String.join(", ", PAYLOAD_COLUMNS) + " FROM "
                    + payloads);
        }
        return "(" + String.join(" UNION ALL ", parts) + ")";
    }

    /**
     * As {@link #payloads}, for keys all of which have changed; there may be rows of others.
     *
     * @param wanted relation with a column {@code target} of keys
     * @param count about how many keys there are
     */
    String payloadsOfChanged(String wanted, long count) {
        List<String> parts = new ArrayList<>();
        for (String id : layers.keySet()) {
            Source source = source(id);
            CatalogVersion since = source.since();
            String payloads = since == null || since.isEmpty() || id.equals(PartitionKey.OUTPUT)
                    ? payloadsOf(id, keys(id, wanted))
                    : payloadsSince(source, since, keys(id, wanted), count);
            parts.add("SELECT " + Keys.sql(string(id + "/")) + " AS k, " + String.join(", ", PAYLOAD_COLUMNS) + " FROM "
                    + payloads);
        }
        return "(" + String.join(" UNION ALL ", parts) + ")";
    }

    private String payloadsSince(Source source, CatalogVersion since, String keys, long count) {
        String raw = relations.fresh("payloads_since");
        source.catalog().registerPayloadsSince(relations.engine(), raw, source.version(), since, keys, count);
        return relations.adopt(raw, Catalog.relations(raw));
    }

    /** All partitions of the layers that tasks need, with payloads: {@code k, layer} and {@link #PAYLOAD_COLUMNS}. */
    String payloadsOf(String id) {
        return relations.view(
                "payloads",
                "SELECT " + Keys.sql(string(id + "/")) + " AS k, layer, " + String.join(", ", PAYLOAD_COLUMNS)
                        + " FROM " + allPayloads(id));
    }

    /** The name of a relation of the layers and names of those keys that are of one catalog. */
    private String keys(String id, String wanted) {
        int length = id.length() + 1;
        String name = relations.fresh("keys");
        relations
                .engine()
                .createView(
                        name,
                        "SELECT DISTINCT substr(r, 1, instr(r, '/') - 1) AS layer, substr(r, instr(r, '/') + 1)"
                                + " AS partition FROM (SELECT substr(target, " + (length + 1) + ") AS r FROM " + wanted
                                + " WHERE substr(target, 1, " + length + ") = " + string(id + "/") + ") t");
        relations.adopt(name);
        return name;
    }

    private String allPayloads(String id) {
        Source source = source(id);
        String raw = relations.fresh("all_payloads");
        source.catalog().registerPayloads(relations.engine(), raw, source.version(), layers.getOrDefault(id, Set.of()));
        String base = relations.adopt(raw, Catalog.relations(raw));
        return id.equals(PartitionKey.OUTPUT) ? overlaid(base, columnsOfPayloads()) : base;
    }

    private static List<String> columnsOfPayloads() {
        List<String> columns = new ArrayList<>(List.of("layer", "partition"));
        columns.addAll(PAYLOAD_COLUMNS);
        return columns;
    }

    private String payloadsOf(String id, String keys) {
        Source source = source(id);
        String raw = relations.fresh("payloads_of");
        source.catalog().registerPayloadsOf(relations.engine(), raw, source.version(), keys);
        String base = relations.adopt(raw, Catalog.relations(raw));
        if (!id.equals(PartitionKey.OUTPUT) || made.isEmpty()) {
            return base;
        }
        String all = overlaid(base, columnsOfPayloads());
        return "(SELECT m.* FROM " + all + " JOIN " + relations.reference(keys) + " w USING (layer, partition)) p";
    }

    /**
     * The payload of a row.
     *
     * @param values the values of {@link #PAYLOAD_COLUMNS}; the first is null if the partition is not published
     */
    Optional<Payload> payload(PartitionKey key, List<@Nullable Object> values) {
        if (values.get(0) == null) {
            return Optional.empty();
        }
        PartitionMeta meta = new PartitionMeta(
                key.layer(),
                key.partition(),
                number(values.get(0)),
                Digest.of(String.valueOf(values.get(1))),
                String.valueOf(values.get(2)),
                number(values.get(3)),
                number(values.get(4)),
                (String) values.get(5));
        byte[] inline = (byte[]) values.get(6);
        Catalog catalog = source(key.catalog()).catalog();
        return Optional.of(Payload.of(() -> catalog.payload(meta, inline)));
    }

    private static long number(@Nullable Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }

    private String string(String text) {
        return dialect().string(text);
    }

    private Dialect dialect() {
        return relations.engine().dialect();
    }
}
