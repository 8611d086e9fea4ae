/** Statements of the session as a user writes them, and what becomes of the tables. */
@NullMarked
package io.tidemark.tests.sql;

import org.jspecify.annotations.NullMarked;
