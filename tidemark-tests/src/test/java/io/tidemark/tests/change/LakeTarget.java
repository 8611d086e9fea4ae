package io.tidemark.tests.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.tests.pipeline.Lake;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A target in a lake, changed by statements. A change is spelled as a statement of its own or as a MERGE. */
final class LakeTarget implements HandMadeTarget {
    private static final String ONE_ROW = "MERGE INTO t USING (SELECT 1 AS one) AS s ON ";

    private final Lake lake;
    private final Random random;
    private final List<String> columns;
    private int changes;
    private int refusals;

    /** A target of the name t. */
    LakeTarget(Lake lake, Random random) {
        this.lake = lake;
        this.random = random;
        this.columns = lake.table("t").snapshot().schema().names();
    }

    /** How many statements changed rows. */
    int changes() {
        return changes;
    }

    /** How many statements were refused. */
    int refusals() {
        return refusals;
    }

    private void change(String statement) {
        lake.sql(statement);
        changes++;
    }

    /** Executes a statement that must be refused; the error must hold the texts. */
    void refused(String statement, String... texts) {
        long version = lake.version("t");
        TidemarkException fault = catchThrowableOfType(TidemarkException.class, () -> lake.sql(statement));
        assertThat(fault).as(statement).isNotNull();
        assertThat(fault.code()).as(fault.render()).isEqualTo(ErrorCode.TARGET_ROWS_INVALID);
        assertThat(fault.render()).contains(texts);
        assertThat(lake.version("t")).as(statement).isEqualTo(version);
        refusals++;
    }

    @Override
    public void update(String column, String value, String condition) {
        String assignment = column + " = " + value;
        change(
                random.nextBoolean()
                        ? "UPDATE t SET " + assignment + " WHERE " + condition
                        : ONE_ROW + condition + " WHEN MATCHED THEN UPDATE SET " + assignment);
    }

    @Override
    public void delete(String condition) {
        change(
                random.nextBoolean()
                        ? "DELETE FROM t WHERE " + condition
                        : ONE_ROW + condition + " WHEN MATCHED THEN DELETE");
    }

    @Override
    public void insertRow(List<String> values) {
        change(insert(values));
    }

    private String insert(List<String> values) {
        String list = String.join(", ", values);
        String names = String.join(", ", columns);
        return switch (random.nextInt(3)) {
            case 0 -> "INSERT INTO t VALUES (" + list + ")";
            case 1 -> "INSERT INTO t (" + names + ") SELECT " + list;
            default -> ONE_ROW + "false WHEN NOT MATCHED THEN INSERT (" + names + ") VALUES (" + list + ")";
        };
    }

    @Override
    public void overlapping(List<String> values) {
        refused(insert(values), "k = " + values.get(0));
    }

    @Override
    public List<List<@Nullable Object>> rows() {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        lake.query(
                "SELECT * FROM t",
                found -> found.rows().forEach(values -> {
                    rows.add(new ArrayList<>(values));
                    return true;
                }));
        return rows;
    }
}
