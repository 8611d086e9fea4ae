package io.tidemark.spark.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.DatasetDefinition;
import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.TableName;
import io.tidemark.pipeline.PipelineRunner;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.RunListener;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.spark.engine.SparkEngine;
import io.tidemark.sql.parse.PipelineParser;
import io.tidemark.sql.parse.SourceText;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.SparkSession;

/**
 * What a session of Spark has defined of a pipeline, statement by statement, as the cells of a notebook do. A statement
 * that defines a name again replaces the earlier one.
 */
final class SessionPipeline {
    private static final Map<SparkSession, SessionPipeline> PIPELINES =
            Collections.synchronizedMap(new WeakHashMap<>());

    private static final Pattern REFRESH = Pattern.compile(
            "(?is)\\s*refresh\\s+(pipeline|streaming\\s+table|materialized\\s+view)\\s*(\\S*?)\\s*(full)?\\s*;?\\s*");
    /** The setting that names the pipeline; flows in tables belong to it. */
    private static final String ID = "spark.tidemark.pipeline.id";

    private static final String ID_DEFAULT = "spark-session";

    private final List<String> statements = new ArrayList<>();

    static SessionPipeline of(SparkSession session) {
        return PIPELINES.computeIfAbsent(session, key -> new SessionPipeline());
    }

    /** Adds a definition, whose text alone is checked: what it reads may be defined later. */
    synchronized List<String> define(String sql) {
        PipelineDefinition added = parse(List.of(sql));
        statements.removeIf(each -> !Collections.disjoint(names(parse(List.of(each))), names(added)));
        statements.add(sql);
        return names(added).stream().map(name -> name + " is defined").toList();
    }

    private static List<String> names(PipelineDefinition definition) {
        List<String> names = new ArrayList<>();
        definition.datasets().forEach(dataset -> names.add(kind(dataset) + dataset.name()));
        definition.flows().forEach(flow -> names.add("flow " + flow.name()));
        return names;
    }

    private static String kind(DatasetDefinition dataset) {
        return dataset instanceof DatasetDefinition.View ? "view " : "table ";
    }

    private static PipelineDefinition parse(List<String> texts) {
        List<SourceText> sources = new ArrayList<>();
        for (String text : texts) {
            sources.add(new SourceText("<spark.sql>", text));
        }
        return PipelineParser.parse(sources).orThrow();
    }

    /** Updates all tables, or one. */
    synchronized List<String> refresh(SparkSession spark, CatalogSettings catalog, String sql) {
        Matcher wanted = REFRESH.matcher(sql);
        if (!wanted.matches()) {
            throw TidemarkException.of(ErrorCode.SYNTAX_ERROR, "REFRESH is not spelled like this")
                    .hint("write REFRESH PIPELINE [FULL] or REFRESH STREAMING TABLE name [FULL]")
                    .build();
        }
        PipelineDefinition whole = parse(statements);
        PipelineDefinition part =
                wanted.group(1).equalsIgnoreCase("pipeline") ? whole : only(whole, name(wanted.group(2)));
        RunOptions options = RunOptions.of(spark.conf().get(ID, ID_DEFAULT));
        boolean full = wanted.group(3) != null || "full".equalsIgnoreCase(wanted.group(2));
        List<String> lines = new ArrayList<>();
        RunListener listener = new RunListener() {
            @Override
            public void warned(String text) {
                lines.add("warning: " + text);
            }
        };
        try (Engine engine = SparkEngine.open(spark)) {
            List<FlowResult> results = new PipelineRunner(
                            catalog.warehouse(), engine, Path.of(""), listener, Clock.systemUTC())
                    .run(part, full ? options.withFullRefresh() : options);
            results.forEach(result -> lines.add(ResultLine.of(result)));
        }
        return lines;
    }

    private static TableName name(String text) {
        String[] parts = text.replace("`", "").split("\\.");
        return parts.length == 1 ? TableName.of(parts[0]) : new TableName(parts[0], parts[1]);
    }

    private static PipelineDefinition only(PipelineDefinition whole, TableName table) {
        List<FlowDefinition> flows = whole.flows().stream()
                .filter(flow -> flow.target().equals(table))
                .toList();
        List<DatasetDefinition> datasets = whole.datasets().stream()
                .filter(dataset -> dataset.name().equals(table) || dataset instanceof DatasetDefinition.View)
                .toList();
        if (datasets.stream().noneMatch(dataset -> dataset.name().equals(table))) {
            throw TidemarkException.of(ErrorCode.UNKNOWN_TARGET, "this session defines no table " + table)
                    .hint("define it first, with CREATE STREAMING TABLE or CREATE MATERIALIZED VIEW")
                    .build();
        }
        return new PipelineDefinition(datasets, flows, whole.settings());
    }
}
