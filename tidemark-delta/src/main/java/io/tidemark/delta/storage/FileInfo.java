package io.tidemark.delta.storage;

import java.time.Instant;

/**
 * What a storage knows about a file without opening it.
 *
 * @param path the full path, usable with the storage that returned it
 * @param name the last part of the path
 * @param size length in bytes
 * @param modified when it was last written
 */
public record FileInfo(String path, String name, long size, Instant modified) {}
