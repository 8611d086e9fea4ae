package io.tidemark.s3;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Creates an object unless there is one of its name, and finds out whether it did. A request whose answer was lost is
 * sent again until an answer is certain: as long as the object is not there, the repetition creates it; if it is there,
 * its content tells whose it is.
 */
final class ConditionalPut {
    private static final int ATTEMPTS_MAX = 8;
    private static final long WAIT_MILLIS_MIN = 50;
    private static final long WAIT_MILLIS_MAX = 5_000;
    private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(60);
    private static final int SERVER_ERROR = 500;
    private static final int TOO_MANY_REQUESTS = 429;

    private final S3Connection connection;
    private final S3Path path;
    private final Content content;
    /** Whether an earlier request may have created the object, or may still do so. */
    private boolean mayBeOurs;

    private boolean interrupted;

    /** What to write. Called again for each attempt. */
    interface Content {
        RequestBody body();

        InputStream open() throws IOException;
    }

    ConditionalPut(S3Connection connection, S3Path path, Content content) {
        this.connection = connection;
        this.path = path;
        this.content = content;
    }

    /**
     * Creates the object.
     *
     * @return whether it was created by this call
     */
    boolean run() {
        if (Thread.currentThread().isInterrupted()) {
            // Nothing was sent, so there is nothing to find out.
            throw TidemarkException.of(ErrorCode.INTERRUPTED, "interrupted: could not create " + path)
                    .build();
        }
        try {
            return attempts();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean attempts() {
        @Nullable SdkException last = null;
        long wait = WAIT_MILLIS_MIN;
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            if (attempt > 0) {
                sleep(wait);
                wait = Math.min(WAIT_MILLIS_MAX, wait * 2);
            }
            // An interrupt is a reason to stop, but not to leave it open whether the object is there.
            interrupted |= Thread.interrupted();
            try {
                if (send(connection, path, content.body())) {
                    return true;
                }
                return mayBeOurs && isOurs();
            } catch (SdkException e) {
                last = e;
                if (isCertain(e)) {
                    break;
                }
            }
        }
        throw failure(last);
    }

    /**
     * Sends the request once.
     *
     * @return false if there is an object of that name
     */
    static boolean send(S3Connection connection, S3Path path, RequestBody body) {
        PutObjectRequest request = PutObjectRequest.builder()
                .bucket(path.bucket())
                .key(path.key())
                .ifNoneMatch("*")
                .overrideConfiguration(override -> override.apiCallTimeout(ATTEMPT_TIMEOUT))
                .build();
        try {
            connection.single().putObject(request, body);
            return true;
        } catch (S3Exception e) {
            if (e.statusCode() == S3Errors.PRECONDITION_FAILED) {
                return false;
            }
            throw e;
        }
    }

    /** Notes what a failure means; true if to try again would not help. */
    private boolean isCertain(SdkException e) {
        if (e instanceof S3Exception answer) {
            if (answer.statusCode() == S3Errors.CONFLICT || answer.statusCode() == TOO_MANY_REQUESTS) {
                // Another writer is at work on the name; this request had no effect.
                return false;
            }
            boolean open = answer.statusCode() >= SERVER_ERROR && answer.statusCode() != S3Errors.NOT_IMPLEMENTED;
            mayBeOurs |= open;
            return !open;
        }
        if (e instanceof SdkClientException && S3Errors.text(e).contains("credentials")) {
            return true;
        }
        mayBeOurs = true;
        return false;
    }

    private boolean isOurs() {
        @Nullable SdkException last = null;
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            interrupted |= Thread.interrupted();
            try (InputStream stored = new BufferedInputStream(connection
                            .repeating()
                            .getObject(request -> request.bucket(path.bucket()).key(path.key())));
                    InputStream own = new BufferedInputStream(content.open())) {
                return sameBytes(stored, own);
            } catch (SdkException e) {
                last = e;
            } catch (IOException e) {
                last = SdkClientException.create(String.valueOf(e.getMessage()), e);
            }
            sleep(WAIT_MILLIS_MIN << attempt);
        }
        throw failure(last);
    }

    private static boolean sameBytes(InputStream left, InputStream right) throws IOException {
        while (true) {
            int one = left.read();
            if (one != right.read()) {
                return false;
            }
            if (one < 0) {
                return true;
            }
        }
    }

    private TidemarkException failure(@Nullable SdkException last) {
        if (last == null) {
            throw new IllegalStateException("no attempt was made");
        }
        if (!mayBeOurs) {
            return connection.errors().translate(last, "create", path);
        }
        return TidemarkException.of(ErrorCode.WRITE_OUTCOME_UNKNOWN, "it is not known whether " + path + " was created")
                .detail("The store " + connection.origin() + " did not answer for certain: " + S3Errors.text(last)
                        + ".")
                .hint("look whether the object is there once the store answers again")
                .cause(last)
                .build();
    }

    private void sleep(long millis) {
        try {
            Thread.sleep(Math.min(WAIT_MILLIS_MAX, millis));
        } catch (InterruptedException e) {
            interrupted = true;
        }
    }

    /** A content in memory. */
    static Content of(byte[] bytes) {
        return new Content() {
            @Override
            public RequestBody body() {
                return RequestBody.fromBytes(bytes);
            }

            @Override
            public InputStream open() {
                return new java.io.ByteArrayInputStream(bytes);
            }
        };
    }

    /** A content in a local file. */
    static Content of(java.nio.file.Path file) {
        return new Content() {
            @Override
            public RequestBody body() {
                try {
                    return RequestBody.fromFile(file);
                } catch (RuntimeException e) {
                    throw new UncheckedIOException(new IOException(e));
                }
            }

            @Override
            public InputStream open() throws IOException {
                return java.nio.file.Files.newInputStream(file);
            }
        };
    }
}
