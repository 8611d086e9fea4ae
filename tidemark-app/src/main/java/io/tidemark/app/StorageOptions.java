package io.tidemark.app;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.cache.FileCache;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import io.tidemark.hadoop.HadoopStorage;
import io.tidemark.s3.S3Settings;
import io.tidemark.s3.S3Storage;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say how files are reached; the one place that decides which storage serves a location. */
final class StorageOptions {
    private static final String SCHEME_END = "://";

    @Option(
            names = "--s3-endpoint",
            paramLabel = "URL",
            description = "Address of the object store of s3:// paths (default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL,"
                    + " or Amazon's). Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws.")
    private @Nullable String endpoint;

    @Option(
            names = "--s3-region",
            paramLabel = "REGION",
            description = "Region of the buckets (default: AWS_REGION, or the profile's).")
    private @Nullable String region;

    @Option(
            names = "--s3-path-style",
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            description = "Whether the bucket stands in the path of requests instead of the host's name (default: if"
                    + " there is an endpoint).")
    private @Nullable Boolean pathStyle;

    @Option(
            names = "--cache",
            paramLabel = "DIR",
            description = "Folder for local copies of remote data files; several processes may share it (default:"
                    + " tidemark in the user's cache folder).")
    private @Nullable Path cache;

    @Option(
            names = "--cache-limit",
            paramLabel = "SIZE",
            defaultValue = "10GB",
            description = "How much the copies may take that nobody uses just then (default: ${DEFAULT-VALUE}).")
    private String cacheLimit = "10GB";

    private @Nullable Storage objects;
    private @Nullable Storage hadoop;

    /** The storage that serves a location. */
    synchronized Storage storage(String location) {
        int end = location.indexOf(SCHEME_END);
        String scheme = end < 0 ? "file" : location.substring(0, end).toLowerCase(Locale.ROOT);
        return switch (scheme) {
            case "file" -> new LocalStorage();
            case "s3", "s3a", "s3n" -> {
                Storage open = objects;
                if (open == null) {
                    open = openObjects();
                    objects = open;
                }
                yield open;
            }
            case "hdfs", "viewfs" -> {
                Storage open = hadoop;
                if (open == null) {
                    open = HadoopStorage.configuredBy(Optional.ofNullable(System.getenv("HADOOP_CONF_DIR")));
                    hadoop = open;
                }
                yield open;
            }
            default ->
                throw TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE,
                                "tables cannot be kept at " + location + ": " + scheme + " is not supported")
                        .detail("Tables need a store that gives a name to one of several writers.")
                        .hint("name a local folder, s3://bucket/folder or hdfs://host/folder")
                        .build();
        };
    }

    /** Separate, so that the classes of the store's client are loaded only if there is need of them. */
    private Storage openObjects() {
        S3Settings settings = S3Settings.fromEnvironment(System.getenv());
        if (endpoint != null) {
            settings = settings.withEndpoint(endpoint);
        }
        if (region != null) {
            settings = settings.withRegion(region);
        }
        if (pathStyle != null) {
            settings = settings.withPathStyle(pathStyle);
        }
        return new S3Storage(settings);
    }

    /** The local copies of remote files; nothing is on disk before the first one. */
    FileCache cache() {
        return new FileCache(cache == null ? defaultCache() : cache, EngineLimits.bytes(cacheLimit), this::storage);
    }

    private static Path defaultCache() {
        String said = System.getenv("XDG_CACHE_HOME");
        Path folder =
                said == null || said.isBlank() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(said);
        return folder.resolve("tidemark");
    }
}
