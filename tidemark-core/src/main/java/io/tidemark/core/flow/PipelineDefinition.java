package io.tidemark.core.flow;

import java.util.List;
import java.util.Map;

/**
 * Everything that the files of one pipeline define, in the order of the text. The SQL parser and the Java API both
 * build it.
 *
 * @param datasets tables and views
 * @param flows flows into tables; a materialized view's query is not among them
 * @param settings what {@code SET k = v} set
 */
public record PipelineDefinition(
        List<DatasetDefinition> datasets, List<FlowDefinition> flows, Map<String, String> settings) {
    /** Copies the collections. */
    public PipelineDefinition {
        datasets = List.copyOf(datasets);
        flows = List.copyOf(flows);
        settings = Map.copyOf(settings);
    }
}
