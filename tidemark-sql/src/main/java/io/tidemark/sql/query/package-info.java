/** What a query in Spark SQL reads beside plain names: streams, files, change feeds and old versions. */
@NullMarked
package io.tidemark.sql.query;

import org.jspecify.annotations.NullMarked;
