package io.tidemark.compile;

import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.PublishMode;
import io.tidemark.compile.work.Relations;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the candidates of a task change in its output layers, before they are published.
 *
 * @param relation the columns of {@link io.tidemark.compile.catalog.Candidates} and {@code kind}: added, changed, deleted
 */
record Difference(String relation) {
    /** Compares the candidates of a task with the base version. */
    static Difference of(
            Relations relations, Catalog output, CatalogVersion base, Task task, String candidates, boolean snapshot) {
        String name = relations.fresh("task_candidates");
        relations.engine().createView(name, "SELECT * FROM " + candidates);
        relations.adopt(name);
        Map<String, PublishMode> modes = new LinkedHashMap<>();
        task.outputs().forEach(layer -> modes.put(layer, snapshot ? PublishMode.SNAPSHOT : PublishMode.INCREMENTAL));
        String difference = relations.fresh("difference");
        output.publish(base).candidates(name, modes).registerDifferences(relations.engine(), difference);
        return new Difference(relations.adopt(difference, Catalog.relations(difference)));
    }

    /** The rows of one layer. */
    String ofLayer(Relations relations, String layer) {
        return relations.view(
                "difference_of",
                "SELECT * FROM " + relation + " WHERE layer = "
                        + relations.engine().dialect().string(layer));
    }
}
