package io.tidemark.compile.catalog;

/**
 * A catalog version that an output version was made from.
 *
 * @param catalog id under which the program bound the catalog
 * @param version its version; 0 for one that was empty
 * @param direct whether the program read it itself, rather than one of its inputs
 */
public record Dependency(String catalog, long version, boolean direct) {}
