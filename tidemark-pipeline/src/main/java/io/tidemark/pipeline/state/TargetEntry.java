package io.tidemark.pipeline.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidemark.delta.PinnedState;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The domain {@value #DOMAIN} of a target: which manifest its rows belong to. Each commit of a flow pins one, so that
 * two flows that commit at once conflict here.
 *
 * @param tableId id of the table that the state belongs to; differs in a clone
 * @param manifest id of the pinned manifest; absent while the table never saw an update
 * @param storedAs spelling of the storage type; absent for tables that no change flow writes
 * @param keyColumns names of the keys of change flows
 * @param fingerprint what must not change without a full refresh
 */
public record TargetEntry(
        Optional<String> tableId,
        Optional<String> manifest,
        Optional<String> storedAs,
        List<String> keyColumns,
        Map<String, String> fingerprint) {
    /** Name of the domain. */
    public static final String DOMAIN = PinnedState.DOMAIN;

    private static final int FORMAT_VERSION = 1;

    /** Copies the collections. */
    public TargetEntry {
        keyColumns = List.copyOf(keyColumns);
        fingerprint = Map.copyOf(fingerprint);
    }

    /** Reads the domain's configuration. */
    public static TargetEntry parse(String json) {
        JsonNode node = Json.parse(json, "domain " + DOMAIN);
        return new TargetEntry(
                Optional.ofNullable(node.get("tableId")).map(JsonNode::asText),
                Optional.ofNullable(node.get(PinnedState.MANIFEST_FIELD)).map(JsonNode::asText),
                Optional.ofNullable(node.get("storedAs")).map(JsonNode::asText),
                Json.texts(node.get("keyColumns")),
                Json.textMap(node.get("fingerprint")));
    }

    /** The domain's configuration. */
    public String json() {
        ObjectNode node = Json.object();
        node.put("formatVersion", FORMAT_VERSION);
        tableId.ifPresent(id -> node.put("tableId", id));
        manifest.ifPresent(id -> node.put(PinnedState.MANIFEST_FIELD, id));
        storedAs.ifPresent(type -> node.put("storedAs", type));
        if (!keyColumns.isEmpty()) {
            node.set("keyColumns", Json.array(keyColumns));
        }
        if (!fingerprint.isEmpty()) {
            node.set("fingerprint", Json.map(new java.util.TreeMap<>(fingerprint)));
        }
        return Json.write(node);
    }
}
