package io.tidemark.pipeline.update;

import io.tidemark.core.change.ChangeSpec;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.Faults;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.AutoCdcFlow.Clause;
import io.tidemark.core.flow.TableName;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Flows into one target must mean the same history. */
final class FlowAgreement {
    private FlowAgreement() {}

    /**
     * Checks that all flows agree in keys, storage type, sequence type and tracked columns.
     *
     * @throws TidemarkException {@code FLOWS_DISAGREE} naming both flows, for all parts and flows together
     */
    static void check(TableName table, List<ChangeFlowRun> runs) {
        Faults faults = new Faults();
        for (int i = 1; i < runs.size(); i++) {
            compare(table, runs.get(0), runs.get(i), faults);
        }
        faults.throwAny();
    }

    private static void compare(TableName table, ChangeFlowRun first, ChangeFlowRun other, Faults faults) {
        Map<String, String> known = first.spec().fingerprint();
        Map<String, String> said = other.spec().fingerprint();
        for (String part : known.keySet()) {
            boolean equal = Objects.equals(known.get(part), said.get(part));
            // Without the same storage type the other parts are not comparable.
            boolean comparable = said.containsKey(part);
            if (!equal && comparable) {
                faults.add(TidemarkException.of(
                                ErrorCode.FLOWS_DISAGREE,
                                "flows " + first.flow().name() + " and "
                                        + other.flow().name() + " into table " + table + " disagree in " + words(part)
                                        + ": " + known.get(part) + " and " + said.get(part))
                        .at(place(other.flow(), part))
                        .detail("Flow " + first.flow().name() + " says it at " + place(first.flow(), part) + ".")
                        .hint(
                                "flows into one target need the same keys, storage type, sequence type and tracked columns")
                        .build());
            }
        }
    }

    /**
     * Checks that a flow still is what earlier updates of its target were.
     *
     * @throws TidemarkException {@code FLOW_CHANGED}
     */
    static void checkUnchanged(AutoCdcFlow flow, ChangeSpec spec, TargetState state) {
        Map<String, String> stored = state.entry().fingerprint();
        Optional<String> differing = stored.isEmpty()
                ? Optional.empty()
                : spec.differsFrom(stored, state.snapshot().schema());
        if (differing.isEmpty()) {
            return;
        }
        String part = differing.get();
        throw TidemarkException.of(
                        ErrorCode.FLOW_CHANGED,
                        "flow " + flow.name() + " no longer fits table " + flow.target() + ": "
                                + words(part) + " was "
                                + stored.getOrDefault(part, "not there") + " and is "
                                + spec.fingerprint().getOrDefault(part, "not there"))
                .at(place(flow, part))
                .hint("undo the change, or rebuild the table with --full-refresh=" + flow.target())
                .build();
    }

    /** The clause that a part of a fingerprint comes from. */
    static TextLocation place(AutoCdcFlow flow, String part) {
        return switch (part) {
            case "keys" -> flow.place(Clause.KEYS);
            case "storedAs" -> flow.place(Clause.STORED_AS);
            case "sequence" -> flow.place(Clause.SEQUENCE_BY);
            case "systemSequence" -> flow.place(Clause.SYSTEM_SEQUENCE_BY);
            case "tracked" -> flow.place(Clause.TRACK_HISTORY);
            default -> flow.location();
        };
    }

    /** A part of a fingerprint as a reader calls it. */
    static String words(String part) {
        return switch (part) {
            case "storedAs" -> "storage type";
            case "sequence" -> "type of SEQUENCE BY";
            case "systemSequence" -> "type of SYSTEM SEQUENCE BY";
            case "tracked" -> "tracked columns";
            default -> part;
        };
    }
}
