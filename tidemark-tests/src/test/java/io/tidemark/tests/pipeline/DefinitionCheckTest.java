package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.pipeline.run.RunOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All faults of a definition are found in one run, before anything is written, with the place of the clause. */
class DefinitionCheckTest {
    private static final RunOptions DRY = new RunOptions("test", false, Set.of(), false, false, true);
    private static final String EVENTS = "CREATE TABLE e (id INT, v STRING, op STRING, seq INT, tags ARRAY<INT>)";

    @TempDir
    Path folder;

    private Lake lake;

    @BeforeEach
    void open() {
        lake = new Lake(folder);
        lake.sql(EVENTS);
        lake.sql("INSERT INTO e VALUES (1, 'a', 'I', 1, NULL)");
    }

    @AfterEach
    void close() {
        lake.close();
    }

    private List<TidemarkException> faults(String sql) {
        TidemarkException dry = catchThrowableOfType(TidemarkException.class, () -> lake.run(sql, DRY));
        TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> lake.run(sql));
        assertThat(error).as("the run must fail").isNotNull();
        assertThat(dry).as("the dry run must fail").isNotNull();
        assertThat(texts(dry.all())).isEqualTo(texts(error.all()));
        assertThat(error.all()).allSatisfy(fault -> {
            assertThat(fault.code()).isNotEqualTo(ErrorCode.INTERNAL);
            assertThat(fault.location()).as(fault.render()).isPresent();
            assertThat(fault.hint().isPresent() || fault.detail().isPresent())
                    .as("no advice: " + fault.render())
                    .isTrue();
        });
        return error.all();
    }

    private static List<String> texts(List<TidemarkException> faults) {
        return faults.stream()
                .map(fault -> fault.code() + " "
                        + fault.location()
                                .map(place -> place.line() + ":" + place.column())
                                .orElse("nowhere"))
                .toList();
    }

    private void assertFault(String sql, String expected) {
        List<TidemarkException> faults = faults(sql);
        assertThat(texts(faults))
                .as(faults.stream().map(TidemarkException::render).collect(Collectors.joining("\n")))
                .containsExactly(expected);
    }

    private static String flow(String clauses) {
        return "CREATE STREAMING TABLE t;\nCREATE FLOW f AS AUTO CDC INTO t\nFROM STREAM(e)\n" + clauses + ";";
    }

    @Test
    void allFaultsOfAllFlowsComeTogetherAndNothingIsWritten() {
        List<TidemarkException> faults = faults("""
                CREATE STREAMING TABLE good AS SELECT * FROM STREAM(e);
                CREATE STREAMING TABLE t;
                CREATE FLOW f AS AUTO CDC INTO t FROM STREAM(good)
                KEYS (idd)
                APPLY AS DELETE WHEN opp = 'D'
                SEQUENCE BY sec
                COLUMNS * EXCEPT (nope)
                STORED AS SCD TYPE 2
                TRACK HISTORY ON (vv);
                CREATE STREAMING TABLE b AS SELECT * FROM e;
                CREATE MATERIALIZED VIEW m AS
                SELECT nothing FROM good;
                CREATE STREAMING TABLE files AS SELECT * FROM STREAM read_files('no/*.csv', format => 'csv');
                """);
        assertThat(texts(faults))
                .containsExactlyInAnyOrder(
                        "UNKNOWN_COLUMN 4:7",
                        "UNKNOWN_COLUMN 5:22",
                        "UNKNOWN_COLUMN 6:13",
                        "UNKNOWN_COLUMN 7:19",
                        "UNKNOWN_COLUMN 9:19",
                        "SOURCE_NOT_STREAMING 10:43",
                        "UNKNOWN_COLUMN 12:8",
                        "FILE_NOT_FOUND 13:47");
        assertThat(Files.exists(folder.resolve("warehouse/default/good"))).isFalse();
    }

    @Test
    void theColumnsOfTablesThatDoNotExistYetAreKnown() {
        String sql = """
                CREATE STREAMING TABLE bronze AS SELECT id, v, seq FROM STREAM(e);
                CREATE TEMPORARY VIEW named AS SELECT id, upper(v) AS name, seq FROM STREAM(bronze);
                CREATE STREAMING TABLE silver;
                CREATE FLOW f AS AUTO CDC INTO silver FROM named KEYS (id) SEQUENCE BY seq STORED AS SCD TYPE 2;
                CREATE MATERIALIZED VIEW gold AS SELECT name, __START_AT FROM silver;
                """;
        assertThat(lake.run(sql, DRY)).isEmpty();
        assertThat(Files.exists(folder.resolve("warehouse/default/bronze"))).isFalse();
        lake.run(sql);
        assertThat(lake.rows("gold")).containsExactly("A|1");
        assertFault(sql.replace("SELECT name, __START_AT", "SELECT nam"), "UNKNOWN_COLUMN 5:41");
    }

    @Test
    void everyClauseIsCheckedAtItsPlace() {
        assertFault(
                flow("KEYS (k) SEQUENCE BY seq").replace("STREAM(e)", "(SELECT map(id, v) AS k, seq FROM STREAM(e))"),
                "KEY_TYPE 4:7");
        assertFault(flow("KEYS (id) SEQUENCE BY map(1, seq)"), "SEQUENCE_TYPE 4:23");
        assertFault(flow("KEYS (id)\nAPPLY AS DELETE WHEN op\nSEQUENCE BY seq"), "CONDITION_TYPE 5:22");
        assertFault(flow("KEYS (id) SEQUENCE BY seq\nCOLUMNS TO UPDATE tags"), "COLUMNS_TO_UPDATE_TYPE 5:19");
        assertFault(flow("KEYS (id) SEQUENCE BY seq").replace("INTO t", "ONCE INTO t"), "SOURCE_NOT_BATCH 3:6");
        assertFault(flow("KEYS (id) SEQUENCE BY seq").replace("STREAM(e)", "e"), "SOURCE_NOT_STREAMING 3:6");
        assertFault(flow("KEYS () SEQUENCE BY seq"), "KEYS_MISSING 4:1");
        assertFault(
                flow("KEYS (id) SEQUENCE BY seq COLUMNS (id, v) STORED AS SCD TYPE 2 TRACK HISTORY ON (op)"),
                "UNKNOWN_COLUMN 4:82");
        assertFault(
                flow("KEYS (id) SEQUENCE BY seq COLUMNS (id, v) IGNORE NULL UPDATES ON (op)"), "UNKNOWN_COLUMN 4:67");
        assertFault("CREATE MATERIALIZED VIEW m AS SELECT * FROM STREAM(e);", "SOURCE_NOT_BATCH 1:45");
        lake.file("x/1.csv", "a", "1");
        assertFault(
                "CREATE STREAMING TABLE t AS\nSELECT * FROM STREAM read_files('x/*.csv', formatt => 'csv', schema => 'a INT');",
                "INVALID_SETTING 2:15");
    }

    @Test
    void declaredColumnsAreComparedWithTheQuery() {
        assertFault(
                "CREATE STREAMING TABLE t (id STRING);\nCREATE FLOW f AS AUTO CDC INTO t FROM STREAM(e) KEYS (id)"
                        + " SEQUENCE BY seq COLUMNS (tags);",
                "KEY_NOT_IN_COLUMNS 2:75");
        assertFault(
                "CREATE STREAMING TABLE t (id DATE);\nCREATE FLOW f AS AUTO CDC INTO t FROM STREAM(e)\nKEYS (id)"
                        + " SEQUENCE BY seq COLUMNS (id);",
                "SCHEMA_MISMATCH 3:1");
        assertFault(
                "CREATE STREAMING TABLE t (id INT, v STRING);\nCREATE FLOW f AS INSERT INTO t\nSELECT id FROM STREAM(e);",
                "SCHEMA_MISMATCH 3:1");
        assertThat(faults("CREATE MATERIALIZED VIEW m (id DATE, v INT) AS SELECT id, v FROM e;"))
                .hasSize(2);
    }

    @Test
    void laterChangesArePointedAt() {
        String sql = flow("KEYS (id)\nSEQUENCE BY seq\nSTORED AS SCD TYPE 2\nTRACK HISTORY ON (v)");
        lake.run(sql);
        assertFault(sql.replace("(id)", "(id, v)").replace("\nTRACK HISTORY ON (v)", ""), "FLOW_CHANGED 4:1");
        assertFault(sql.replace("BY seq", "BY v"), "FLOW_CHANGED 5:1");
        assertFault(sql.replace("(v)", "(op)"), "FLOW_CHANGED 7:1");
        lake.run(sql.replace("(v)", "(op)"), RunOptions.of("test").withFullRefresh(Set.of(TableName.of("t"))));
    }

    @Test
    void trackingAllColumnsIsTheSameWrittenOrNot() {
        String plain = flow("KEYS (id)\nSEQUENCE BY seq\nCOLUMNS (id, v, seq)\nSTORED AS SCD TYPE 2");
        String star = plain.replace("TYPE 2", "TYPE 2\nTRACK HISTORY ON *");
        String except = plain.replace("TYPE 2", "TYPE 2\nTRACK HISTORY ON * EXCEPT (seq)");
        lake.run(plain);
        lake.run(star);
        lake.run(plain.replace("(id, v, seq)", "(id, v, seq, op)"));
        lake.run(star.replace("(id, v, seq)", "(id, v, seq, op)"));
        assertFault(except, "FLOW_CHANGED 8:1");
        assertFault(plain.replace("TYPE 2", "TYPE 2\nTRACK HISTORY ON (seq)"), "FLOW_CHANGED 8:1");
        lake.run(except, RunOptions.of("test").withFullRefresh());
        lake.run(except.replace("(id, v, seq)", "(id, v, seq, op)"));
        assertThat(lake.rows("t")).hasSize(1);
    }

    @Test
    void allDisagreementsOfFlowsAreNamed() {
        List<TidemarkException> faults = faults("""
                CREATE STREAMING TABLE t;
                CREATE FLOW a AS AUTO CDC INTO t FROM STREAM(e) KEYS (id) SEQUENCE BY seq STORED AS SCD TYPE 2;
                CREATE FLOW b AS AUTO CDC INTO t FROM STREAM(e)
                KEYS (v)
                SEQUENCE BY op
                STORED AS SCD TYPE 2
                TRACK HISTORY ON (op);
                """);
        assertThat(texts(faults)).containsExactly("FLOWS_DISAGREE 4:1", "FLOWS_DISAGREE 5:1", "FLOWS_DISAGREE 7:1");
    }

    @Test
    void faultsOfTheGraphComeTogether() {
        List<TidemarkException> faults = faults("""
                CREATE MATERIALIZED VIEW a AS SELECT * FROM b;
                CREATE MATERIALIZED VIEW b AS SELECT * FROM a;
                CREATE MATERIALIZED VIEW c AS
                SELECT * FROM nowhere;
                CREATE FLOW f AS INSERT INTO c SELECT * FROM STREAM(e);
                """);
        assertThat(texts(faults))
                .containsExactlyInAnyOrder("TARGET_KIND 5:1", "UNKNOWN_TABLE 4:15", "GRAPH_CYCLE 2:45");
    }

    @Test
    void aTableWithoutFlowsIsMadeFromItsColumns() {
        lake.run("""
                CREATE STREAMING TABLE empty (a INT, b STRING);
                CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM empty;
                """);
        assertThat(lake.rows("m")).containsExactly("0");
        assertFault("CREATE STREAMING TABLE nothing;", "COLUMNS_MISSING 1:1");
    }

    @Test
    void whatNeedsOtherRowsIsNotAppliedToStreams() {
        String prefix = "CREATE STREAMING TABLE t AS\n";
        assertFault(prefix + "SELECT v, count(*) AS n FROM STREAM(e) GROUP BY v;", "STREAM_NOT_ROWWISE 2:49");
        assertFault(prefix + "SELECT max(id) AS n FROM STREAM(e);", "STREAM_NOT_ROWWISE 2:8");
        assertFault(prefix + "SELECT DISTINCT v FROM STREAM(e);", "STREAM_NOT_ROWWISE 2:1");
        assertFault(prefix + "SELECT v FROM STREAM(e) LIMIT 3;", "STREAM_NOT_ROWWISE 2:1");
        assertFault(prefix + "SELECT v FROM STREAM(e) ORDER BY v;", "STREAM_NOT_ROWWISE 2:34");
        assertFault(
                prefix + "SELECT v, row_number() OVER (ORDER BY id) AS n FROM STREAM(e);", "STREAM_NOT_ROWWISE 2:11");
        assertThat(faults(prefix + "SELECT a.v FROM STREAM(e) a JOIN STREAM(e) b ON a.id = b.id;"))
                .extracting(TidemarkException::code)
                .containsExactly(ErrorCode.STREAM_NOT_ROWWISE);
        assertFault(
                "CREATE TEMPORARY VIEW w AS SELECT count(*) AS n FROM STREAM(e);\n"
                        + "CREATE STREAMING TABLE t AS SELECT n FROM w;",
                "STREAM_NOT_ROWWISE 1:35");
        assertFault(
                "CREATE TEMPORARY VIEW w AS SELECT DISTINCT v FROM e;\nCREATE STREAMING TABLE t AS SELECT v FROM STREAM(w);",
                "STREAM_NOT_ROWWISE 1:28");
        lake.run(
                "CREATE STREAMING TABLE ok AS SELECT s.v, b.n FROM STREAM(e) s"
                        + " LEFT JOIN (SELECT v, count(*) AS n FROM e GROUP BY v) b ON s.v = b.v WHERE s.id IN (SELECT id FROM e);");
        assertThat(lake.rows("ok")).containsExactly("a|1");
    }

    @Test
    void faultyEventsLeaveNoTableBehind() {
        lake.sql("INSERT INTO e VALUES (NULL, 'a', 'I', 1, NULL)");
        String sql = flow("KEYS (id)\nSEQUENCE BY seq");
        TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> lake.run(sql));
        assertThat(texts(List.of(error))).containsExactly("NULL_KEY 4:1");
        assertThat(Files.exists(folder.resolve("warehouse/default/t"))).isFalse();
    }

    @Test
    void propertiesAreCheckedAtTheirPlace() {
        String sql = "CREATE STREAMING TABLE t TBLPROPERTIES (\n'KEY' = 'VALUE') AS SELECT * FROM STREAM(e);";
        assertFault(
                sql.replace("KEY", "tidemark.cdc.onNullKeyOrSequence").replace("VALUE", "maybe"),
                "INVALID_SETTING 2:1");
        assertFault(sql.replace("KEY", "delta.checkpointInterval").replace("VALUE", "x"), "INVALID_SETTING 2:1");
        List<TidemarkException> faults =
                faults(sql.replace("KEY", "tidemark.cdc.onNullKeyOrSequenc").replace("VALUE", "fail"));
        assertThat(faults.get(0).render()).contains("did you mean tidemark.cdc.onNullKeyOrSequence?");
        TidemarkException altered = catchThrowableOfType(
                TidemarkException.class,
                () -> lake.sql("ALTER TABLE e SET TBLPROPERTIES ('pipelines.reset.allowed' = 'maybe')"));
        assertThat(altered.code()).isEqualTo(ErrorCode.INVALID_SETTING);
    }

    @Test
    void twoFlowsIntoANewTableAreNoReasonToWarn() {
        String sql = """
                CREATE STREAMING TABLE t;
                CREATE FLOW a AS AUTO CDC INTO t FROM STREAM(e) KEYS (id) SEQUENCE BY seq;
                CREATE FLOW b AS AUTO CDC INTO t FROM STREAM(e) KEYS (id) SEQUENCE BY seq;
                """;
        lake.run(sql);
        assertThat(lake.warnings()).isEmpty();
        lake.run(sql.replace("FLOW b", "FLOW c"));
        assertThat(lake.warnings()).hasSize(1);
        assertThat(lake.warnings().get(0)).contains("flow c is new").contains("flow b");
    }

    @Test
    void theRestGoesOnIfOneDatasetFails() {
        lake.file("bad/1.csv", "a,b", "1,2", "x,2");
        TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> lake.run("""
                CREATE STREAMING TABLE bad AS
                SELECT * FROM STREAM read_files('bad/*.csv', format => 'csv', schema => 'a INT, b INT');
                CREATE MATERIALIZED VIEW reader AS SELECT count(*) AS n FROM bad;
                CREATE MATERIALIZED VIEW good AS SELECT count(*) AS n FROM e;
                """));
        assertThat(error.all()).extracting(TidemarkException::code).containsExactly(ErrorCode.FILE_UNREADABLE);
        assertThat(lake.rows("good")).containsExactly("1");
        assertThat(lake.table("reader").exists()).isFalse();
        assertThat(lake.warnings()).containsExactly("table reader was skipped, because it reads bad, which failed");
    }

    @Test
    void columnsToUpdateOfDeletesAreCheckedToo() {
        lake.sql("CREATE TABLE p (id INT, v STRING, op STRING, seq INT, sets ARRAY<STRING>)");
        lake.sql("INSERT INTO p VALUES (1, 'a', 'D', 1, array('nope'))");
        TidemarkException error = catchThrowableOfType(
                TidemarkException.class,
                () -> lake.run(flow("KEYS (id)\nAPPLY AS DELETE WHEN op = 'D'\nSEQUENCE BY seq\nCOLUMNS TO UPDATE sets")
                        .replace("STREAM(e)", "STREAM(p)")));
        assertThat(texts(List.of(error))).containsExactly("COLUMNS_TO_UPDATE_INVALID 7:1");
    }

    @Test
    void aSourceWhoseFilesWereTakenAwayHasNothingNew() throws Exception {
        lake.file("in/1.csv", "id,seq", "1,1");
        String sql = """
                CREATE STREAMING TABLE t;
                CREATE FLOW f AS AUTO CDC INTO t FROM STREAM read_files('in/*.csv', format => 'csv')
                KEYS (id) SEQUENCE BY seq;
                CREATE STREAMING TABLE a AS SELECT * FROM STREAM read_files('in/*.csv');
                CREATE MATERIALIZED VIEW m AS SELECT t.id, a.seq FROM t JOIN a ON t.id = a.id;
                """;
        lake.run(sql);
        Files.delete(folder.resolve("in/1.csv"));
        assertThat(lake.run(sql))
                .allSatisfy(result -> assertThat(result.version()).isEmpty());
        lake.file("in/2.csv", "id,seq", "1,2");
        lake.run(sql);
        assertThat(lake.rows("m")).containsExactlyInAnyOrder("1|1", "1|2");
    }
}
