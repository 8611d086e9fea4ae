package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.ScdType;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.pipeline.Pipeline;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.sql.parse.PipelineParser;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.warehouse.Warehouse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pipelines defined in Java mean the same as those in SQL. */
class JavaApiTest {
    @TempDir
    Path folder;

    @Test
    void aChangeFlowInJavaFillsItsTarget() {
        Pipeline pipeline = Pipeline.named("java");
        pipeline.streamingTable("cdc_source");
        pipeline.appendFlow("cdc_source")
                .once()
                .query("SELECT * FROM VALUES (1, 'a', 'x', 1, array('id', 'v', 'w')), (1, NULL, 'y', 2, array('w'))"
                        + " AS t(id, v, w, sequenceNum, columnsToUpdate)");
        pipeline.streamingTable("target").comment("made in Java");
        pipeline.autoCdcFlow("target")
                .source("cdc_source")
                .keys("id")
                .sequenceBy("sequenceNum")
                .storedAs(ScdType.SCD1)
                .columnsToUpdate("columnsToUpdate");
        try (DuckDbEngine engine = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("temp")))) {
            Warehouse warehouse =
                    Warehouse.at(new LocalStorage(), folder.resolve("warehouse").toString());
            List<FlowResult> results = pipeline.run(engine, warehouse);
            assertThat(results).extracting(FlowResult::status).containsOnly(FlowResult.Status.UPDATED);
        }
        try (Lake lake = new Lake(folder)) {
            assertThat(lake.rows("target")).containsExactly("1|a|y|2");
        }
    }

    @Test
    void theBuilderMakesTheDefinitionThatTheParserMakes() {
        Pipeline pipeline = Pipeline.named("p");
        pipeline.streamingTable("t");
        pipeline.autoCdcFlow("t")
                .named("f")
                .source("s")
                .keys("a", "b")
                .applyAsDeletes("op = 'D'")
                .sequenceBy("n")
                .exceptColumnList("op", "n")
                .storedAs(ScdType.SCD2)
                .trackHistoryColumnList("c");
        PipelineDefinition java = pipeline.definition();
        PipelineDefinition sql =
                PipelineParser.parse(List.of(new SourceText("p.sql", """
                                CREATE STREAMING TABLE t;
                                CREATE FLOW f AS AUTO CDC INTO t FROM STREAM(s) KEYS (a, b)
                                APPLY AS DELETE WHEN op = 'D' SEQUENCE BY n COLUMNS * EXCEPT (op, n)
                                STORED AS SCD TYPE 2 TRACK HISTORY ON (c);
                                """))).orThrow();
        String noPlaces = "TextLocation\\[[^\\]]*\\]|p\\.sql:\\d+:\\d+|<api>|places=\\{[^}]*\\}|location=[^,\\]]*";
        assertThat(java.flows().toString().replaceAll(noPlaces, ""))
                .isEqualTo(sql.flows().toString().replaceAll(noPlaces, ""));
    }
}
