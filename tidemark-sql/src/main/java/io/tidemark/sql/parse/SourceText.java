package io.tidemark.sql.parse;

/**
 * One file of a pipeline.
 *
 * @param fileName the name that errors show, or a label such as {@code <command line>}
 * @param text the content; a byte order mark is ignored
 */
public record SourceText(String fileName, String text) {}
