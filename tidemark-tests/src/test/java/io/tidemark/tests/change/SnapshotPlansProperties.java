package io.tidemark.tests.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.ColumnSelection;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.flow.SnapshotSource;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.snapshot.SnapshotVersion;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.spark.engine.SparkEngine;
import io.tidemark.testkit.Seeded;
import io.tidemark.tests.change.Histories.Partial;
import io.tidemark.tests.change.Histories.Setup;
import io.tidemark.tests.spark.TestEngines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Comparison and plans of snapshots by themselves, on both engines: after each snapshot the rows are the oracle's. */
class SnapshotPlansProperties {
    private static final List<ScdType> TYPES = List.of(ScdType.SCD1, ScdType.SCD2, ScdType.BITEMPORAL);
    private static final int FLOWS = 30;
    private static final int SNAPSHOTS = 6;
    private static final int SNAPSHOTS_ON_SPARK = 3;
    private static final int KEYS = 30;

    @TempDir
    Path temporary;

    @Test
    void onDuckDb() {
        try (DuckDbEngine engine = DuckDbEngine.open(DuckDbSettings.defaults(temporary))) {
            Seeded.run(
                    41_000,
                    FLOWS,
                    (random, seed) -> check(engine, "f" + seed, random, random.nextInt(TYPES.size()), SNAPSHOTS));
        }
    }

    @Test
    void onSpark() {
        try (SparkEngine engine = TestEngines.spark()) {
            Seeded.run(
                    42_000,
                    TYPES.size(),
                    (random, seed) ->
                            check(engine, "f" + seed, random, (int) (seed % TYPES.size()), SNAPSHOTS_ON_SPARK));
        }
    }

    private static void check(Engine engine, String name, Random random, int type, int snapshots) {
        List<List<String>> tracked = List.of(Histories.COLUMNS, List.of("a"), List.of("a", "b"));
        Setup setup = new Setup(
                TYPES.get(type), Partial.NONE, tracked.get(random.nextInt(tracked.size())), false, false, false);
        PlanRunner runner = new PlanRunner(engine, name, flow(setup), source(), Optional.of(ScalarType.LONG));
        List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> "k" + i).toList();
        List<Oracle.Event> arrived = new ArrayList<>();
        Map<String, Map<String, @Nullable Object>> rows = new TreeMap<>();
        long version = 0;
        for (int i = 0; i < snapshots; i++) {
            version += 1 + random.nextInt(3);
            rows = SnapshotProperties.next(random, keys, rows);
            runner.snapshot(sql(engine, rows), SnapshotVersion.of(version));
            arrived.addAll(SnapshotOracle.events(setup, arrived, version, rows));
            assertThat(HistoryProperties.text(runner.rows()))
                    .as("%s after snapshot %d", setup, i)
                    .containsExactlyElementsOf(Histories.expected(setup, arrived));
        }
        runner.close();
    }

    private static String sql(Engine engine, Map<String, Map<String, @Nullable Object>> rows) {
        List<List<@Nullable Object>> lists = new ArrayList<>();
        rows.forEach((key, values) -> {
            List<@Nullable Object> row = new ArrayList<>();
            row.add(key);
            Histories.COLUMNS.forEach(column -> row.add(values.get(column)));
            lists.add(row);
        });
        return RowsSql.select(source(), lists, engine.dialect());
    }

    private static StructType source() {
        List<StructField> fields = new ArrayList<>();
        fields.add(StructField.of("k", ScalarType.STRING));
        Histories.COLUMNS.forEach(column -> fields.add(StructField.of(column, ScalarType.STRING)));
        return new StructType(fields);
    }

    private static AutoCdcFlow flow(Setup setup) {
        boolean some = setup.type() != ScdType.SCD1 && setup.tracked().size() < Histories.COLUMNS.size();
        return new AutoCdcFlow(
                "f",
                TableName.of("t"),
                false,
                new QueryText("SELECT * FROM s", TextLocation.NONE),
                List.of(ColumnReference.of("k")),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                new QueryText("", TextLocation.NONE),
                Optional.empty(),
                Optional.empty(),
                setup.type(),
                some ? Optional.of(ColumnSelection.include(setup.tracked().toArray(String[]::new))) : Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                TextLocation.NONE,
                Map.of(),
                Optional.of(new SnapshotSource.Periodic()));
    }
}
