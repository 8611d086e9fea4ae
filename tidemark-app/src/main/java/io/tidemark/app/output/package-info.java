/** Output for people and for programs: aligned text, CSV and JSON. */
@NullMarked
package io.tidemark.app.output;

import org.jspecify.annotations.NullMarked;
