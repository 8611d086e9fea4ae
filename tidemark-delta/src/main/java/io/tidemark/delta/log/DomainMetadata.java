package io.tidemark.delta.log;

/**
 * A named text that belongs to the table.
 *
 * @param domain its name; names that begin with {@code delta.} belong to the protocol
 * @param configuration the text, JSON by custom
 * @param removed whether this takes the domain away
 */
public record DomainMetadata(String domain, String configuration, boolean removed) implements Action {}
