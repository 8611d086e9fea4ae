package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.io.Serializable;

/** Which output partitions an input partition contributes to, by its key alone. Must be deterministic. */
@FunctionalInterface
public interface DirectMapping extends Serializable {
    /** The outputs; none if the partition plays no part, and then it is not compiled. */
    Iterable<PartitionKey> outputsOf(PartitionKey in, Context context);
}
