package io.tidemark.core.change;

import io.tidemark.core.flow.ScdType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;

/**
 * Columns of state files. A state file holds, for each key that an update touched, all that the target's rows cannot
 * say about it; the newest file that names a key replaces what older files say of it. User columns stand behind a prefix
 * with their own names, so that columns may be added later.
 */
final class StateColumns {
    /** What a record is: {@link #UPSERT}, {@link #DELETE} or {@link #NOTHING}. */
    static final String KIND = "kind";
    /** A remembered upsert. */
    static final int UPSERT = 0;
    /** A remembered delete: a tombstone. */
    static final int DELETE = 1;
    /** The key has no remembered events any more. */
    static final int NOTHING = 9;
    /** Whether a delete at the same sequence came before this upsert, so that values do not carry over. */
    static final String RESET = "reset";
    /** When the event arrived, in microseconds since 1970-01-01 UTC. */
    static final String ARRIVED = "arrived";
    /** Bitemporal: the values of the event are those of the row that starts at the event's two times. */
    static final String IN_ROW = "in_row";

    private StateColumns() {}

    static StructType schema(ChangeSpec spec) {
        List<StructField> fields = new ArrayList<>();
        for (StructField key : spec.keys()) {
            fields.add(StructField.of(ChangeSpec.STATE_KEY + key.name(), key.type()));
        }
        add(fields, "s", spec.sequenceShape().leafTypes());
        if (spec.storedAs() == ScdType.SCD2) {
            add(fields, "r", spec.sequenceShape().leafTypes());
        }
        if (spec.storedAs() == ScdType.BITEMPORAL) {
            add(fields, "y", spec.systemShape().leafTypes());
            fields.add(StructField.of(IN_ROW, ScalarType.BOOLEAN));
        }
        fields.add(StructField.of(KIND, ScalarType.INTEGER));
        fields.add(StructField.of(RESET, ScalarType.BOOLEAN));
        fields.add(StructField.of(ARRIVED, ScalarType.LONG));
        if (holdsValues(spec)) {
            for (int column : spec.solidColumns()) {
                StructField field = spec.values().get(column);
                fields.add(StructField.of("v:" + field.name(), field.type()));
            }
        }
        for (ColumnUnit unit : spec.units()) {
            String label = unit.label(spec.values().get(unit.column()).name());
            if (spec.storedAs() != ScdType.SCD1) {
                fields.add(StructField.of("u:" + label, unit.type()));
            }
            fields.add(StructField.of("m:" + label, ScalarType.BOOLEAN));
        }
        return new StructType(fields);
    }

    /**
     * Whether remembered upserts carry values of their own; otherwise those of their row are the same: under SCD type 1
     * the row holds the value of each unit that an event decides.
     */
    static boolean holdsValues(ChangeSpec spec) {
        return switch (spec.storedAs()) {
            case SCD1 -> false;
            case SCD2 -> spec.isPartial() || !spec.tracksEverything();
            case BITEMPORAL -> true;
        };
    }

    private static void add(List<StructField> fields, String prefix, List<DataType> types) {
        for (int i = 0; i < types.size(); i++) {
            fields.add(StructField.of(prefix + i, types.get(i)));
        }
    }
}
