/** Tests against a cluster in the same process. */
package io.tidemark.hadoop;
