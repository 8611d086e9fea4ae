package io.tidemark.delta.log;

import org.jspecify.annotations.Nullable;

/**
 * How far an application has come, by its own counting.
 *
 * @param appId name of the application
 * @param version its progress
 * @param lastUpdated when it was written, in milliseconds since 1970
 */
public record SetTransaction(
        String appId, long version, @Nullable Long lastUpdated) implements Action {}
