package io.tidemark.s3;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.time.Duration;
import java.util.Locale;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/**
 * The clients of one store.
 *
 * @param repeating repeats requests that failed
 * @param single sends each request once, for requests of which the sender must know how often they were sent
 * @param origin the store's address
 * @param errors makes errors that name the store
 */
record S3Connection(S3Client repeating, S3Client single, String origin, S3Errors errors) implements AutoCloseable {
    private static final int CONNECTIONS_MAX = 64;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(60);
    /** The region that stores without regions expect. */
    private static final String REGION_DEFAULT = "us-east-1";

    static S3Connection open(S3Settings settings, ExecutionInterceptor... interceptors) {
        String origin = settings.endpoint().map(Object::toString).orElse("s3.amazonaws.com");
        Region region = Region.of(region(settings));
        SdkHttpClient http = Apache5HttpClient.builder()
                .maxConnections(CONNECTIONS_MAX)
                .connectionTimeout(CONNECT_TIMEOUT)
                .socketTimeout(SOCKET_TIMEOUT)
                .build();
        AwsCredentialsProvider credentials =
                DefaultCredentialsProvider.builder().build();
        S3ClientBuilder builder = S3Client.builder()
                .region(region)
                .credentialsProvider(credentials)
                .httpClient(http)
                .forcePathStyle(settings.pathStyle().orElse(settings.endpoint().isPresent()));
        settings.endpoint().ifPresent(builder::endpointOverride);
        S3Client repeating = builder.overrideConfiguration(
                        configuration(interceptors).build())
                .build();
        S3Client single = builder.overrideConfiguration(configuration(interceptors)
                        .retryStrategy(AwsRetryStrategy.doNotRetry())
                        .build())
                .build();
        return new S3Connection(repeating, single, origin, new S3Errors(origin));
    }

    private static ClientOverrideConfiguration.Builder configuration(ExecutionInterceptor... interceptors) {
        ClientOverrideConfiguration.Builder configuration = ClientOverrideConfiguration.builder();
        for (ExecutionInterceptor interceptor : interceptors) {
            configuration.addExecutionInterceptor(interceptor);
        }
        return configuration;
    }

    private static String region(S3Settings settings) {
        if (settings.region().isPresent()) {
            return settings.region().get();
        }
        try {
            return DefaultAwsRegionProviderChain.builder().build().getRegion().id();
        } catch (SdkClientException e) {
            if (settings.endpoint().isPresent()) {
                return REGION_DEFAULT;
            }
            throw TidemarkException.of(ErrorCode.INVALID_SETTING, "the region of the object store is not known")
                    .hint("set AWS_REGION or --s3-region, or --s3-endpoint if it is not Amazon's store")
                    .cause(e)
                    .build();
        }
    }

    /** Whether the store is Amazon's own, which documents that conditional writes are atomic. */
    boolean isAmazon() {
        String host =
                origin.toLowerCase(Locale.ROOT).replaceFirst("^https?://", "").replaceFirst("[:/].*$", "");
        return host.endsWith(".amazonaws.com") || host.endsWith(".amazonaws.com.cn");
    }

    @Override
    public void close() {
        repeating.close();
        single.close();
    }
}
