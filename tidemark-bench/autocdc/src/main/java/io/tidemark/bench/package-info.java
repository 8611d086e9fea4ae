/** Spark's own AUTO CDC as a contestant of the benchmarks, built apart because it needs another release of Spark. */
package io.tidemark.bench;
