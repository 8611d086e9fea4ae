/** Local copies of remote data files, for engines that read local files only. */
@org.jspecify.annotations.NullMarked
package io.tidemark.delta.cache;
