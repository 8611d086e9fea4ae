package io.tidemark.compile;

import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.Dependency;
import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The catalogs that a run reads, each with the version from which changes are taken, or why there is none.
 *
 * @param sources by the id under which programs know them
 * @param problems why changes of a catalog cannot be told, by its id
 */
record RunSources(Map<String, RunInputs.Source> sources, Map<String, Problem> problems) {
    /**
     * Why a task that reads a catalog must run in full.
     *
     * @param reason the reason
     * @param detail more about it
     */
    record Problem(Reason reason, String detail) {}

    /** Finds the versions. */
    static RunSources of(Driver driver, Job job, CatalogVersion base, Map<String, CatalogVersion> versions) {
        Map<String, RunInputs.Source> sources = new LinkedHashMap<>();
        Map<String, Problem> problems = new LinkedHashMap<>();
        driver.bindings().forEach((id, binding) -> {
            CatalogVersion to = versions.getOrDefault(id, base);
            if (binding.fixed().isPresent()) {
                sources.put(id, new RunInputs.Source(id, binding.catalog(), to, to));
            } else {
                add(id, binding.catalog(), to, job.sinceVersion(id), base, sources, problems);
            }
        });
        Catalog output = driver.output();
        add(Task.FEEDBACK, output, base, OptionalLong.empty(), base, sources, problems);
        sources.put(Task.PREVIOUS, new RunInputs.Source(Task.PREVIOUS, output, base, null));
        sources.put(PartitionKey.OUTPUT, new RunInputs.Source(PartitionKey.OUTPUT, output, base, null));
        return new RunSources(sources, problems);
    }

    private static void add(
            String id,
            Catalog catalog,
            CatalogVersion to,
            OptionalLong wanted,
            CatalogVersion base,
            Map<String, RunInputs.Source> sources,
            Map<String, Problem> problems) {
        Optional<Dependency> recorded = base.dependency(id);
        CatalogVersion since = null;
        if (recorded.isEmpty()) {
            problems.put(
                    id,
                    new Problem(
                            Reason.DEPENDENCY_MISMATCH,
                            "the output does not say which version of " + id + " it is of"));
        } else {
            long from = recorded.get().version();
            if (wanted.isPresent() && wanted.getAsLong() != from) {
                problems.put(
                        id,
                        new Problem(
                                Reason.DEPENDENCY_MISMATCH,
                                "the output is of " + id + "@" + from + ", the job starts from " + wanted.getAsLong()));
            } else if (to.number() < from) {
                problems.put(
                        id, new Problem(Reason.INPUT_WENT_BACK, id + " went back from " + from + " to " + to.number()));
            } else {
                since = since(id, catalog, from, to, problems);
            }
        }
        sources.put(id, new RunInputs.Source(id, catalog, to, since));
    }

    private static @org.jspecify.annotations.Nullable CatalogVersion since(
            String id, Catalog catalog, long from, CatalogVersion to, Map<String, Problem> problems) {
        if (to.number() == from) {
            return to;
        }
        try {
            return catalog.version(from);
        } catch (TidemarkException e) {
            if (e.code() != ErrorCode.CATALOG_VERSION_NOT_FOUND) {
                throw e;
            }
            problems.put(id, new Problem(Reason.CHANGES_UNAVAILABLE, id + "@" + from + " is not kept any more"));
            return null;
        }
    }
}
