/** What an update costs, counted in calls, files and rows: a clock says little on a shared machine. */
@NullMarked
package io.tidemark.tests.cost;

import org.jspecify.annotations.NullMarked;
