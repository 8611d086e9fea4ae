package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.util.List;

/** What a subject refers to, resolved. Only partitions that are published are listed, in the order of their keys. */
public interface References {
    /** The partitions that a name of the subject's own refers to, or a path of names joined by dots. */
    List<PartitionKey> get(String path);

    /** The partitions that a partition at a path refers to by a name. */
    List<PartitionKey> of(PartitionKey partition, String name);

    /** Partitions that are referred to and not published. */
    List<PartitionKey> dangling();
}
