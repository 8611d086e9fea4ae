package io.tidemark.compile;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/** What a run shall do: which input versions it reads, and what it may leave out. Immutable. */
public final class Job {
    private final Map<String, Long> versions;
    private final Map<String, Long> since;
    private final boolean reprocess;
    private final boolean incremental;
    private final double dirtyShareMax;
    private final boolean verified;

    private Job(
            Map<String, Long> versions,
            Map<String, Long> since,
            boolean reprocess,
            boolean incremental,
            double dirtyShareMax,
            boolean verified) {
        this.versions = versions;
        this.since = since;
        this.reprocess = reprocess;
        this.incremental = incremental;
        this.dirtyShareMax = dirtyShareMax;
        this.verified = verified;
    }

    /** A run that reads the latest version of each input. */
    public static Job latest() {
        return new Job(Map.of(), Map.of(), false, true, 1, false);
    }

    /** Reads a given version of an input. */
    public Job at(String catalog, long version) {
        return new Job(with(versions, catalog, version), since, reprocess, incremental, dirtyShareMax, verified);
    }

    /**
     * Says from which version of an input the changes are taken. If the output was made from another one, the run is a
     * full one; without this the version is taken from the output.
     */
    public Job since(String catalog, long version) {
        return new Job(versions, with(since, catalog, version), reprocess, incremental, dirtyShareMax, verified);
    }

    /** Makes everything anew. */
    public Job reprocess() {
        return new Job(versions, since, true, incremental, dirtyShareMax, verified);
    }

    /** Runs tasks with changed input in full. */
    public Job withoutIncremental() {
        return new Job(versions, since, reprocess, false, dirtyShareMax, verified);
    }

    /**
     * Runs a task in full if a change affects more than a share of its input partitions.
     *
     * @param share 0 to 1; 1, the default, sets no limit
     */
    public Job fullAbove(double share) {
        return new Job(versions, since, reprocess, incremental, share, verified);
    }

    /**
     * Runs everything in full as well, and compares results and state before anything is committed: a test of tasks, at the
     * price of a full run.
     */
    public Job verified() {
        return new Job(versions, since, reprocess, incremental, dirtyShareMax, true);
    }

    private static Map<String, Long> with(Map<String, Long> map, String key, long value) {
        Map<String, Long> copy = new LinkedHashMap<>(map);
        copy.put(key, value);
        return Collections.unmodifiableMap(copy);
    }

    OptionalLong version(String catalog) {
        return number(versions.get(catalog));
    }

    OptionalLong sinceVersion(String catalog) {
        return number(since.get(catalog));
    }

    private static OptionalLong number(@org.jspecify.annotations.Nullable Long number) {
        return number == null ? OptionalLong.empty() : OptionalLong.of(number);
    }

    boolean isReprocess() {
        return reprocess;
    }

    boolean isIncremental() {
        return incremental;
    }

    double dirtyShareMax() {
        return dirtyShareMax;
    }

    boolean isVerified() {
        return verified;
    }

    /** The catalogs that the job names. */
    java.util.Set<String> catalogs() {
        java.util.Set<String> named = new java.util.LinkedHashSet<>(versions.keySet());
        named.addAll(since.keySet());
        return named;
    }
}
