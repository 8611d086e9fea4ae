package io.tidemark.app.storage;

import io.tidemark.delta.storage.Storage;
import io.tidemark.s3.S3Settings;
import io.tidemark.s3.S3Storage;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class S3StorageContractTest extends StorageContract {
    private static ObjectStore server;
    private static S3Storage storage;

    @BeforeAll
    static void startServer() {
        server = new ObjectStore();
        storage = new S3Storage(S3Settings.fromEnvironment(Map.of())
                .withEndpoint(server.endpoint())
                .withRegion("us-east-1"));
    }

    @AfterAll
    static void stopServer() {
        storage.close();
        server.close();
    }

    @Override
    Storage storage() {
        return storage;
    }

    @Override
    String root() {
        return server.root() + "/some/folder";
    }
}
