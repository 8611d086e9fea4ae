package io.tidemark.pipeline.update;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Flows into one target must mean the same history. */
final class FlowAgreement {
    private FlowAgreement() {}

    /**
     * Checks that all flows agree in keys, storage type, sequence type and tracked columns.
     *
     * @throws TidemarkException {@code FLOWS_DISAGREE} naming both flows
     */
    static void check(TableName table, List<ChangeFlowRun> runs) {
        for (int i = 1; i < runs.size(); i++) {
            Map<String, String> first = runs.get(0).spec().fingerprint();
            Map<String, String> other = runs.get(i).spec().fingerprint();
            for (String part : first.keySet()) {
                if (!Objects.equals(first.get(part), other.get(part))) {
                    throw TidemarkException.of(
                                    ErrorCode.FLOWS_DISAGREE,
                                    "flows " + runs.get(0).flow().name() + " and "
                                            + runs.get(i).flow().name() + " into table " + table + " disagree in "
                                            + part + ": " + first.get(part) + " and " + other.get(part))
                            .at(runs.get(i).flow().location())
                            .detail("Flow " + runs.get(0).flow().name() + " is defined at "
                                    + runs.get(0).flow().location() + ".")
                            .hint(
                                    "flows into one target need the same keys, storage type, sequence type and tracked columns")
                            .build();
                }
            }
        }
    }
}
