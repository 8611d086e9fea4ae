package io.tidemark.spark.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.spark.engine.SparkEngine;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.ExternalCommandRunner;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Executes one of Tidemark's statements; what it says comes back as lines. */
final class StatementCommand implements ExternalCommandRunner {
    private final SparkSession spark;

    StatementCommand(SparkSession spark) {
        this.spark = spark;
    }

    @Override
    public String[] executeCommand(String sql, CaseInsensitiveStringMap options) {
        CatalogSettings catalog = CatalogSettings.of(spark)
                .orElseThrow(() -> TidemarkException.of(
                                ErrorCode.INVALID_SETTING, "this session of Spark has no catalog of Tidemark")
                        .hint("set spark.sql.catalog.tidemark to io.tidemark.spark.TidemarkCatalog and"
                                + " spark.sql.catalog.tidemark.warehouse to a folder")
                        .build());
        StatementText text = new StatementText(sql);
        String own = text.without(catalog.name());
        List<String> lines;
        if (text.isRefresh()) {
            lines = SessionPipeline.of(spark).refresh(spark, catalog, own);
        } else if (text.isOfPipeline()) {
            lines = SessionPipeline.of(spark).define(own);
        } else {
            lines = execute(catalog, own);
        }
        return lines.toArray(new String[0]);
    }

    private List<String> execute(CatalogSettings catalog, String sql) {
        List<String> lines = new ArrayList<>();
        try (Engine engine = SparkEngine.open(spark)) {
            new Session(catalog.warehouse(), engine).execute(new SourceText("<spark.sql>", sql), result -> {
                if (result instanceof StatementResult.Done done) {
                    lines.add(done.message());
                } else if (result instanceof StatementResult.Rows rows) {
                    lines.add(String.join("\t", rows.schema().names()));
                    rows.rows().forEach(row -> {
                        lines.add(row.stream().map(String::valueOf).collect(Collectors.joining("\t")));
                        return true;
                    });
                }
            });
        }
        return lines;
    }
}
