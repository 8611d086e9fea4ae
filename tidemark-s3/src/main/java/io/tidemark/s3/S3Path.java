package io.tidemark.s3;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * An object, or the folder of all objects whose keys begin with a key and a slash.
 *
 * @param bucket the bucket
 * @param key the key without slashes at its ends; empty for the whole bucket
 */
record S3Path(String bucket, String key) {
    private static final Set<String> SCHEMES = Set.of("s3", "s3a", "s3n");
    private static final String SEPARATOR = "://";

    /** Whether a text begins as these paths do. */
    static boolean matches(String text) {
        return scheme(text).isPresent();
    }

    private static Optional<String> scheme(String text) {
        int end = text.indexOf(SEPARATOR);
        return end < 0
                ? Optional.empty()
                : Optional.of(text.substring(0, end).toLowerCase(Locale.ROOT)).filter(SCHEMES::contains);
    }

    /** Reads a path as it is, nothing of it being encoded. */
    static S3Path parse(String text) {
        if (scheme(text).isEmpty()) {
            throw bad(text, "it does not begin with s3://");
        }
        String rest = text.substring(text.indexOf(SEPARATOR) + SEPARATOR.length());
        int slash = rest.indexOf('/');
        String bucket = slash < 0 ? rest : rest.substring(0, slash);
        if (bucket.isEmpty()) {
            throw bad(text, "it names no bucket");
        }
        List<String> parts = new ArrayList<>();
        for (String part : slash < 0 ? new String[0] : rest.substring(slash + 1).split("/", -1)) {
            if (part.equals(".") || part.equals("..")) {
                throw bad(text, "object stores have no folders . and ..");
            }
            if (!part.isEmpty()) {
                parts.add(part);
            }
        }
        return new S3Path(bucket, String.join("/", parts));
    }

    /** What keys of objects in this folder begin with. */
    String prefix() {
        return key.isEmpty() ? "" : key + "/";
    }

    /** The last part of the key. */
    String name() {
        return key.substring(key.lastIndexOf('/') + 1);
    }

    /** The folder that this is in. */
    S3Path parent() {
        int slash = key.lastIndexOf('/');
        return new S3Path(bucket, slash < 0 ? "" : key.substring(0, slash));
    }

    S3Path child(String name) {
        return new S3Path(bucket, prefix() + name);
    }

    private static TidemarkException bad(String text, String why) {
        return TidemarkException.of(ErrorCode.IO_FAILED, "not a path of an object store: " + text)
                .detail("It should be s3://bucket/folder, but " + why + ".")
                .build();
    }

    @Override
    public String toString() {
        return "s3://" + bucket + (key.isEmpty() ? "" : "/" + key);
    }
}
