package io.tidemark.app.storage;

import io.tidemark.delta.storage.Storage;
import io.tidemark.hadoop.HadoopStorage;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class HadoopStorageContractTest extends StorageContract {
    @TempDir
    static Path clusterFolder;

    private static HdfsCluster cluster;
    private static HadoopStorage storage;

    @BeforeAll
    static void startCluster() {
        cluster = new HdfsCluster(clusterFolder);
        storage = HadoopStorage.configuredBy(Optional.empty());
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @Override
    Storage storage() {
        return storage;
    }

    @Override
    String root() {
        return cluster.root() + "/some folder";
    }
}
