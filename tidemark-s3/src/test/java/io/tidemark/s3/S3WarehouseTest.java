package io.tidemark.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.LocalStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole product on an object store does what it does on a local disk. */
class S3WarehouseTest {
    /** Smaller than any of the tables. */
    private static final long CACHE_LIMIT = 2_000;

    private static S3Server server;
    private static S3Storage storage;
    private static int warehouses;

    @TempDir
    Path scratch;

    private String root;

    @BeforeAll
    static void startServer() {
        server = S3Server.start();
        storage = new S3Storage(server.settings());
    }

    @AfterAll
    static void stopServer() {
        storage.close();
        server.close();
    }

    @BeforeEach
    void freshWarehouse() {
        root = server.root() + "/lake/w" + warehouses++;
    }

    private LakeOn remote() {
        return new LakeOn(storage, root, scratch.resolve("remote"), CACHE_LIMIT);
    }

    private LakeOn local() {
        return new LakeOn(
                new LocalStorage(),
                scratch.resolve("local/warehouse").toString(),
                scratch.resolve("local"),
                CACHE_LIMIT);
    }

    @Test
    void statementsDoTheSameAsOnALocalDisk() {
        try (LakeOn local = local();
                LakeOn remote = remote()) {
            for (String statement : List.of(
                    "CREATE TABLE t (id BIGINT, name STRING, part STRING) PARTITIONED BY (part)"
                            + " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true',"
                            + " 'delta.enableChangeDataFeed' = 'true', 'delta.checkpointInterval' = '4')",
                    "INSERT INTO t SELECT id, concat('name ', id), concat('p ä%', id % 3) FROM range(3000) AS r(id)",
                    "INSERT INTO t VALUES (5000, 'late', NULL), (5001, 'later', 'x/y')",
                    "UPDATE t SET name = 'updated' WHERE id % 10 = 1",
                    "DELETE FROM t WHERE id BETWEEN 100 AND 200",
                    "MERGE INTO t USING (SELECT id, 'merged' AS name, 'new' AS part FROM range(2990, 3010) AS r(id)) AS s"
                            + " ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name"
                            + " WHEN NOT MATCHED THEN INSERT (id, name, part) VALUES (s.id, s.name, s.part)",
                    "OPTIMIZE t",
                    "CREATE TABLE copy AS SELECT * FROM t VERSION AS OF 3",
                    "CREATE VIEW few AS SELECT count(*) AS n FROM t WHERE name = 'updated'",
                    "ALTER TABLE t ADD COLUMNS (extra INT)",
                    "INSERT INTO t VALUES (6000, 'last', 'p', 1)",
                    "DELETE FROM copy WHERE id < 2500",
                    "RESTORE TABLE copy TO VERSION AS OF 0")) {
                local.sql(statement);
                remote.sql(statement);
            }
            for (String query : List.of(
                    "SELECT * FROM t",
                    "SELECT * FROM t VERSION AS OF 2",
                    "SELECT * FROM copy",
                    "SELECT * FROM few",
                    "SELECT id, name, _change_type, _commit_version FROM table_changes('t', 0, 5)",
                    "SHOW TABLES")) {
                assertThat(remote.sorted(query))
                        .as(query)
                        .isEqualTo(local.sorted(query))
                        .isNotEmpty();
            }
            assertThat(remote.cache().bytes().orElseThrow()).isLessThanOrEqualTo(CACHE_LIMIT);
        }
    }

    @Test
    void vacuumDeletesWhatNoVersionNeedsAndDropEverything() {
        // Without a cache: a copy of a file that is gone would still be read.
        try (LakeOn remote = new LakeOn(storage, root, scratch.resolve("remote"), 0)) {
            remote.sql("CREATE TABLE t AS SELECT id FROM range(100) AS r(id)");
            remote.sql("INSERT INTO t SELECT id FROM range(100, 200) AS r(id)");
            remote.sql("OPTIMIZE t");
            long before = dataFiles();
            assertThat(before).isEqualTo(3);
            remote.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false");
            // The store's times have whole seconds: a file of this second is not yet older than no time at all.
            remote.sql("VACUUM t RETAIN 1 HOURS");
            assertThat(dataFiles()).isEqualTo(3);
            while (dataFiles() > 1) {
                remote.sql("VACUUM t RETAIN 0 HOURS");
            }
            assertThat(remote.sql("SELECT count(*), sum(id) FROM t")).containsExactly("200|19900");
            TidemarkException error =
                    catchThrowableOfType(TidemarkException.class, () -> remote.sql("SELECT * FROM t VERSION AS OF 1"));
            assertThat(error.code()).isEqualTo(ErrorCode.DATA_FILE_MISSING);
            assertThat(error.render()).contains(root + "/default/t/");
            remote.sql("DROP TABLE t");
            assertThat(S3Server.keys(storage, root)).isEmpty();
        }
    }

    private long dataFiles() {
        return storage.list(root + "/default/t", "").size();
    }

    @Test
    void pipelinesDoTheSameAsOnALocalDisk() throws IOException {
        String pipeline = "CREATE OR REFRESH STREAMING TABLE people;\n"
                + "CREATE OR REFRESH STREAMING TABLE history;\n"
                + "CREATE FLOW people AS AUTO CDC INTO people FROM STREAM read_files('feed/*.csv', format => 'csv',"
                + " schema => 'op STRING, id BIGINT, name STRING, seq BIGINT') KEYS (id) APPLY AS DELETE WHEN op = 'D'"
                + " SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) STORED AS SCD TYPE 1;\n"
                + "CREATE FLOW history AS AUTO CDC INTO history FROM STREAM read_files('feed/*.csv', format => 'csv',"
                + " schema => 'op STRING, id BIGINT, name STRING, seq BIGINT') KEYS (id) APPLY AS DELETE WHEN op = 'D'"
                + " SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) STORED AS SCD TYPE 2;\n"
                + "CREATE OR REFRESH MATERIALIZED VIEW counted AS SELECT name, count(*) AS n FROM history GROUP BY name;\n";
        try (LakeOn local = local();
                LakeOn remote = remote()) {
            for (int run = 0; run < 3; run++) {
                for (String lake : List.of("local", "remote")) {
                    Path feed = scratch.resolve(lake).resolve("feed");
                    Files.createDirectories(feed);
                    Files.writeString(feed.resolve("part" + run + ".csv"), events(run));
                }
                local.run(pipeline);
                remote.run(pipeline);
            }
            for (String table : List.of("people", "history", "counted")) {
                assertThat(remote.sorted("SELECT * FROM " + table))
                        .as(table)
                        .isEqualTo(local.sorted("SELECT * FROM " + table))
                        .hasSizeGreaterThan(3);
            }
            long version = remote.table("history").latestVersion();
            remote.run(pipeline);
            assertThat(remote.table("history").latestVersion()).isEqualTo(version);
            assertThat(storage.list(root + "/default/history/_tidemark/state", ""))
                    .isNotEmpty();
        }
        // Another process with an empty cache goes on from what is stored.
        try (LakeOn again = new LakeOn(storage, root, scratch.resolve("remote"), 0)) {
            Files.writeString(scratch.resolve("remote/feed/part9.csv"), "op,id,name,seq\nU,1,again,99\n");
            again.run(pipeline);
            assertThat(again.sql("SELECT name FROM people WHERE id = 1")).containsExactly("again");
        }
    }

    private static String events(int run) {
        StringBuilder text = new StringBuilder("op,id,name,seq\n");
        for (int id = 0; id < 40; id++) {
            if ((id + run) % 3 != 0) {
                String op = (id + run) % 7 == 0 ? "D" : "U";
                // Late events: the last run brings older sequences for some.
                int sequence = id % 5 == 0 ? 10 - run : 10 + run;
                text.append(op + "," + id + ",name " + (id + run) % 4 + "," + sequence + "\n");
            }
        }
        return text.toString();
    }

    @Test
    void twoSessionsLoseNothing() throws Exception {
        try (LakeOn maker = remote()) {
            maker.sql("CREATE TABLE t (writer INT, n INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')");
            maker.sql("CREATE TABLE counter AS SELECT 0 AS n");
        }
        int writers = 2;
        int rounds = 8;
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        try {
            List<Future<Integer>> results = new ArrayList<>();
            for (int writer = 0; writer < writers; writer++) {
                int number = writer;
                Callable<Integer> work = () -> write(number, rounds);
                results.add(threads.submit(work));
            }
            for (Future<Integer> result : results) {
                assertThat(result.get()).isEqualTo(rounds);
            }
        } finally {
            threads.shutdownNow();
        }
        try (LakeOn reader = remote()) {
            assertThat(reader.sorted("SELECT writer, count(*), count(DISTINCT n) FROM t GROUP BY writer"))
                    .containsExactly("0|8|8", "1|8|8");
            assertThat(reader.sql("SELECT n FROM counter")).containsExactly("16");
            assertThat(reader.table("t").latestVersion()).isEqualTo(16);
        }
    }

    /** Each writer has a storage, a cache folder and an engine of its own, as another process would. */
    private int write(int writer, int rounds) {
        try (S3Storage own = new S3Storage(server.settings());
                LakeOn lake = new LakeOn(own, root, scratch.resolve("writer" + writer), CACHE_LIMIT)) {
            lake.session().reruns(new io.tidemark.delta.Reruns.Limits(100, 20));
            for (int round = 0; round < rounds; round++) {
                lake.sql("INSERT INTO t VALUES (" + writer + ", " + round + ")");
                lake.sql("UPDATE counter SET n = n + 1");
            }
            return rounds;
        }
    }
}
