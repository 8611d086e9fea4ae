package io.tidemark.pipeline.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the state of a target consists of at one commit. Immutable once written; a new update writes a new one that
 * shares the files of the old.
 *
 * @param id random id; also the file's name
 * @param tableId id of the table that it belongs to
 * @param truncation sequence of the newest truncate as text per leaf, if there was one
 * @param greatestForgotten greatest sequence of forgotten tombstones as text per leaf, if any was forgotten
 * @param remembered files of remembered events, oldest first; a newer one replaces what older ones say of its keys
 * @param processed per flow the files that list the source files it has read
 */
public record Manifest(
        String id,
        String tableId,
        Optional<List<String>> truncation,
        Optional<List<String>> greatestForgotten,
        List<StateFile> remembered,
        Map<String, List<StateFile>> processed) {
    private static final int FORMAT_VERSION = 1;

    /** Copies the lists. */
    public Manifest {
        remembered = List.copyOf(remembered);
    }

    /** A state in which nothing is remembered. */
    public static Manifest empty(String id, String tableId) {
        return new Manifest(id, tableId, Optional.empty(), Optional.empty(), List.of(), Map.of());
    }

    /** Reads a manifest. */
    static Manifest parse(String id, String json) {
        String what = "state manifest " + id;
        JsonNode node = Json.parse(json, what);
        int format = node.path("formatVersion").asInt();
        if (format != FORMAT_VERSION) {
            throw Json.corrupt(what + " (format " + format + ", which this release does not know)", null);
        }
        if (!id.equals(node.path("id").asText())) {
            throw Json.corrupt(what + " (it names itself " + node.path("id").asText() + ")", null);
        }
        Map<String, List<StateFile>> processed = new LinkedHashMap<>();
        JsonNode lists = node.path("processed");
        lists.fieldNames().forEachRemaining(flow -> processed.put(flow, files(lists.get(flow), what)));
        return new Manifest(
                id,
                Json.text(node, "tableId", what),
                Optional.ofNullable(node.get("truncation")).map(Json::texts),
                Optional.ofNullable(node.get("greatestForgotten")).map(Json::texts),
                files(node.path("remembered"), what),
                processed);
    }

    /** The manifest's text. */
    String json() {
        ObjectNode node = Json.object();
        node.put("formatVersion", FORMAT_VERSION);
        node.put("id", id);
        node.put("tableId", tableId);
        truncation.ifPresent(leaves -> node.set("truncation", Json.array(leaves)));
        greatestForgotten.ifPresent(leaves -> node.set("greatestForgotten", Json.array(leaves)));
        write(node.putArray("remembered"), remembered);
        ObjectNode lists = node.putObject("processed");
        processed.forEach((flow, files) -> write(lists.putArray(flow), files));
        return Json.write(node);
    }

    private static List<StateFile> files(JsonNode array, String what) {
        List<StateFile> files = new ArrayList<>();
        for (JsonNode file : array) {
            files.add(new StateFile(
                    Json.text(file, "path", what),
                    file.path("bytes").asLong(),
                    file.path("rows").asLong()));
        }
        return files;
    }

    private static void write(ArrayNode array, List<StateFile> files) {
        for (StateFile file : files) {
            array.addObject()
                    .put("path", file.path())
                    .put("bytes", file.sizeBytes())
                    .put("rows", file.rowCount());
        }
    }

    /**
     * A Parquet file of the state.
     *
     * @param path relative to the state folder
     * @param sizeBytes size
     * @param rowCount rows
     */
    public record StateFile(String path, long sizeBytes, long rowCount) {}
}
