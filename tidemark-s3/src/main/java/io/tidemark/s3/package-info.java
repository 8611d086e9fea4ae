/** Tables on S3-compatible object stores. */
@org.jspecify.annotations.NullMarked
package io.tidemark.s3;
