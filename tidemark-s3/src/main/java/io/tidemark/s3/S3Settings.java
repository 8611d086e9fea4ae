package io.tidemark.s3;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.Optional;

/**
 * How an object store is reached. Credentials are not part of it: they come from where all programs of AWS look, that is
 * the environment ({@code AWS_ACCESS_KEY_ID}, {@code AWS_SECRET_ACCESS_KEY}, {@code AWS_SESSION_TOKEN}), the profile in
 * {@code ~/.aws}, or the machine's role.
 *
 * @param endpoint address of the store; empty for Amazon's own
 * @param region region of the buckets; empty = what the environment or profile says
 * @param pathStyle whether the bucket stands in the path of requests, not in the name of the host; empty = if there is
 *     an endpoint
 */
public record S3Settings(Optional<URI> endpoint, Optional<String> region, Optional<Boolean> pathStyle) {
    /** What the environment says. */
    public static S3Settings fromEnvironment(Map<String, String> environment) {
        return new S3Settings(
                said(environment, "AWS_ENDPOINT_URL_S3")
                        .or(() -> said(environment, "AWS_ENDPOINT_URL"))
                        .map(S3Settings::endpoint),
                Optional.empty(),
                Optional.empty());
    }

    private static Optional<String> said(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(text -> !text.isBlank());
    }

    /** These settings with another endpoint. */
    public S3Settings withEndpoint(String url) {
        return new S3Settings(Optional.of(endpoint(url)), region, pathStyle);
    }

    /** These settings with another region. */
    public S3Settings withRegion(String name) {
        return new S3Settings(endpoint, Optional.of(name), pathStyle);
    }

    /** These settings with the bucket in the path, or not. */
    public S3Settings withPathStyle(boolean inPath) {
        return new S3Settings(endpoint, region, Optional.of(inPath));
    }

    private static URI endpoint(String url) {
        try {
            URI uri = new URI(url);
            boolean web = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
            if (web && uri.getHost() != null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            throw notAnEndpoint(url);
        }
        throw notAnEndpoint(url);
    }

    private static TidemarkException notAnEndpoint(String url) {
        return TidemarkException.of(ErrorCode.INVALID_SETTING, "'" + url + "' is not the address of an object store")
                .hint("write for example http://127.0.0.1:9000")
                .build();
    }
}
