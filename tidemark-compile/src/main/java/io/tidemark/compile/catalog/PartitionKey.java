package io.tidemark.compile.catalog;

/**
 * Names a partition. Keys are ordered by catalog, layer and name.
 *
 * @param catalog id of the catalog, as the program that runs has bound it
 * @param layer id of the layer
 * @param partition name of the partition
 */
public record PartitionKey(String catalog, String layer, String partition) implements Comparable<PartitionKey> {
    /** The catalog id of all keys of the output, so that no program names the catalog that it writes. */
    public static final String OUTPUT = "output";

    /** A key of the output catalog. */
    public static PartitionKey output(String layer, String partition) {
        return new PartitionKey(OUTPUT, layer, partition);
    }

    @Override
    public int compareTo(PartitionKey other) {
        int byCatalog = catalog.compareTo(other.catalog);
        if (byCatalog != 0) {
            return byCatalog;
        }
        int byLayer = layer.compareTo(other.layer);
        return byLayer != 0 ? byLayer : partition.compareTo(other.partition);
    }

    @Override
    public String toString() {
        return catalog + ":" + layer + "/" + partition;
    }
}
