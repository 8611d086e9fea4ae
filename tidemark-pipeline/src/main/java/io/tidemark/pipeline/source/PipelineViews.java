package io.tidemark.pipeline.source;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.TableName;
import io.tidemark.sql.query.QueryScanner;
import io.tidemark.sql.query.RelationReference;
import io.tidemark.sql.query.ScannedQuery;
import io.tidemark.sql.warehouse.Warehouse;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The views that queries of a pipeline may name: its own ones first, then those stored in the warehouse. */
public final class PipelineViews {
    private final Map<TableName, View> own = new HashMap<>();
    private final Warehouse warehouse;

    /** The views of a pipeline over a warehouse. */
    public PipelineViews(List<View> views, Warehouse warehouse) {
        views.forEach(view -> own.put(view.name(), view));
        this.warehouse = warehouse;
    }

    /** The view of a name, if it is one. */
    public Optional<View> find(TableName name) {
        View view = own.get(name);
        return view != null ? Optional.of(view) : warehouse.view(name);
    }

    /** Whether the pipeline itself defines the view. */
    public boolean isOwn(TableName name) {
        return own.containsKey(name);
    }

    /**
     * Whether a query reads a stream, directly or through views.
     *
     * @param query the query
     * @param names the plain names that a scanned query reads
     */
    public boolean isStreaming(QueryText query, Function<ScannedQuery, Set<TableName>> names) {
        return isStreaming(QueryScanner.scan(query), names, new HashSet<>());
    }

    private boolean isStreaming(
            ScannedQuery query, Function<ScannedQuery, Set<TableName>> names, Set<TableName> visited) {
        if (query.isStreaming()) {
            return true;
        }
        for (TableName name : names.apply(query)) {
            Optional<View> view = find(name);
            if (view.isPresent()
                    && visited.add(name)
                    && isStreaming(QueryScanner.scan(view.get().query()), names, visited)) {
                return true;
            }
        }
        return query.references().stream()
                .filter(RelationReference.TableReference.class::isInstance)
                .map(reference -> ((RelationReference.TableReference) reference).table())
                .anyMatch(name -> find(name).isPresent()
                        && visited.add(name)
                        && isStreaming(QueryScanner.scan(find(name).get().query()), names, visited));
    }
}
