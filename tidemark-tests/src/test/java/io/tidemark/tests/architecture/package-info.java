/** What keeps the code and its documents in shape: module arrows, limits, links, the table of errors. */
@NullMarked
package io.tidemark.tests.architecture;

import org.jspecify.annotations.NullMarked;
