package io.tidemark.s3;

import io.tidemark.delta.storage.Storage;
import java.net.URI;
import java.util.UUID;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;

/** An object store in this process, with a fresh bucket. */
final class S3Server implements AutoCloseable {
    static final String ACCESS_KEY = "test-access";
    static final String SECRET_KEY = "test-secret";
    private static final long START_MILLIS_MAX = 60_000;

    static {
        // Where the client looks for credentials before it looks at the environment of whoever runs the tests.
        System.setProperty("aws.accessKeyId", ACCESS_KEY);
        System.setProperty("aws.secretAccessKey", SECRET_KEY);
    }

    private final S3Proxy server;
    private final String bucket = "bucket-" + UUID.randomUUID();

    private S3Server(boolean checksSignatures) {
        TransientNio2BlobStore blobs = new TransientNio2BlobStore();
        blobs.createContainer(bucket);
        S3Proxy.Builder builder = S3Proxy.builder().blobStore(blobs).endpoint(URI.create("http://127.0.0.1:0"));
        if (checksSignatures) {
            builder.awsAuthentication(AuthenticationType.AWS_V2_OR_V4, ACCESS_KEY, SECRET_KEY);
        }
        server = builder.build();
        try {
            server.start();
            long end = System.nanoTime() + START_MILLIS_MAX * 1_000_000;
            while (!server.getState().equals("STARTED") && System.nanoTime() < end) {
                Thread.sleep(10);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** A store that checks who asks. */
    static S3Server start() {
        return new S3Server(true);
    }

    /** A store behind a gateway that changes requests, which would break signatures. */
    static S3Server open() {
        return new S3Server(false);
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getPort());
    }

    S3Settings settings() {
        return settings(endpoint());
    }

    static S3Settings settings(URI endpoint) {
        return S3Settings.fromEnvironment(java.util.Map.of())
                .withEndpoint(endpoint.toString())
                .withRegion("us-east-1");
    }

    String root() {
        return "s3://" + bucket;
    }

    /** The keys of all objects. */
    static java.util.List<String> keys(Storage storage, String folder) {
        java.util.List<String> keys = new java.util.ArrayList<>();
        storage.list(folder, "").forEach(file -> keys.add(file.path()));
        storage.folders(folder).forEach(child -> keys.addAll(keys(storage, storage.child(folder, child))));
        return keys;
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
