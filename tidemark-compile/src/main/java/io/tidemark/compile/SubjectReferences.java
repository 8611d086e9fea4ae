package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The references of one subject, as rows say them. */
final class SubjectReferences implements References {
    private final List<Row> rows = new ArrayList<>();
    private final Predicate<PartitionKey> isPublished;

    /** No references yet. */
    SubjectReferences(Predicate<PartitionKey> isPublished) {
        this.isPublished = isPublished;
    }

    private record Row(String path, PartitionKey source, PartitionKey target) {}

    void add(String path, PartitionKey source, PartitionKey target) {
        rows.add(new Row(path, source, target));
    }

    @Override
    public List<PartitionKey> get(String path) {
        return published(row -> row.path().equals(path));
    }

    @Override
    public List<PartitionKey> of(PartitionKey partition, String name) {
        return published(row -> row.source().equals(partition)
                && (row.path().equals(name) || row.path().endsWith("." + name)));
    }

    private List<PartitionKey> published(Predicate<Row> wanted) {
        return targets(row -> wanted.test(row) && isPublished.test(row.target()));
    }

    @Override
    public List<PartitionKey> dangling() {
        return targets(row -> !isPublished.test(row.target()));
    }

    private List<PartitionKey> targets(Predicate<Row> wanted) {
        TreeSet<PartitionKey> targets = new TreeSet<>();
        rows.stream().filter(wanted).forEach(row -> targets.add(row.target()));
        return List.copyOf(targets);
    }
}
