/** Column types of tables, spelled as in Spark SQL and Delta Lake. */
@NullMarked
package io.tidemark.core.type;

import org.jspecify.annotations.NullMarked;
