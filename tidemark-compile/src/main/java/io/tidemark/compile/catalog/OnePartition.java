package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Looks up a single partition. */
final class OnePartition {
    private final Catalog catalog;
    private final Engine engine;
    private final CatalogVersion version;
    private final String layer;
    private final String partition;

    OnePartition(Catalog catalog, Engine engine, CatalogVersion version, String layer, String partition) {
        this.catalog = catalog;
        this.engine = engine;
        this.version = version;
        this.layer = layer;
        this.partition = partition;
    }

    Optional<PartitionMeta> meta() {
        List<@Nullable Object> row = row(CatalogTable.META);
        return row.isEmpty() ? Optional.empty() : Optional.of(PartitionMeta.of(row));
    }

    InputStream payload() {
        List<@Nullable Object> row = row(CatalogTable.SCHEMA.names());
        if (row.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.UNKNOWN_PARTITION,
                            "version " + version.number() + " of catalog " + catalog.location() + " has no partition "
                                    + layer + "/" + partition)
                    .hint("'tidemark catalog list' shows the partitions")
                    .build();
        }
        return catalog.payload(PartitionMeta.of(row), row.get(row.size() - 1) instanceof byte[] bytes ? bytes : null);
    }

    private List<@Nullable Object> row(List<String> columns) {
        String name = "partition " + UUID.randomUUID();
        String keys = name + " key";
        engine.createView(
                keys,
                "SELECT " + engine.dialect().string(layer) + " AS layer, "
                        + engine.dialect().string(partition) + " AS "
                        + engine.dialect().name(CatalogTable.PARTITION));
        List<@Nullable Object> found = new ArrayList<>();
        try {
            catalog.registerPayloadsOf(engine, name, version, keys);
            engine.stream(
                    "SELECT " + CatalogTable.columns(engine.dialect(), "", columns) + " FROM "
                            + engine.dialect().name(name),
                    row -> {
                        found.addAll(row);
                        return false;
                    });
        } finally {
            Catalog.drop(engine, name);
            engine.drop(keys);
        }
        return found;
    }
}
