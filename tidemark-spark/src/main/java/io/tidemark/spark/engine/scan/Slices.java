package io.tidemark.spark.engine.scan;

import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * What one task reads, in this order.
 *
 * @param slices parts of files, in the order of the scan
 */
record Slices(List<FileSlice> slices) implements InputPartition {}
