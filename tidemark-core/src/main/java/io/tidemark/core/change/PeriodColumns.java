package io.tidemark.core.change;

import io.tidemark.core.flow.ScdType;
import java.util.ArrayList;
import java.util.List;

/**
 * The periods of a history: names of their leaves in plans, and how the target's reserved columns are taken apart into
 * leaves and put together again. What a storage type does not have is empty.
 */
final class PeriodColumns {
    /** Leaves of START, END, SYSTEM_START and SYSTEM_END. */
    final List<String> starts;

    final List<String> ends;
    final List<String> systemStarts;
    final List<String> systemEnds;
    /** Leaves of an event's system time. */
    final List<String> system;

    private final PlanContext context;
    private final boolean hasHistory;
    private final boolean isBitemporal;

    PeriodColumns(PlanContext context) {
        this.context = context;
        ScdType storedAs = context.spec.storedAs();
        this.hasHistory = storedAs != ScdType.SCD1;
        this.isBitemporal = storedAs == ScdType.BITEMPORAL;
        int leaves = hasHistory ? context.sequence.size() : 0;
        int systemLeaves = isBitemporal ? context.spec.systemShape().leafCount() : 0;
        this.starts = Sql.numbered("st", leaves);
        this.ends = Sql.numbered("en", leaves);
        this.systemStarts = Sql.numbered("ys", systemLeaves);
        this.systemEnds = Sql.numbered("ye", systemLeaves);
        this.system = Sql.numbered("y", systemLeaves);
    }

    /** Expressions over a target row {@code t}, under the names of the leaves. */
    List<String> ofTarget() {
        List<String> leaves = new ArrayList<>();
        if (hasHistory) {
            leaves.addAll(context.reservedLeaves(ReservedColumns.START_AT, context.spec.sequenceShape(), "st"));
            leaves.addAll(context.reservedLeaves(ReservedColumns.END_AT, context.spec.sequenceShape(), "en"));
        }
        if (isBitemporal) {
            leaves.addAll(context.reservedLeaves(ReservedColumns.SYSTEM_START_AT, context.spec.systemShape(), "ys"));
            leaves.addAll(context.reservedLeaves(ReservedColumns.SYSTEM_END_AT, context.spec.systemShape(), "ye"));
        }
        return leaves;
    }

    /** The target's reserved columns from leaves of an alias {@code q}. */
    List<String> toTarget() {
        List<String> columns = new ArrayList<>();
        if (hasHistory) {
            columns.add(context.reservedColumn(ReservedColumns.START_AT, context.spec.sequenceShape(), "st"));
            columns.add(context.reservedColumn(ReservedColumns.END_AT, context.spec.sequenceShape(), "en"));
        }
        if (isBitemporal) {
            columns.add(context.reservedColumn(ReservedColumns.SYSTEM_START_AT, context.spec.systemShape(), "ys"));
            columns.add(context.reservedColumn(ReservedColumns.SYSTEM_END_AT, context.spec.systemShape(), "ye"));
        }
        return columns;
    }
}
