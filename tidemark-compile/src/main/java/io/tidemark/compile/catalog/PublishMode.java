package io.tidemark.compile.catalog;

/** What happens to published partitions of a layer that no candidate mentions. */
public enum PublishMode {
    /** They are left as they are. */
    INCREMENTAL,
    /** They are deleted: the candidates are the whole layer. */
    SNAPSHOT
}
