package io.tidemark.spark.engine;

import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.type.StructType;
import io.tidemark.spark.engine.rows.KeptRows;
import io.tidemark.spark.engine.value.SparkTypes;
import io.tidemark.spark.engine.value.SparkValues;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.SparkSession;

/** Rows that come one by one from the driver. */
final class LoadedRows {
    /** Rows that the driver holds before it hands them to executors. */
    private static final int PORTION_ROWS = 20_000;

    private final SparkSession session;
    private final StructType columns;
    private final org.apache.spark.sql.types.StructType schema;
    private final List<Row> portion = new ArrayList<>();
    private final List<KeptRows> portions = new ArrayList<>();

    LoadedRows(SparkSession session, StructType columns) {
        this.session = session;
        this.columns = columns;
        this.schema = SparkTypes.spark(columns);
    }

    /** The rows, in their order. */
    KeptRows load(Consumer<RowConsumer> rows) {
        try {
            rows.accept(values -> {
                portion.add(SparkValues.row(values, columns));
                if (portion.size() == PORTION_ROWS) {
                    flush();
                }
                return true;
            });
            Dataset<Row> all = session.createDataFrame(List.copyOf(portion), schema);
            for (int i = portions.size() - 1; i >= 0; i--) {
                all = portions.get(i).rows().union(all);
            }
            return KeptRows.of(session, all);
        } finally {
            portions.forEach(KeptRows::close);
        }
    }

    private void flush() {
        portions.add(KeptRows.of(session, session.createDataFrame(List.copyOf(portion), schema)));
        portion.clear();
    }
}
