package io.tidemark.tests.readback;

import io.tidemark.core.type.StructType;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.feed.Bound;
import io.tidemark.delta.feed.ChangeFeed;
import io.tidemark.tests.pipeline.Lake;
import io.tidemark.tests.spark.SparkSessions;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The readers of a change data feed that must agree. */
final class Changes {
    private Changes() {}

    private static StructType schema(DeltaTable table, long first, long last) {
        return ChangeFeed.between(table, Bound.version(first), Bound.version(last))
                .schema();
    }

    /** A statement of Tidemark. */
    static RowBag ours(Lake lake, String name, long first, long last) {
        StructType schema = schema(lake.table(name), first, last);
        RowBag rows = new RowBag();
        lake.query(
                "SELECT * FROM table_changes('" + name + "', " + first + ", " + last + ")",
                found -> found.rows().forEach(row -> {
                    rows.add(RowTexts.ofEngine(row, schema));
                    return true;
                }));
        return rows;
    }

    /** The reader of the Delta Lake project for Spark. */
    static RowBag spark(DeltaTable table, Path folder, long first, long last) {
        StructType schema = schema(table, first, last);
        Dataset<Row> changes = SparkSessions.get()
                .read()
                .format("delta")
                .option("readChangeFeed", "true")
                .option("startingVersion", first)
                .option("endingVersion", last)
                .load(folder.toString());
        List<String> names = List.of(changes.schema().fieldNames());
        if (!names.equals(schema.names())) {
            throw new IllegalStateException("Spark sees the columns " + names + " instead of " + schema.names());
        }
        RowBag rows = new RowBag();
        Iterator<Row> iterator = changes.toLocalIterator();
        while (iterator.hasNext()) {
            rows.add(RowTexts.ofSpark(iterator.next(), schema));
        }
        return rows;
    }
}
