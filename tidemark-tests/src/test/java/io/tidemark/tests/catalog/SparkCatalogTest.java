package io.tidemark.tests.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.compile.catalog.Candidates;
import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogCheck;
import io.tidemark.compile.catalog.CatalogDefinition;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.catalog.PayloadStager;
import io.tidemark.compile.catalog.PublishMode;
import io.tidemark.core.engine.Engine;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.tests.spark.SparkSessions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spark reads catalogs, rows and changes, and its maintenance takes nothing from them. */
class SparkCatalogTest {
    @TempDir
    Path folder;

    private static Map<String, @Nullable String> candidates(@Nullable String... namesAndPayloads) {
        Map<String, @Nullable String> candidates = new TreeMap<>();
        for (int i = 0; i < namesAndPayloads.length; i += 2) {
            candidates.put(String.valueOf(namesAndPayloads[i]), namesAndPayloads[i + 1]);
        }
        return candidates;
    }

    private CatalogVersion publish(Catalog catalog, Engine engine, Map<String, @Nullable String> candidates)
            throws Exception {
        CatalogVersion base = catalog.latest();
        Path scratch = Files.createDirectories(folder.resolve("scratch"));
        try (PayloadStager stager = catalog.stager(base, scratch)) {
            engine.load(
                    "candidates",
                    Candidates.COLUMNS,
                    rows -> candidates.forEach((name, text) -> rows.accept(Candidates.row(
                            "docs",
                            name,
                            text == null ? null : stager.stage("docs", name, text.getBytes(StandardCharsets.UTF_8))))));
        }
        return catalog.publish(base)
                .candidates("candidates", Map.of("docs", PublishMode.INCREMENTAL))
                .commit(engine)
                .version();
    }

    private static List<String> texts(List<Row> rows) {
        return rows.stream().map(Row::mkString).toList();
    }

    @Test
    void sparkReadsAndMaintainsCatalogs() throws Exception {
        SparkSession spark = SparkSessions.get();
        String location = folder.resolve("catalog").toString();
        Catalog catalog = Catalog.create(
                new LocalStorage(),
                location,
                CatalogDefinition.of("c", LayerDefinition.generic("docs").withInlineLimit(8)));
        try (Engine engine = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("spill")))) {
            CatalogVersion first = publish(catalog, engine, candidates("a", "1", "b", "2", "c", "a large payload"));
            publish(catalog, engine, candidates("a", "one", "b", null, "d", "4"));

            assertThat(texts(spark.sql(
                                    "SELECT concat_ws(' ', layer, `partition`, version, decode(payload, 'UTF-8'), size,"
                                            + " CAST(handle IS NULL AS STRING)) FROM delta.`" + location
                                            + "` ORDER BY `partition`")
                            .collectAsList()))
                    .containsExactly("docs a 2 one 3 true", "docs c 1 15 false", "docs d 2 4 1 true");
            assertThat(texts(spark.read()
                            .format("delta")
                            .option("readChangeFeed", "true")
                            .option("startingVersion", first.tableVersion() + 1)
                            .load(location)
                            .selectExpr("concat_ws(' ', `partition`, _change_type, version)")
                            .collectAsList()))
                    .containsExactlyInAnyOrder("a delete 1", "a insert 2", "b delete 1", "d insert 2");

            spark.sql("OPTIMIZE delta.`" + location + "`");
            spark.sql("VACUUM delta.`" + location + "` RETAIN 0 HOURS");
            CatalogVersion latest = catalog.latest();
            assertThat(latest.number()).isEqualTo(2);
            CatalogVersion third = publish(catalog, engine, candidates("c", "3"));
            assertThat(third.number()).isEqualTo(3);
            catalog.registerChanges(engine, "changes", latest, third, List.of("docs"));
            engine.stream("SELECT * FROM changes", row -> {
                assertThat(row).isEqualTo(List.of("docs", "c", "changed"));
                return true;
            });
            // Version 2 is read from the files that Spark wrote.
            assertThat(CatalogCheck.run(catalog, engine, catalog.version(2), List.of("docs"), problem -> {
                                throw problem;
                            })
                            .partitions())
                    .isEqualTo(3);
        }
    }
}
