package io.tidemark.delta;

import io.tidemark.delta.log.JsonValues;
import io.tidemark.delta.storage.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the state of flow targets and catalogs lies and how a version pins it: the convention that writers of state and
 * VACUUM share.
 * A commit names a manifest in the domain {@value #DOMAIN}; the manifest is a JSON file of the state folder that names
 * the other files.
 */
public final class PinnedState {
    /** Name of the domain that pins a manifest. */
    public static final String DOMAIN = "tidemark.target";
    /** Table property that places the state elsewhere. */
    public static final String LOCATION_PROPERTY = "tidemark.stateLocation";
    /** Field of the domain's configuration with the manifest's id. */
    public static final String MANIFEST_FIELD = "manifest";

    private static final String DEFAULT_FOLDER = "_tidemark";
    private static final String MANIFEST_SUFFIX = ".json";

    private PinnedState() {}

    /** The state folder of a table, which need not exist. */
    public static String folder(Storage storage, Snapshot table) {
        String elsewhere = table.properties().get(LOCATION_PROPERTY);
        return elsewhere == null
                ? storage.child(storage.child(table.location(), DEFAULT_FOLDER), "state")
                : storage.canonical(elsewhere);
    }

    /** The name of a manifest's file. */
    public static String manifestFile(String id) {
        return id + MANIFEST_SUFFIX;
    }

    /** Whether a file of a state folder is a manifest, by its name. */
    public static boolean isManifest(String name) {
        return name.endsWith(MANIFEST_SUFFIX);
    }

    /** The name of the file of the manifest that a domain's configuration pins. */
    public static Optional<String> manifestName(String configuration) {
        try {
            return JsonValues.parseObject(configuration).get(MANIFEST_FIELD) instanceof String id
                    ? Optional.of(manifestFile(id))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Reads which files a manifest names; nothing if it is no manifest. */
    public static Optional<Manifest> read(Storage storage, String path) {
        try {
            Map<String, ?> json = JsonValues.parseObject(new String(storage.read(path), StandardCharsets.UTF_8));
            List<String> files = new ArrayList<>();
            collectPaths(json.get("remembered"), files);
            for (String field : List.of("processed", "relations")) {
                if (json.get(field) instanceof Map<?, ?> lists) {
                    lists.values().forEach(list -> collectPaths(list, files));
                }
            }
            return json.get("tableId") instanceof String id ? Optional.of(new Manifest(id, files)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static void collectPaths(@Nullable Object list, List<String> files) {
        if (list instanceof List<?> entries) {
            for (Object entry : entries) {
                if (entry instanceof Map<?, ?> map && map.get("path") instanceof String path) {
                    files.add(path);
                }
            }
        }
    }

    /**
     * What a manifest names.
     *
     * @param tableId id of the table that it belongs to
     * @param files names of files in the state folder
     */
    public record Manifest(String tableId, List<String> files) {
        /** Copies the list. */
        public Manifest {
            files = List.copyOf(files);
        }
    }
}
