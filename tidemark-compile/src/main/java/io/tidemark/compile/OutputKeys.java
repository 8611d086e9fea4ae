package io.tidemark.compile;

import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.catalog.PartitionKey;
import java.util.Map;

/** Checks the keys that functions of a task make. */
final class OutputKeys {
    private final Task task;
    private final Map<String, LayerDefinition> layers;

    /** The layers of the output catalog. */
    OutputKeys(Task task, Map<String, LayerDefinition> layers) {
        this.task = task;
        this.layers = layers;
    }

    /**
     * Returns the key as text if the task may write it.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code UNDECLARED_OUTPUT}, {@code INVALID_PARTITION_NAME}
     */
    String check(PartitionKey key) {
        LayerDefinition layer = layers.get(key.layer());
        if (layer == null
                || !key.catalog().equals(PartitionKey.OUTPUT)
                || !task.outputs().contains(key.layer())) {
            throw Errors.undeclaredOutput(task.id(), key);
        }
        layer.checkName(key.partition());
        return Keys.outText(key);
    }
}
