package io.tidemark.hadoop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.cache.FileCache;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.warehouse.Warehouse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Options.Rename;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is special to HDFS; what all storages have in common is checked elsewhere. */
class HadoopStorageTest {
    @TempDir
    static Path clusterFolder;

    private static HdfsCluster cluster;
    private static int folders;

    @TempDir
    Path scratch;

    private final HadoopStorage storage = new HadoopStorage(impatient());
    private String folder;

    @BeforeAll
    static void startCluster() {
        cluster = new HdfsCluster(clusterFolder);
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @BeforeEach
    void freshFolder() {
        folder = cluster.root() + "/f" + folders++;
        storage.createFolders(folder);
    }

    /** Gives up at once when nobody answers. */
    private static Configuration impatient() {
        Configuration configuration = new Configuration();
        configuration.setInt("ipc.client.connect.max.retries", 0);
        configuration.setBoolean("dfs.client.retry.policy.enabled", false);
        return configuration;
    }

    private List<String> names() {
        return storage.list(folder, "").stream().map(FileInfo::name).toList();
    }

    @Test
    void knowsItsOwnFileAgain() {
        HadoopStorage lossy = new HadoopStorage(impatient(), (files, from, to, option) -> {
            files.rename(from, to, option);
            throw new IOException("the answer is lost");
        });
        assertThat(lossy.createIfAbsent(folder + "/a", "mine".getBytes(UTF_8))).isTrue();
        assertThat(storage.read(folder + "/a")).asString(UTF_8).isEqualTo("mine");
        assertThat(names()).containsExactly("a");
    }

    @Test
    void knowsItsOwnFileWhenItsRepetitionFails() {
        HadoopStorage repeating = new HadoopStorage(impatient(), (files, from, to, option) -> {
            files.rename(from, to, option);
            throw new org.apache.hadoop.fs.FileAlreadyExistsException("the second request came too late");
        });
        assertThat(repeating.createIfAbsent(folder + "/a", new byte[] {1})).isTrue();
    }

    @Test
    void aRequestThatComesLateHasNoEffect() {
        List<ThrowingCallable> late = new ArrayList<>();
        HadoopStorage slow = new HadoopStorage(impatient(), (files, from, to, option) -> {
            late.add(() -> files.rename(from, to, option));
            throw new IOException("no answer");
        });
        TidemarkException error = fault(() -> slow.createIfAbsent(folder + "/a", new byte[] {1}));
        assertThat(error.code()).isEqualTo(ErrorCode.IO_FAILED);
        assertThat(catchThrowableOfType(IOException.class, late.get(0))).isNotNull();
        assertThat(names()).isEmpty();
    }

    @Test
    void doesNotTakeTheFileOfAnotherWriterForItsOwn() {
        HadoopStorage beaten = new HadoopStorage(impatient(), (files, from, to, option) -> {
            storage.createIfAbsent(to.toString(), "other".getBytes(UTF_8));
            files.rename(from, to, option);
        });
        assertThat(beaten.createIfAbsent(folder + "/a", "mine".getBytes(UTF_8))).isFalse();
        assertThat(storage.read(folder + "/a")).asString(UTF_8).isEqualTo("other");
        assertThat(names()).containsExactly("a");
    }

    @Test
    void saysWhenItCannotKnow() {
        AtomicInteger renames = new AtomicInteger();
        TidemarkException[] error = new TidemarkException[1];
        HadoopStagedFile.Renaming interrupted =
                (FileContext files, org.apache.hadoop.fs.Path from, org.apache.hadoop.fs.Path to, Rename option) -> {
                    renames.incrementAndGet();
                    cluster.stopNameNode();
                    throw new IOException("no answer");
                };
        HadoopStorage cut = new HadoopStorage(impatient(), interrupted);
        try {
            error[0] = fault(() -> cut.createIfAbsent(folder + "/a", new byte[] {1}));
        } finally {
            cluster.startNameNode();
        }
        assertThat(renames).hasValue(1);
        assertThat(error[0].code()).isEqualTo(ErrorCode.WRITE_OUTCOME_UNKNOWN);
    }

    @Test
    void tablesDoTheSameAsOnALocalDisk() {
        String root = folder + "/lake";
        try (FileCache cache = new FileCache(scratch.resolve("cache"), 1_000, location -> storage);
                DuckDbEngine engine = DuckDbEngine.open(
                        DuckDbSettings.defaults(scratch.resolve("temp")).withRemoteFiles(cache))) {
            Session session = new Session(Warehouse.at(storage, root), engine, scratch);
            run(
                    session,
                    "CREATE TABLE t (id BIGINT, part STRING) PARTITIONED BY (part) TBLPROPERTIES"
                            + " ('delta.enableDeletionVectors' = 'true', 'delta.checkpointInterval' = '2')");
            run(session, "INSERT INTO t SELECT id, concat('p ä%', id % 2) FROM range(1000) AS r(id)");
            run(session, "DELETE FROM t WHERE id < 10");
            run(session, "UPDATE t SET id = -id WHERE id >= 990");
            run(session, "OPTIMIZE t");
            assertThat(run(session, "SELECT part, count(*), sum(id) FROM t GROUP BY part ORDER BY part"))
                    .containsExactly("p ä%0|495|239540", "p ä%1|495|240025");
            run(session, "RESTORE TABLE t TO VERSION AS OF 1");
            assertThat(run(session, "SELECT count(*) FROM t")).containsExactly("1000");
            run(session, "DROP TABLE t");
            assertThat(storage.exists(root + "/default/t")).isFalse();
        }
    }

    private static List<String> run(Session session, String text) {
        List<String> rows = new ArrayList<>();
        session.execute(new SourceText("s.sql", text), result -> {
            if (result instanceof StatementResult.Rows found) {
                found.rows().forEach(values -> {
                    rows.add(String.join(
                            "|", values.stream().map(String::valueOf).toList()));
                    return true;
                });
            }
        });
        return rows;
    }

    /** What is in use is told from what is not by its path: other spellings would be taken for other files. */
    @Test
    void namesFilesAsTheyWereAskedFor() {
        String host = cluster.root().substring("hdfs://".length());
        Configuration configuration = impatient();
        configuration.set("dfs.nameservices", "service");
        configuration.set("dfs.ha.namenodes.service", "one");
        configuration.set("dfs.namenode.rpc-address.service.one", host);
        configuration.set(
                "dfs.client.failover.proxy.provider.service",
                "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider");
        configuration.set("fs.viewfs.mounttable.views.link./data", folder);
        HadoopStorage other = new HadoopStorage(configuration);
        String name = folder.substring(folder.lastIndexOf('/'));
        for (String root : List.of(folder, "hdfs://service" + name, "viewfs://views/data")) {
            String path = root + "/" + root.length();
            assertThat(other.canonical(root)).isEqualTo(root);
            assertThat(other.createIfAbsent(path, new byte[] {1})).isTrue();
            assertThat(other.createIfAbsent(path, new byte[] {2})).isFalse();
            assertThat(other.info(path).orElseThrow().path()).isEqualTo(path);
            assertThat(other.list(root, ""))
                    .extracting(FileInfo::path)
                    .contains(path)
                    .allMatch(file -> file.startsWith(root));
        }
        assertThat(names()).hasSize(3);
    }

    @Test
    void givesOneSpellingToEachLocation() {
        assertThat(storage.canonical("hdfs://host:1/x//y/")).isEqualTo("hdfs://host:1/x/y");
        assertThat(storage.canonical("HDFS://host:1/x")).isEqualToIgnoringCase("hdfs://host:1/x");
        Configuration configuration = new Configuration();
        configuration.set("fs.defaultFS", "hdfs://host:1");
        assertThat(new HadoopStorage(configuration).canonical("hdfs:///x")).isEqualTo("hdfs://host:1/x");
        assertThat(fault(() -> storage.canonical("hdfs:///x")).render()).contains("HADOOP_CONF_DIR");
        assertThat(fault(() -> storage.canonical("gs://b/x")).render()).contains("gs://b/x");
        assertThat(storage.resolve(folder, "hdfs://host:1/a%20b")).isEqualTo("hdfs://host:1/a b");
        assertThat(storage.resolve(folder, "s3://b/a%20b")).isEqualTo("s3://b/a%20b");
    }

    private static TidemarkException fault(ThrowingCallable work) {
        TidemarkException fault = catchThrowableOfType(TidemarkException.class, work);
        assertThat(fault).isNotNull();
        return fault;
    }
}
