package io.tidemark.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tidemark's statements in a session of Spark that also has Delta's own extension. */
class SparkFrontDoorTest {
    @TempDir
    Path folder;

    private SparkSession spark;

    @BeforeEach
    void openSession() {
        spark = SparkSessions.get().newSession();
        spark.conf().set("spark.sql.catalog.tidemark", "io.tidemark.spark.TidemarkCatalog");
        spark.conf()
                .set(
                        "spark.sql.catalog.tidemark.warehouse",
                        folder.resolve("lake").toString());
        spark.conf().set("spark.sql.leafNodeDefaultParallelism", "1");
    }

    private List<String> sql(String text) {
        return spark.sql(text).collectAsList().stream().map(Row::mkString).toList();
    }

    private void write(String name, String... lines) throws Exception {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, String.join("\n", lines) + "\n");
    }

    @Test
    void tablesAreMadeChangedAndReadBesideThoseOfSpark() {
        assertThat(sql("CREATE TABLE tidemark.default.people (id INT, name STRING)"
                        + " TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.isolationLevel' ="
                        + " 'Serializable')"))
                .hasSize(1);
        assertThat(sql("INSERT INTO tidemark.default.people VALUES (1, 'Ann'), (2, 'Bob'), (3, 'tidemark.x')"))
                .containsExactly("inserted 3 rows into people");
        sql("UPDATE `tidemark`.default.people SET name = 'Anna' WHERE id = 1");
        sql("-- a remark\nDELETE FROM tidemark.default.people WHERE id = 2");

        assertThat(sql("SELECT concat(id, name) FROM tidemark.default.people ORDER BY id"))
                .containsExactly("1Anna", "3tidemark.x");
        assertThat(sql("SELECT count(*) FROM tidemark.default.people VERSION AS OF 1"))
                .containsExactly("3");
        spark.range(5).createOrReplaceTempView("numbers");
        assertThat(sql("SELECT p.name FROM numbers n JOIN tidemark.default.people p ON p.id = n.id ORDER BY n.id"))
                .containsExactly("Anna", "tidemark.x");
        assertThat(sql("SELECT concat_ws(' ', id, name, _change_type, _commit_version)"
                        + " FROM table_changes('tidemark.default.people', 2) ORDER BY _commit_version, _change_type"))
                .containsExactly("1 Anna update_postimage 2", "1 Ann update_preimage 2", "2 Bob delete 3");
        assertThat(sql("SHOW TABLES IN tidemark.default")).containsExactly("defaultpeoplefalse");
    }

    @Test
    void faultsNameTheirCode() {
        assertThatThrownBy(() -> sql("INSERT INTO tidemark.default.nothing VALUES (1)"))
                .hasMessageContaining("UNKNOWN_TABLE");
        assertThatThrownBy(() -> sql("SELECT * FROM tidemark.default.nothing"))
                .hasMessageContaining("TABLE_OR_VIEW_NOT_FOUND");
        assertThatThrownBy(() -> sql("REFRESH STREAMING TABLE nobody")).hasMessageContaining("UNKNOWN_TARGET");
    }

    @Test
    void aPipelineIsDefinedCellByCell() throws Exception {
        write("events/1.csv", "id,name,op,seq", "1,Ann,I,1", "2,Bob,I,2", "1,Anna,U,3");
        sql("CREATE STREAMING TABLE tidemark.default.customers");
        sql("CREATE FLOW customers_flow AS AUTO CDC INTO tidemark.default.customers FROM STREAM read_files('"
                + folder.resolve("events") + "/*.csv', format => 'csv', schema => 'id INT, name STRING, op STRING,"
                + " seq BIGINT', header => true) KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq"
                + " COLUMNS * EXCEPT (op) STORED AS SCD TYPE 1");
        assertThat(sql("REFRESH STREAMING TABLE tidemark.default.customers").get(0))
                .startsWith("customers: updated, 3 rows read, 2 upserted rows, 0 deleted rows, version 1");
        write("events/2.csv", "id,name,op,seq", "2,Bob,D,4");
        sql("REFRESH PIPELINE");
        assertThat(sql("SELECT concat(id, name, seq) FROM tidemark.default.customers"))
                .containsExactly("1Anna3");
        assertThat(sql("REFRESH PIPELINE").get(0)).startsWith("customers: unchanged");
    }
}
