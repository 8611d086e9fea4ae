package io.tidemark.compile;

import io.tidemark.compile.catalog.Candidates;
import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.compile.catalog.StagedPayload;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows of a back end's result: candidates for publishing, and recipes of what they were made from. */
final class CandidateRows {
    /** The columns: {@code out} and {@code recipe} of a recipe, or those of a candidate. */
    static final StructType COLUMNS = columns();

    private final TaskContext context;
    private final OutputKeys outputKeys;

    CandidateRows(TaskContext context) {
        this.context = context;
        this.outputKeys = context.outputKeys();
    }

    private static StructType columns() {
        List<StructField> fields = new ArrayList<>();
        fields.add(StructField.of("out", ScalarType.STRING));
        fields.add(StructField.of("recipe", ScalarType.BINARY));
        fields.addAll(Candidates.COLUMNS.fields());
        return new StructType(fields);
    }

    /** The candidates among the rows of a result. */
    static String candidates(String result) {
        return "SELECT " + String.join(", ", Candidates.COLUMNS.names()) + " FROM " + result
                + " WHERE layer IS NOT NULL";
    }

    /** The recipes among the rows of a result: {@code out} and {@code recipe}. */
    static String recipes(String result) {
        return "SELECT out, recipe FROM " + result + " WHERE recipe IS NOT NULL";
    }

    /** A row that says what an output was made from. */
    static List<@Nullable Object> recipe(String out, byte[] recipe) {
        List<@Nullable Object> row = new ArrayList<>();
        row.add(out);
        row.add(recipe);
        row.addAll(Collections.nCopies(Candidates.COLUMNS.fields().size(), null));
        return row;
    }

    /** A row for publishing a partition, or for taking it away. */
    List<@Nullable Object> candidate(String out, PartitionKey partition, @Nullable StagedPayload payload) {
        outputKeys.check(partition);
        List<@Nullable Object> row = new ArrayList<>();
        row.add(out);
        row.add(null);
        row.addAll(Candidates.row(partition.layer(), partition.partition(), payload));
        return row;
    }

    /** Makes a payload ready; null if there is none. */
    @Nullable
    StagedPayload stage(PartitionKey partition, Optional<Payload> payload) throws IOException {
        outputKeys.check(partition);
        if (payload.isEmpty()) {
            return null;
        }
        if (payload.get().isInMemory()) {
            return context.stager()
                    .stage(
                            partition.layer(),
                            partition.partition(),
                            payload.get().bytes());
        }
        try (InputStream stream = payload.get().open()) {
            return context.stager().stage(partition.layer(), partition.partition(), stream);
        }
    }

    /** Whether two payloads are the same. */
    static boolean same(@Nullable StagedPayload left, @Nullable StagedPayload right) {
        if (left == null || right == null) {
            return left == null && right == null;
        }
        return left.checksum().equals(right.checksum()) && left.size() == right.size();
    }
}
