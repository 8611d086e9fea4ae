package io.tidemark.sql.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which value goes into which column of a table, and whether it may.
 *
 * @param sources for each column of the table the number of the input's column, null for NULL
 * @param assignments for each column of the table how its value may be stored
 */
record StoredValues(List<@Nullable Integer> sources, List<StoreAssignment> assignments) {
    /**
     * Checks the types.
     *
     * @param table the table's columns
     * @param sources for each of them the number of its source, null for none
     * @param input the columns of the input
     * @param places for each column of the table where its value stands
     * @throws TidemarkException with {@link ErrorCode#SCHEMA_MISMATCH} if a value of the type cannot be stored
     */
    static StoredValues of(
            StructType table,
            List<? extends @Nullable Integer> sources,
            List<StructField> input,
            List<TextLocation> places) {
        List<@Nullable Integer> known = new ArrayList<>();
        List<StoreAssignment> assignments = new ArrayList<>();
        for (int i = 0; i < table.fields().size(); i++) {
            Integer number = sources.get(i);
            if (number == null || input.get(number).type() == ScalarType.VOID) {
                known.add(null);
                assignments.add(StoreAssignment.SAFE);
                continue;
            }
            StructField target = table.fields().get(i);
            StructField from = input.get(number);
            StoreAssignment assignment = StoreAssignment.of(from.type(), target.type());
            if (assignment == StoreAssignment.REFUSED) {
                throw TidemarkException.of(
                                ErrorCode.SCHEMA_MISMATCH,
                                "a value of type " + from.type().sql() + " cannot be stored in column " + target.name()
                                        + " of type " + target.type().sql())
                        .at(places.get(i))
                        .hint("write a CAST in the query if the conversion is meant")
                        .build();
            }
            known.add(number);
            assignments.add(assignment);
        }
        return new StoredValues(known, assignments);
    }

    /** Whether values must be looked at before they are stored. */
    boolean needsCheck() {
        return assignments.contains(StoreAssignment.CHECKED);
    }
}
