package io.tidemark.pipeline.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The domain of one flow in its target: how far it has come. The position of a table source is a version; that of a file
 * source is the number of files in the processed set, which stands in the state.
 *
 * @param pipeline id of the pipeline that owns the flow
 * @param tableId id of the table that the entry belongs to
 * @param updates how many updates of the flow the table holds
 * @param onceText hash of the definition of a ONCE flow that has run; absent for others
 * @param positions positions of the sources, in the order of the query
 * @param snapshot the last snapshot, of flows that read snapshots
 */
public record FlowEntry(
        String pipeline,
        String tableId,
        long updates,
        Optional<String> onceText,
        List<Position> positions,
        Optional<LastSnapshot> snapshot) {
    /** Start of the names of these domains. */
    public static final String DOMAIN_PREFIX = "tidemark.flow.";

    private static final int FORMAT_VERSION = 1;

    /** Copies the list. */
    public FlowEntry {
        positions = List.copyOf(positions);
    }

    /** The entry of a flow that reads no snapshots. */
    public FlowEntry(
            String pipeline, String tableId, long updates, Optional<String> onceText, List<Position> positions) {
        this(pipeline, tableId, updates, onceText, positions, Optional.empty());
    }

    /** The domain's name of a flow. */
    public static String domain(String flow) {
        return DOMAIN_PREFIX + flow.toLowerCase(java.util.Locale.ROOT);
    }

    /** Reads the domain's configuration. */
    public static FlowEntry parse(String flow, String json) {
        String what = "domain " + domain(flow);
        JsonNode node = Json.parse(json, what);
        List<Position> positions = new ArrayList<>();
        if (node.get("positions") != null) {
            for (JsonNode position : node.get("positions")) {
                positions.add(new Position(
                        Json.text(position, "source", what),
                        Optional.ofNullable(position.get("sourceId")).map(JsonNode::asText),
                        position.path("at").asLong(),
                        Optional.ofNullable(position.get("commit")).map(JsonNode::asText)));
            }
        }
        return new FlowEntry(
                Json.text(node, "pipeline", what),
                Json.text(node, "tableId", what),
                node.path("updates").asLong(),
                Optional.ofNullable(node.get("onceText")).map(JsonNode::asText),
                positions,
                Optional.ofNullable(node.get("snapshot"))
                        .map(last -> new LastSnapshot(
                                Json.text(last, "type", what),
                                Json.text(last, "version", what),
                                Optional.ofNullable(last.get("sources")).map(JsonNode::asText))));
    }

    /** The domain's configuration. */
    public String json() {
        ObjectNode node = Json.object();
        node.put("formatVersion", FORMAT_VERSION);
        node.put("pipeline", pipeline);
        node.put("tableId", tableId);
        node.put("updates", updates);
        onceText.ifPresent(text -> node.put("onceText", text));
        ArrayNode array = node.putArray("positions");
        for (Position position : positions) {
            ObjectNode each = array.addObject();
            each.put("source", position.source());
            position.sourceId().ifPresent(id -> each.put("sourceId", id));
            each.put("at", position.at());
            position.commit().ifPresent(commit -> each.put("commit", commit));
        }
        snapshot.ifPresent(last -> {
            ObjectNode each = node.putObject("snapshot");
            each.put("type", last.type());
            each.put("version", last.version());
            last.sources().ifPresent(sources -> each.put("sources", sources));
        });
        return Json.write(node);
    }

    /** The position of a source, if the flow has read it before. */
    public Optional<Position> position(String source) {
        return positions.stream()
                .filter(position -> position.source().equals(source))
                .findFirst();
    }

    /**
     * The last snapshot that a flow applied.
     *
     * @param type type of the version in Spark SQL
     * @param version the version as text, see {@link io.tidemark.core.snapshot.SnapshotVersion}
     * @param sources fingerprint of the sources, if the version is only the time of the update
     */
    public record LastSnapshot(String type, String version, Optional<String> sources) {}

    /**
     * How far one source was read.
     *
     * @param source name of the source in the flow: {@code table:schema.name}, {@code changes:schema.name} or
     *     {@code files:path}
     * @param sourceId id of the table; absent for files
     * @param at last version read of a table, or number of files read
     * @param commit what tells the commit of that version from another one of the same number; absent for files and if
     *     the commit says nothing of itself
     */
    public record Position(String source, Optional<String> sourceId, long at, Optional<String> commit) {
        /** The position in files. */
        public static Position ofFiles(String source, long count) {
            return new Position(source, Optional.empty(), count, Optional.empty());
        }
    }
}
