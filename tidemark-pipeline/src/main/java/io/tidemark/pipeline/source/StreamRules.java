package io.tidemark.pipeline.source;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.QueryShape;
import io.tidemark.core.engine.QueryShape.Combination;
import io.tidemark.core.engine.QueryShape.Read;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.Faults;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.TableName;
import io.tidemark.sql.query.QueryScanner;
import io.tidemark.sql.query.RelationReference;
import io.tidemark.sql.query.ScannedQuery;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What queries may do with a stream. An update sees only what is new in it, so whatever needs other rows too would come
 * out wrong without a word: the count of a group, the first of all rows, the partner of a join.
 */
public final class StreamRules {
    private final Engine engine;
    private final PipelineViews views;

    /** Rules for queries that may name these views. */
    public StreamRules(Engine engine, PipelineViews views) {
        this.engine = engine;
        this.views = views;
    }

    /**
     * Checks a query, and the views that it reads as a stream although they have none of their own.
     *
     * @param what what has the query, for errors
     * @throws TidemarkException {@code STREAM_NOT_ROWWISE}, all of them together
     */
    public void check(String what, QueryText query) {
        Faults faults = new Faults();
        check(what, query, false, new HashSet<>(), faults);
        faults.throwAny();
    }

    /** Where a query reads a stream first; its own place if that cannot be told. */
    public TextLocation firstStream(QueryText query) {
        ScannedQuery scanned = QueryScanner.scan(query);
        return engine.shapeOf(scanned.text()).reads().stream()
                .filter(read -> streams(scanned, read, false))
                .map(Read::location)
                .findFirst()
                .orElse(query.location());
    }

    /** Where a query reads its first relation; its own place if it reads none. */
    public TextLocation firstRelation(QueryText query) {
        return engine.shapeOf(QueryScanner.scan(query).text()).reads().stream()
                .map(Read::location)
                .findFirst()
                .orElse(query.location());
    }

    private void check(String what, QueryText query, boolean whole, Set<TableName> visited, Faults faults) {
        ScannedQuery scanned = QueryScanner.scan(query);
        QueryShape shape = engine.shapeOf(scanned.text());
        for (Combination combination : shape.combinations()) {
            boolean over = combination.over().stream().anyMatch(read -> streams(scanned, read, whole));
            boolean with = combination.with().isEmpty()
                    || combination.with().stream().anyMatch(read -> streams(scanned, read, whole));
            if (over && with) {
                faults.add(fault(what, combination));
            }
        }
        for (Read read : shape.reads()) {
            Optional<RelationReference> reference = reference(scanned, read);
            Optional<View> view = views.find(name(reference, read));
            boolean streamedWhole =
                    whole || reference.filter(RelationReference::streaming).isPresent();
            if (view.isPresent()
                    && streamedWhole
                    && !views.isStreaming(view.get().query(), this::names)
                    && visited.add(view.get().name())) {
                check("view " + view.get().name(), view.get().query(), true, visited, faults);
            }
        }
    }

    private static TidemarkException fault(String what, Combination combination) {
        return TidemarkException.of(
                        ErrorCode.STREAM_NOT_ROWWISE, what + " applies " + combination.what() + " to a stream")
                .at(combination.location())
                .detail("Each update would see only the rows that are new, and its results would be added to those"
                        + " of earlier updates.")
                .hint("load the stream into a table of its own, and compute this in a MATERIALIZED VIEW over it")
                .build();
    }

    private boolean streams(ScannedQuery scanned, Read read, boolean whole) {
        Optional<RelationReference> reference = reference(scanned, read);
        if (whole || reference.filter(RelationReference::streaming).isPresent()) {
            return true;
        }
        return views.find(name(reference, read))
                .filter(view -> views.isStreaming(view.query(), this::names))
                .isPresent();
    }

    private static Optional<RelationReference> reference(ScannedQuery scanned, Read read) {
        return read.parts().size() == 1 ? scanned.reference(read.parts().get(0)) : Optional.empty();
    }

    private static TableName name(Optional<RelationReference> reference, Read read) {
        if (reference.isPresent() && reference.get() instanceof RelationReference.TableReference table) {
            return table.table();
        }
        List<String> parts = read.parts();
        return parts.size() == 1 ? TableName.of(parts.get(0)) : new TableName(parts.get(0), parts.get(1));
    }

    private Set<TableName> names(ScannedQuery query) {
        Set<TableName> names = new HashSet<>();
        for (Read read : engine.shapeOf(query.text()).reads()) {
            if (reference(query, read).isEmpty()) {
                names.add(name(Optional.empty(), read));
            }
        }
        return names;
    }
}
