/** Tables behind Hadoop's file system API. */
@org.jspecify.annotations.NullMarked
package io.tidemark.hadoop;
