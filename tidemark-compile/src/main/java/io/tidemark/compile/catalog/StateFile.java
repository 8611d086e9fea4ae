package io.tidemark.compile.catalog;

/**
 * A Parquet file of the state.
 *
 * @param path relative to the state folder
 * @param sizeBytes its size
 * @param rowCount its rows
 */
public record StateFile(String path, long sizeBytes, long rowCount) {}
