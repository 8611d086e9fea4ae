package io.tidemark.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.TableDefinition;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A request whose answer is lost: whoever sent it must find out whether it took effect. */
class LostAnswersTest {
    private static S3Server server;
    private static int folders;

    private Gateway gateway;
    private S3Storage storage;
    private String folder;

    @BeforeAll
    static void startServer() {
        server = S3Server.open();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void open() {
        gateway = new Gateway(server.endpoint());
        storage = new S3Storage(S3Server.settings(gateway.endpoint()));
        folder = server.root() + "/folder" + folders++;
        // Tests the store, so that what follows is about one request.
        storage.write(folder + "/first", new byte[1]);
    }

    @AfterEach
    void close() {
        storage.close();
        gateway.close();
    }

    @Test
    void knowsItsOwnFileAgain() {
        AtomicInteger requests = new AtomicInteger();
        gateway.rule(request -> {
            if (request.creates("/a") && requests.incrementAndGet() == 1) {
                assertThat(request.forward(true).statusCode()).isEqualTo(200);
                request.drop();
            } else {
                request.pass();
            }
        });
        assertThat(storage.createIfAbsent(folder + "/a", "mine".getBytes(UTF_8)))
                .isTrue();
        assertThat(requests).hasValue(2);
        assertThat(storage.read(folder + "/a")).asString(UTF_8).isEqualTo("mine");
    }

    @Test
    void knowsItsOwnFileAfterAnErrorOfTheServer() {
        AtomicInteger requests = new AtomicInteger();
        gateway.rule(request -> {
            if (request.creates("/a") && requests.incrementAndGet() <= 2) {
                request.forward(true);
                request.answer(500, "InternalError");
            } else {
                request.pass();
            }
        });
        assertThat(storage.createIfAbsent(folder + "/a", "mine".getBytes(UTF_8)))
                .isTrue();
    }

    @Test
    void doesNotTakeTheFileOfAnotherWriterForItsOwn() {
        AtomicInteger requests = new AtomicInteger();
        gateway.rule(request -> {
            if (request.creates("/a") && requests.incrementAndGet() == 1) {
                request.drop();
                storage.write(folder + "/a", "other".getBytes(UTF_8));
            } else {
                request.pass();
            }
        });
        assertThat(storage.createIfAbsent(folder + "/a", "mine".getBytes(UTF_8)))
                .isFalse();
        assertThat(storage.read(folder + "/a")).asString(UTF_8).isEqualTo("other");
    }

    @Test
    void doesNotTakeAnEqualFileForItsOwnIfNoAnswerWasLost() {
        storage.write(folder + "/a", "same".getBytes(UTF_8));
        assertThat(storage.createIfAbsent(folder + "/a", "same".getBytes(UTF_8)))
                .isFalse();
    }

    @Test
    void triesAgainWhenTheStoreIsBusyWithTheName() {
        AtomicInteger requests = new AtomicInteger();
        gateway.rule(request -> {
            if (request.creates("/a") && requests.incrementAndGet() <= 3) {
                request.answer(409, "ConditionalRequestConflict");
            } else {
                request.pass();
            }
        });
        assertThat(storage.createIfAbsent(folder + "/a", new byte[] {1})).isTrue();
    }

    @Test
    void saysWhenItCannotKnow() {
        gateway.rule(request -> {
            if (request.creates("/a")) {
                request.answer(503, "SlowDown");
            } else {
                request.pass();
            }
        });
        TidemarkException error = catchThrowableOfType(
                TidemarkException.class, () -> storage.createIfAbsent(folder + "/a", new byte[] {1}));
        assertThat(error.code()).isEqualTo(ErrorCode.WRITE_OUTCOME_UNKNOWN);
        assertThat(error.render())
                .contains(folder + "/a")
                .contains(gateway.endpoint().toString());
    }

    @Test
    void commitsOnceAlthoughTheAnswerIsLost() {
        AtomicInteger requests = new AtomicInteger();
        gateway.rule(request -> {
            if (request.creates(".json") && requests.incrementAndGet() % 2 == 1) {
                request.forward(true);
                request.drop();
            } else {
                request.pass();
            }
        });
        DeltaTable table = DeltaTable.at(storage, folder + "/table");
        assertThat(table.create(definition()).commit()).isEqualTo(new CommitOutcome.Committed(0));
        for (int version = 1; version <= 3; version++) {
            CommitOutcome outcome =
                    table.snapshot().begin("TEST").userMetadata("v" + version).commit();
            assertThat(outcome).isEqualTo(new CommitOutcome.Committed(version));
        }
        assertThat(table.versions()).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void reportsACommitOfUnknownOutcome() {
        DeltaTable table = DeltaTable.at(storage, folder + "/table");
        table.create(definition()).commit();
        gateway.rule(request -> {
            if (request.creates(".json")) {
                request.drop();
            } else {
                request.pass();
            }
        });
        // The log can be read and does not hold the commit; yet a request may still be on its way.
        CommitOutcome outcome =
                table.snapshot().begin("TEST").userMetadata("lost").commit();
        assertThat(outcome).isInstanceOf(CommitOutcome.Unknown.class);
    }

    @Test
    void anInterruptDoesNotLeaveItOpenWhetherTheFileIsThere() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        gateway.rule(request -> {
            if (request.creates("/a")) {
                arrived.countDown();
                interrupted.await();
            }
            request.pass();
        });
        ExecutorService thread = Executors.newSingleThreadExecutor();
        Thread[] writer = new Thread[1];
        Future<List<Boolean>> result = thread.submit(() -> {
            writer[0] = Thread.currentThread();
            boolean created = storage.createIfAbsent(folder + "/a", new byte[] {1});
            return List.of(created, Thread.interrupted());
        });
        arrived.await();
        writer[0].interrupt();
        interrupted.countDown();
        assertThat(result.get()).containsExactly(true, true);
        thread.shutdown();
        assertThat(storage.exists(folder + "/a")).isTrue();
    }

    @Test
    void sendsNothingIfItWasInterruptedBefore() {
        Thread.currentThread().interrupt();
        TidemarkException error = catchThrowableOfType(
                TidemarkException.class, () -> storage.createIfAbsent(folder + "/a", new byte[] {1}));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(error.code()).isEqualTo(ErrorCode.INTERRUPTED);
        assertThat(storage.exists(folder + "/a")).isFalse();
    }

    @Test
    void readsOnAfterABrokenDownload() {
        byte[] content = new byte[300_000];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i * 7);
        }
        storage.write(folder + "/a", content);
        AtomicInteger requests = new AtomicInteger();
        gateway.rule(request -> {
            if (requests.incrementAndGet() % 2 == 1) {
                request.drop();
            } else {
                request.pass();
            }
        });
        assertThat(storage.read(folder + "/a")).isEqualTo(content);
    }

    static TableDefinition definition() {
        return new TableDefinition(
                StructType.of(StructField.of("id", ScalarType.LONG)), List.of(), List.of(), Map.of(), null);
    }
}
