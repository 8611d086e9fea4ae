package io.tidemark.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.cache.FileCache;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.warehouse.Warehouse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores that would let two writers have one version are refused before anything of a table is written. */
class UnsafeStoreTest {
    /** Time in which eight requests that start together certainly overlap. */
    private static final long GAP_MILLIS = 300;

    private static S3Server server;

    @TempDir
    Path scratch;

    @BeforeAll
    static void startServer() {
        server = S3Server.open();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void refusesAStoreThatIgnoresTheCondition() {
        refuses("ignores", "replaced an object", request -> request.answer(request.forward(false)));
    }

    @Test
    void refusesAStoreThatLooksFirstAndWritesThen() {
        refuses("looks", "at the same time succeeded", request -> {
            if (!request.isConditional()) {
                request.pass();
            } else if (request.exists()) {
                request.answer(412, "PreconditionFailed");
            } else {
                Thread.sleep(GAP_MILLIS);
                request.answer(request.forward(false));
            }
        });
    }

    @Test
    void refusesAStoreThatSaysNoAndWritesAllTheSame() {
        refuses("lies", "all the same", request -> {
            if (request.isConditional() && request.exists()) {
                request.forward(false);
                request.answer(412, "PreconditionFailed");
            } else {
                request.pass();
            }
        });
    }

    @Test
    void refusesAStoreThatDoesNotKnowTheCondition() {
        refuses("ignorant", "NotImplemented", request -> {
            if (request.isConditional()) {
                request.answer(501, "NotImplemented");
            } else {
                request.pass();
            }
        });
    }

    private void refuses(String folder, String seen, Gateway.Rule rule) {
        String root = server.root() + "/" + folder;
        try (Gateway gateway = new Gateway(server.endpoint());
                S3Storage storage = new S3Storage(S3Server.settings(gateway.endpoint()));
                FileCache cache = new FileCache(scratch.resolve("cache"), 1_000_000, location -> storage);
                DuckDbEngine engine = DuckDbEngine.open(
                        DuckDbSettings.defaults(scratch.resolve("temp")).withRemoteFiles(cache))) {
            gateway.rule(rule);
            Session session = new Session(Warehouse.at(storage, root), engine, scratch);
            for (String statement : new String[] {"CREATE TABLE a AS SELECT 1 AS id", "CREATE TABLE b (id INT)"}) {
                TidemarkException error = catchThrowableOfType(
                        TidemarkException.class,
                        () -> session.execute(new SourceText("s.sql", statement), result -> {}));
                assertThat(error).as(statement).isNotNull();
                assertThat(error.code()).as(error.render()).isEqualTo(ErrorCode.STORE_UNSAFE);
                assertThat(error.render())
                        .contains(gateway.endpoint().toString())
                        .contains(seen);
            }
            assertThat(S3Server.keys(storage, root)).isEmpty();
        }
    }

    @Test
    void testsABucketOnce() {
        try (Gateway gateway = new Gateway(server.endpoint());
                S3Storage storage = new S3Storage(S3Server.settings(gateway.endpoint()))) {
            String root = server.root() + "/once";
            storage.write(root + "/x/a", new byte[1]);
            gateway.rule(request -> {
                if (request.isConditional()) {
                    request.answer(501, "NotImplemented");
                } else {
                    request.pass();
                }
            });
            storage.write(root + "/y/b", new byte[1]);
            assertThat(S3Server.keys(storage, root)).containsExactlyInAnyOrder(root + "/x/a", root + "/y/b");
        }
    }
}
