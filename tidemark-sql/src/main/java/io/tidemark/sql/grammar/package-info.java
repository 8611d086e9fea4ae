/** The ANTLR grammar of statements with the parts of lexer and parser that are written by hand. */
@NullMarked
package io.tidemark.sql.grammar;

import org.jspecify.annotations.NullMarked;
