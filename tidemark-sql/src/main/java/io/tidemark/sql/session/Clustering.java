package io.tidemark.sql.session;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.delta.Snapshot;
import java.util.ArrayList;
import java.util.List;

/** The clustering columns of a table. */
final class Clustering {
    private static final String DOMAIN = "delta.clustering";

    private Clustering() {}

    /** The names of the columns by which files are sorted; nested ones are left out. */
    static List<String> columns(Snapshot table) {
        List<String> columns = new ArrayList<>();
        table.domain(DOMAIN).ifPresent(json -> {
            JsonNode paths = Texts.parse(json, "domain " + DOMAIN).path("clusteringColumns");
            for (JsonNode path : paths) {
                if (path.size() == 1) {
                    table.schema().field(path.get(0).asText()).ifPresent(field -> columns.add(field.name()));
                }
            }
        });
        return columns;
    }
}
