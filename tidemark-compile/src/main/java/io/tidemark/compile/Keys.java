package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;

/**
 * Keys as texts of relations: {@code catalog/layer/partition}, and {@code layer/partition} for those of the output. Ids of
 * catalogs and layers hold no slash.
 */
final class Keys {
    private Keys() {}

    static String text(PartitionKey key) {
        return key.catalog() + "/" + key.layer() + "/" + key.partition();
    }

    static PartitionKey parse(String text) {
        int first = text.indexOf('/');
        int second = text.indexOf('/', first + 1);
        return new PartitionKey(
                text.substring(0, first), text.substring(first + 1, second), text.substring(second + 1));
    }

    static String outText(PartitionKey key) {
        return key.layer() + "/" + key.partition();
    }

    static PartitionKey parseOut(String text) {
        int slash = text.indexOf('/');
        return PartitionKey.output(text.substring(0, slash), text.substring(slash + 1));
    }

    /** Engine SQL: a catalog's id and the columns layer and partition as one text. */
    static String sql(String catalogLiteral) {
        return "concat(" + catalogLiteral + ", layer, '/', partition)";
    }
}
