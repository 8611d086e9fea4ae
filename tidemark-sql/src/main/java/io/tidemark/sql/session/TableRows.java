package io.tidemark.sql.session;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A small result that is made in memory. */
final class TableRows {
    private final List<StructField> columns = new ArrayList<>();
    private final List<List<@Nullable Object>> rows = new ArrayList<>();

    TableRows column(String name, DataType type) {
        columns.add(StructField.of(name, type));
        return this;
    }

    /** Adds columns of type STRING. */
    TableRows texts(String... names) {
        for (String name : names) {
            column(name, ScalarType.STRING);
        }
        return this;
    }

    void row(@Nullable Object... values) {
        rows.add(Collections.unmodifiableList(new ArrayList<>(Arrays.asList(values))));
    }

    StatementResult result() {
        return new StatementResult.Rows(new StructType(columns), consumer -> {
            for (List<@Nullable Object> row : rows) {
                if (!consumer.accept(row)) {
                    return;
                }
            }
        });
    }
}
