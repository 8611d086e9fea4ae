package io.tidemark.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.app.storage.HdfsCluster;
import io.tidemark.app.storage.ObjectStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program on warehouses that are no local folders. */
class RemoteWarehouseTest {
    private static ObjectStore server;

    @TempDir
    Path scratch;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeAll
    static void startServer() {
        server = new ObjectStore();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private int run(String warehouse, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(
                "--warehouse", warehouse, "--cache", scratch.resolve("cache").toString()));
        all.addAll(List.of("--cache-limit", "1KB", "--s3-endpoint", server.endpoint(), "--s3-region", "us-east-1"));
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), all.toArray(String[]::new));
    }

    @Test
    void runsPipelinesStatementsAndChangeFeedsOnAnObjectStore() throws IOException {
        String warehouse = server.root() + "/lake";
        Files.createDirectories(scratch.resolve("feed"));
        Files.writeString(scratch.resolve("feed/a.csv"), "id,name,seq\n1,Ada,1\n2,Grace,1\n1,Ada L,2\n");
        Path pipeline = Files.writeString(
                scratch.resolve("pipeline.sql"),
                "CREATE OR REFRESH STREAMING TABLE people TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');\n"
                        + "CREATE FLOW people AS AUTO CDC INTO people FROM STREAM read_files('feed/*.csv',"
                        + " format => 'csv', schema => 'id BIGINT, name STRING, seq BIGINT')\n"
                        + "KEYS (id) SEQUENCE BY seq COLUMNS * EXCEPT (seq) STORED AS SCD TYPE 1;\n");
        assertThat(run(warehouse, "run", pipeline.toString()))
                .as(err.toString())
                .isZero();
        Files.writeString(scratch.resolve("feed/b.csv"), "id,name,seq\n2,Grace H,2\n");
        assertThat(run(warehouse, "run", pipeline.toString()))
                .as(err.toString())
                .isZero();
        assertThat(run(warehouse, "sql", "-e", "SELECT id, name FROM people ORDER BY id", "--format", "csv"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString().lines()).containsExactly("id,name", "1,Ada L", "2,Grace H");
        assertThat(run(warehouse, "changes", "people", "--format", "csv"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).contains("update_postimage").contains("Grace H");
        assertThat(run(warehouse.replace("s3:", "s3a:"), "sql", "-e", "SHOW TABLES", "--format", "csv"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).contains("people");
        assertThat(scratch.resolve("cache/files")).isDirectory();
    }

    @Test
    void saysWhatIsWrongWithALocation() {
        assertThat(run(server.root() + "/missing", "sql", "-e", "SHOW TABLES")).isEqualTo(Main.FAILED);
        assertThat(err.toString()).contains("FILE_NOT_FOUND").contains("there is no warehouse");
        assertThat(run("gs://bucket/x", "sql", "-e", "SHOW TABLES")).isEqualTo(Main.FAILED);
        assertThat(err.toString()).contains("UNSUPPORTED_FEATURE").contains("gs is not supported");
        String source = "SELECT * FROM read_files('s3://bucket/x.csv', format => 'csv')";
        assertThat(run(scratch.resolve("w").toString(), "sql", "-e", "CREATE TABLE t AS " + source))
                .isEqualTo(Main.FAILED);
        assertThat(err.toString()).contains("UNSUPPORTED_FEATURE").contains("source files must be local");
    }

    @Test
    void runsStatementsOnHdfs() {
        try (HdfsCluster cluster = new HdfsCluster(scratch.resolve("hdfs"))) {
            String warehouse = cluster.root() + "/lake";
            assertThat(run(warehouse, "sql", "-e", "CREATE TABLE t AS SELECT id FROM range(10) AS r(id)"))
                    .as(err.toString())
                    .isZero();
            assertThat(run(
                            warehouse,
                            "sql",
                            "-e",
                            "DELETE FROM t WHERE id > 6; SELECT sum(id) AS s FROM t",
                            "--format",
                            "csv"))
                    .as(err.toString())
                    .isZero();
            assertThat(out.toString().lines()).containsExactly("s", "21");
        }
    }

    /** Who keeps tables on a local disk does not wait for the clients of other stores. */
    @Test
    void aLocalWarehouseLoadsNoClientOfOtherStores() throws Exception {
        Path log = scratch.resolve("classes.log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xlog:class+load:file=" + log,
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.tidemark.app.Main",
                        "sql",
                        "-e",
                        "CREATE TABLE t AS SELECT 1 AS id; SELECT * FROM t",
                        "--warehouse",
                        scratch.resolve("warehouse").toString(),
                        "--cache",
                        scratch.resolve("unused").toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(Files.readString(log))
                .contains("io.tidemark.delta.storage.LocalStorage ")
                .doesNotContain("software.amazon")
                .doesNotContain("org.apache.hc")
                .doesNotContain("org.apache.hadoop.fs.FileContext")
                .doesNotContain("io.tidemark.s3")
                .doesNotContain("io.tidemark.hadoop");
        assertThat(scratch.resolve("unused")).doesNotExist();
    }
}
