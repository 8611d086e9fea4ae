package io.tidemark.compile.catalog;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.stream.Collectors;

/** How the payloads of a layer are told apart. */
public enum Digest {
    MD5("MD5"),
    SHA_1("SHA-1"),
    SHA_256("SHA-256"),
    SHA_512("SHA-512");

    private final String algorithm;

    Digest(String algorithm) {
        this.algorithm = algorithm;
    }

    /** The standard name, for example {@code SHA-256}; it stands in the catalog's column {@code digest}. */
    public String algorithm() {
        return algorithm;
    }

    /**
     * The digest of a standard name, in any case.
     *
     * @throws TidemarkException {@code INVALID_SETTING}
     */
    public static Digest of(String algorithm) {
        return Arrays.stream(values())
                .filter(digest -> digest.algorithm.equalsIgnoreCase(algorithm))
                .findFirst()
                .orElseThrow(() -> TidemarkException.of(
                                ErrorCode.INVALID_SETTING, "there is no digest '" + algorithm + "'")
                        .hint("use one of "
                                + Arrays.stream(values()).map(Digest::algorithm).collect(Collectors.joining(", ")))
                        .build());
    }

    /** A computation that has seen no byte yet. */
    MessageDigest begin() {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw TidemarkException.of(ErrorCode.INTERNAL, "this Java cannot compute " + algorithm)
                    .cause(e)
                    .build();
        }
    }
}
