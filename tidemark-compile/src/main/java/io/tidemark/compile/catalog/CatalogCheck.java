package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a version of a catalog as a whole and tells what is wrong with it: payloads that are not what was published,
 * partitions that are there twice or bear names that their layer does not allow, a state that is not complete.
 */
public final class CatalogCheck {
    private final Catalog catalog;
    private final Engine engine;
    private final CatalogVersion version;
    private final Consumer<TidemarkException> problems;
    private long partitions;
    private long bytes;
    private long found;

    private CatalogCheck(Catalog catalog, Engine engine, CatalogVersion version, Consumer<TidemarkException> problems) {
        this.catalog = catalog;
        this.engine = engine;
        this.version = version;
        this.problems = problems;
    }

    /**
     * What was checked.
     *
     * @param partitions number of partitions
     * @param bytes size of their payloads
     * @param problems number of problems
     */
    public record Result(long partitions, long bytes, long problems) {}

    /**
     * Checks layers of a version, and its state.
     *
     * @param problems receives each problem
     * @throws TidemarkException {@code UNKNOWN_LAYER}, and what keeps the check from going on
     */
    public static Result run(
            Catalog catalog,
            Engine engine,
            CatalogVersion version,
            Collection<String> layerIds,
            Consumer<TidemarkException> problems) {
        CatalogCheck check = new CatalogCheck(catalog, engine, version, problems);
        check.payloads(layerIds);
        check.state();
        return new Result(check.partitions, check.bytes, check.found);
    }

    private void payloads(Collection<String> layerIds) {
        String relation = "check " + UUID.randomUUID();
        String name = engine.dialect().name(relation);
        String key = "layer, " + engine.dialect().name(CatalogTable.PARTITION);
        catalog.registerPayloads(engine, relation, version, layerIds);
        try {
            engine.stream(
                    "SELECT " + key + " FROM " + name + " GROUP BY " + key + " HAVING count(*) > 1 ORDER BY " + key,
                    row -> {
                        problem(TidemarkException.of(
                                        ErrorCode.DUPLICATE_PARTITION,
                                        "partition " + row.get(0) + "/" + row.get(1) + " is there twice")
                                .hint("another program wrote to the catalog's table; publish the partition again")
                                .build());
                        return true;
                    });
            engine.stream("SELECT * FROM " + name, row -> {
                payload(row);
                return true;
            });
        } finally {
            Catalog.drop(engine, relation);
        }
    }

    private void payload(List<@Nullable Object> row) {
        PartitionMeta meta = PartitionMeta.of(row);
        partitions++;
        bytes += meta.size();
        byte[] inline = row.get(row.size() - 1) instanceof byte[] payload ? payload : null;
        try {
            Catalog.layer(version, meta.layer()).checkName(meta.partition());
            try (InputStream input = catalog.payload(meta, inline)) {
                input.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                throw PayloadFiles.corrupt(meta, "it cannot be read: " + e.getMessage());
            }
        } catch (TidemarkException e) {
            if (e.code() != ErrorCode.CORRUPT_PAYLOAD && e.code() != ErrorCode.INVALID_PARTITION_NAME) {
                throw e;
            }
            problem(e);
        }
    }

    private void state() {
        try {
            catalog.draftState(version);
        } catch (TidemarkException e) {
            if (e.code() != ErrorCode.STATE_MISSING && e.code() != ErrorCode.STATE_CORRUPT) {
                throw e;
            }
            problem(e);
        }
    }

    private void problem(TidemarkException problem) {
        found++;
        problems.accept(problem);
    }
}
