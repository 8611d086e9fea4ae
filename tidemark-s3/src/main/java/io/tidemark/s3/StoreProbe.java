package io.tidemark.s3;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Proves that a store gives a name to one writer only, before this process first writes to a bucket. A store that ignores
 * the condition of a PUT answers like one that honours it, and silently overwrites commits; so a second PUT to one name
 * must be refused, and of several PUTs at the same time one may succeed. The race cannot prove that a store is right, but
 * finds stores that look first and write then with great likelihood; Amazon's own is spared it.
 */
final class StoreProbe {
    private static final Logger LOG = LoggerFactory.getLogger(StoreProbe.class);
    private static final String NAME = "_tidemark_probe_";
    private static final int RACES = 5;
    private static final int RACERS = 8;
    private static final int CONFLICTS_MAX = 20;

    private final S3Connection connection;
    private final Set<String> safeBuckets = new HashSet<>();

    StoreProbe(S3Connection connection) {
        this.connection = connection;
    }

    /**
     * Does nothing for a bucket that was tested; else tests it with objects beside the one that is to be written.
     *
     * @throws TidemarkException with {@link ErrorCode#STORE_UNSAFE}, and if the test could not be made
     */
    synchronized void requireSafe(S3Path written) {
        if (safeBuckets.contains(written.bucket())) {
            return;
        }
        List<S3Path> used = new ArrayList<>();
        try {
            testRepetition(fresh(written, used));
            for (int race = 0; race < RACES && !connection.isAmazon(); race++) {
                testRace(fresh(written, used));
            }
            safeBuckets.add(written.bucket());
        } catch (SdkException e) {
            throw connection.errors().translate(e, "write", written.parent());
        } finally {
            used.forEach(this::delete);
        }
    }

    private static S3Path fresh(S3Path written, List<S3Path> used) {
        S3Path path = written.parent().child(NAME + UUID.randomUUID());
        used.add(path);
        return path;
    }

    private void testRepetition(S3Path path) {
        try {
            if (!ConditionalPut.send(connection, path, body("first"))) {
                throw unsafe(path, "a conditional PUT of a new object was refused");
            }
            if (ConditionalPut.send(connection, path, body("second"))) {
                throw unsafe(path, "a second PUT with If-None-Match replaced an object instead of being refused");
            }
        } catch (S3Exception e) {
            if (e.statusCode() == S3Errors.NOT_IMPLEMENTED) {
                throw unsafe(path, "a PUT with If-None-Match was answered with " + S3Errors.text(e));
            }
            throw e;
        }
        String content = connection
                .repeating()
                .getObjectAsBytes(request -> request.bucket(path.bucket()).key(path.key()))
                .asUtf8String();
        if (!content.equals("first")) {
            throw unsafe(path, "a PUT with If-None-Match was refused, but replaced the object all the same");
        }
    }

    private void testRace(S3Path path) {
        ExecutorService racers = Executors.newFixedThreadPool(RACERS, task -> {
            Thread thread = new Thread(task, "tidemark-probe");
            thread.setDaemon(true);
            return thread;
        });
        try {
            CyclicBarrier start = new CyclicBarrier(RACERS);
            List<Future<Boolean>> results = new ArrayList<>();
            for (int i = 0; i < RACERS; i++) {
                String content = "racer " + i;
                results.add(racers.submit(() -> race(path, content, start)));
            }
            int winners = 0;
            for (Future<Boolean> result : results) {
                winners += result.get() ? 1 : 0;
            }
            if (winners != 1) {
                throw unsafe(
                        path,
                        winners + " of " + RACERS + " PUTs with If-None-Match at the same time succeeded, not one");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw TidemarkException.of(ErrorCode.INTERRUPTED, "interrupted: could not test the store of " + path)
                    .cause(e)
                    .build();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e);
        } finally {
            racers.shutdownNow();
        }
    }

    private boolean race(S3Path path, String content, CyclicBarrier start) {
        try {
            start.await();
        } catch (BrokenBarrierException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        for (int conflicts = 0; ; conflicts++) {
            try {
                return ConditionalPut.send(connection, path, body(content));
            } catch (S3Exception e) {
                if (e.statusCode() != S3Errors.CONFLICT || conflicts == CONFLICTS_MAX) {
                    throw e;
                }
            }
        }
    }

    private static RequestBody body(String content) {
        return RequestBody.fromBytes(content.getBytes(StandardCharsets.UTF_8));
    }

    private void delete(S3Path path) {
        try {
            connection
                    .repeating()
                    .deleteObject(request -> request.bucket(path.bucket()).key(path.key()));
        } catch (SdkException e) {
            LOG.debug("the object {} of a test stays behind", path, e);
        }
    }

    private TidemarkException unsafe(S3Path path, String seen) {
        return TidemarkException.of(
                        ErrorCode.STORE_UNSAFE,
                        "the store " + connection.origin() + " is not safe for tables: bucket " + path.bucket())
                .detail("It must let one writer only create an object, but " + seen
                        + ". Two writers of one table would silently lose each other's commits.")
                .hint("use a store, or a newer release of it, that honours If-None-Match on PUT atomically; nothing of"
                        + " the table was written")
                .build();
    }
}
