package io.tidemark.core.flow;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow.Clause;
import java.util.ArrayList;
import java.util.List;

/** Checks of a change flow's clauses that need no schema: pairs of clauses that exclude each other, missing clauses. */
public final class AutoCdcRules {
    private AutoCdcRules() {}

    /** Returns all faults of a definition, in the order of the text as far as known; empty if there is none. */
    public static List<TidemarkException> check(AutoCdcFlow flow) {
        List<TidemarkException> faults = new ArrayList<>();
        checkKeys(flow, faults);
        checkStorage(flow, faults);
        checkPartial(flow, faults);
        checkSnapshot(flow, faults);
        return faults;
    }

    private static void checkKeys(AutoCdcFlow flow, List<TidemarkException> faults) {
        if (flow.keys().isEmpty()) {
            faults.add(fault(
                    ErrorCode.KEYS_MISSING,
                    flow.place(Clause.KEYS),
                    "flow " + flow.name() + " has no KEYS",
                    "name the columns that identify a row: KEYS (id)"));
        }
        if (flow.sequenceBy().sql().isBlank() && !flow.isSnapshot()) {
            faults.add(fault(
                    ErrorCode.SEQUENCE_MISSING,
                    flow.location(),
                    "flow " + flow.name() + " has no SEQUENCE BY",
                    "name the column or expression that orders the events of a key"));
        }
        for (int i = 0; i < flow.keys().size(); i++) {
            ColumnReference key = flow.keys().get(i);
            boolean twice = flow.keys().subList(0, i).stream()
                    .anyMatch(other -> other.name().equalsIgnoreCase(key.name()));
            if (twice) {
                faults.add(fault(
                        ErrorCode.DUPLICATE_NAME,
                        key.location(),
                        "key " + key.name() + " is named twice",
                        "name each key once"));
            }
            if (flow.columns().isPresent() && !flow.columns().get().selects(key.name())) {
                faults.add(fault(
                        ErrorCode.KEY_NOT_IN_COLUMNS,
                        flow.columns().get().location(),
                        "key " + key.name() + " is left out by COLUMNS",
                        "the target needs its keys: add " + key.name() + " to COLUMNS"));
            }
            boolean ignored = flow.ignoreNullUpdates().isPresent()
                    && flow.ignoreNullUpdates().get().mode() == ColumnSelection.Mode.INCLUDE
                    && flow.ignoreNullUpdates().get().names(key.name());
            if (ignored) {
                faults.add(fault(
                        ErrorCode.KEY_IN_IGNORE_NULL,
                        flow.ignoreNullUpdates().get().location(),
                        "key " + key.name() + " stands in the list of IGNORE NULL UPDATES",
                        "keys are never NULL: leave " + key.name() + " out of the list"));
            }
        }
    }

    private static void checkStorage(AutoCdcFlow flow, List<TidemarkException> faults) {
        if (flow.truncateWhen().isPresent() && flow.storedAs() != ScdType.SCD1) {
            faults.add(fault(
                    ErrorCode.TRUNCATE_UNSUPPORTED,
                    flow.place(Clause.TRUNCATE_WHEN),
                    "APPLY AS TRUNCATE WHEN is not possible with STORED AS "
                            + flow.storedAs().sql(),
                    "store the flow AS SCD TYPE 1, or remove the clause"));
        }
        if (flow.trackHistory().isPresent() && flow.storedAs() == ScdType.SCD1) {
            faults.add(fault(
                    ErrorCode.TRACK_HISTORY_UNSUPPORTED,
                    flow.trackHistory().get().location(),
                    "TRACK HISTORY ON is not possible with STORED AS SCD TYPE 1",
                    "store the flow AS SCD TYPE 2, or remove the clause"));
        }
        if (flow.storedAs() == ScdType.BITEMPORAL && flow.systemSequenceBy().isEmpty() && !flow.isSnapshot()) {
            faults.add(fault(
                    ErrorCode.SYSTEM_SEQUENCE_MISSING,
                    flow.place(Clause.STORED_AS),
                    "flow " + flow.name() + " is BITEMPORAL and has no SYSTEM SEQUENCE BY",
                    "name the column that says when each fact was known"));
        }
        if (flow.storedAs() != ScdType.BITEMPORAL && flow.systemSequenceBy().isPresent() && !flow.isSnapshot()) {
            faults.add(fault(
                    ErrorCode.SYSTEM_SEQUENCE_UNSUPPORTED,
                    flow.place(Clause.SYSTEM_SEQUENCE_BY),
                    "SYSTEM SEQUENCE BY needs STORED AS BITEMPORAL",
                    "store the flow AS BITEMPORAL, or remove the clause"));
        }
    }

    private static void checkPartial(AutoCdcFlow flow, List<TidemarkException> faults) {
        if (flow.columnsToUpdate().isEmpty()) {
            return;
        }
        TextLocation place = flow.place(Clause.COLUMNS_TO_UPDATE);
        if (flow.ignoreNullUpdates().isPresent()) {
            faults.add(fault(
                    ErrorCode.COLUMNS_TO_UPDATE_WITH_IGNORE_NULLS,
                    place,
                    "COLUMNS TO UPDATE and IGNORE NULL UPDATES exclude each other",
                    "keep one of the two clauses"));
        }
        if (flow.storedAs() == ScdType.BITEMPORAL) {
            faults.add(fault(
                    ErrorCode.COLUMNS_TO_UPDATE_UNSUPPORTED,
                    place,
                    "COLUMNS TO UPDATE is not possible with STORED AS BITEMPORAL",
                    "use IGNORE NULL UPDATES, or another storage type"));
        }
    }

    /** A snapshot says by itself what each event would say by a clause. */
    private static void checkSnapshot(AutoCdcFlow flow, List<TidemarkException> faults) {
        if (!flow.isSnapshot()) {
            return;
        }
        if (flow.once()) {
            faults.add(refused(flow, "ONCE", flow.location(), "leave it out: an unchanged source commits nothing"));
        }
        if (!flow.sequenceBy().sql().isBlank()) {
            faults.add(refused(
                    flow,
                    "SEQUENCE BY",
                    flow.place(Clause.SEQUENCE_BY),
                    "leave it out: the order is that of the versions, see WITH VERSION"));
        }
        if (flow.systemSequenceBy().isPresent()) {
            faults.add(refused(
                    flow,
                    "SYSTEM SEQUENCE BY",
                    flow.place(Clause.SYSTEM_SEQUENCE_BY),
                    "leave it out: a snapshot's version is its time on both axes"));
        }
        if (flow.deleteWhen().isPresent()) {
            faults.add(refused(
                    flow,
                    "APPLY AS DELETE WHEN",
                    flow.place(Clause.DELETE_WHEN),
                    "leave it out: keys that a snapshot does not have are deleted; filter rows in the query"));
        }
        if (flow.truncateWhen().isPresent()) {
            faults.add(refused(
                    flow,
                    "APPLY AS TRUNCATE WHEN",
                    flow.place(Clause.TRUNCATE_WHEN),
                    "leave it out: an empty snapshot deletes all rows"));
        }
        if (flow.columns().isPresent()) {
            faults.add(refused(
                    flow, "COLUMNS", flow.columns().get().location(), "select the columns in the snapshot's query"));
        }
        if (flow.isPartial()) {
            boolean ignoresNull = flow.ignoreNullUpdates().isPresent();
            faults.add(refused(
                    flow,
                    ignoresNull ? "IGNORE NULL UPDATES" : "COLUMNS TO UPDATE",
                    flow.place(ignoresNull ? Clause.IGNORE_NULL : Clause.COLUMNS_TO_UPDATE),
                    "leave it out: each row of a snapshot is whole"));
        }
    }

    private static TidemarkException refused(AutoCdcFlow flow, String clause, TextLocation place, String hint) {
        return fault(
                ErrorCode.SNAPSHOT_CLAUSE,
                place,
                clause + " is not possible with FROM SNAPSHOT, as flow " + flow.name() + " has it",
                hint);
    }

    private static TidemarkException fault(ErrorCode code, TextLocation place, String primary, String hint) {
        return TidemarkException.of(code, primary).at(place).hint(hint).build();
    }
}
