package io.tidemark.app.storage;

import java.net.URI;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;

/** An object store in this process, with one bucket. */
public final class ObjectStore implements AutoCloseable {
    /** Key of its one user. */
    public static final String ACCESS_KEY = "test-access";
    /** Secret of its one user. */
    public static final String SECRET_KEY = "test-secret";

    private static final String BUCKET = "test-bucket";

    static {
        // Where the client looks for credentials before it looks at the environment of whoever runs the tests.
        System.setProperty("aws.accessKeyId", ACCESS_KEY);
        System.setProperty("aws.secretAccessKey", SECRET_KEY);
    }

    private final S3Proxy server;

    /** Starts it. */
    public ObjectStore() {
        TransientNio2BlobStore blobs = new TransientNio2BlobStore();
        blobs.createContainer(BUCKET);
        server = S3Proxy.builder()
                .blobStore(blobs)
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, ACCESS_KEY, SECRET_KEY)
                .build();
        try {
            server.start();
            while (!server.getState().equals("STARTED")) {
                Thread.sleep(10);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Its address. */
    public String endpoint() {
        return "http://127.0.0.1:" + server.getPort();
    }

    /** The bucket as a folder. */
    public String root() {
        return "s3://" + BUCKET;
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
