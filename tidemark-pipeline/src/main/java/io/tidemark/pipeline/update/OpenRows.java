package io.tidemark.pipeline.update;

import io.tidemark.core.change.ChangeSpec;
import io.tidemark.core.change.ReservedColumns;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.snapshot.SnapshotVersion;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.skipping.FileCondition;
import io.tidemark.delta.skipping.FileCondition.Comparison;
import io.tidemark.delta.skipping.FileCondition.NullTest;
import io.tidemark.delta.skipping.FileCondition.Operator;
import io.tidemark.delta.skipping.FileCondition.Or;
import io.tidemark.delta.skipping.FileFilter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** Which files of a target may have rows that have not ended before the version of a snapshot. */
final class OpenRows {
    private OpenRows() {}

    /** The files of a target that a snapshot must be compared with; history that has ended is skipped. */
    static List<DataFile> files(Snapshot target, ChangeSpec spec, SnapshotVersion version) {
        List<FileCondition> conditions = new ArrayList<>();
        if (spec.storedAs() != ScdType.SCD1) {
            conditions.add(hasNotEnded(ReservedColumns.END_AT, version));
        }
        if (spec.storedAs() == ScdType.BITEMPORAL) {
            conditions.add(hasNotEnded(ReservedColumns.SYSTEM_END_AT, version));
        }
        FileFilter filter = target.filter(new FileCondition.And(conditions));
        return target.files().stream().filter(file -> filter.test(file.add())).toList();
    }

    private static FileCondition hasNotEnded(String end, SnapshotVersion version) {
        Object value = version.value();
        boolean plainNumber = value instanceof Number && !(value instanceof Float) && !(value instanceof Double);
        FileCondition later = value instanceof Float || value instanceof Double
                ? new FileCondition.Unknown()
                : new Comparison(
                        end, Operator.GREATER_OR_EQUAL, plainNumber ? new BigDecimal(value.toString()) : value);
        return new Or(List.of(new NullTest(end, true), later));
    }
}
