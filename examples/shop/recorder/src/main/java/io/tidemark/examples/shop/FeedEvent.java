// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What the replay needs of one recorded event.
 *
 * @param position place in the table's stream
 * @param lsn      place in the write-ahead log, 0 for a tombstone, which has none
 * @param op       Debezium's letter, or {@link FeedCounts#TOMBSTONE}
 * @param key      the key, JSON null for a truncate
 * @param after    the new row, or null
 */
record FeedEvent(int position, long lsn, String op, JsonNode key, JsonNode after) {
}
