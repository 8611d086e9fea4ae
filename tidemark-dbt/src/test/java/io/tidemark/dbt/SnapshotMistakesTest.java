package io.tidemark.dbt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes wrong when a project, its data or its table are not as they should be: the place and the cause are named. */
class SnapshotMistakesTest {
    private static final String CHECK = "strategy='check', unique_key='id', check_cols='all'";

    @TempDir
    private Path folder;

    private DbtLake lake;

    @BeforeEach
    void open() {
        lake = new DbtLake(folder);
    }

    private void snapshot(String config, String query) {
        lake.project()
                .file(
                        "snapshots/s.sql",
                        "{% snapshot s %}",
                        "{{ config(target_schema='h', " + config + ") }}",
                        query,
                        "{% endsnapshot %}");
    }

    private TidemarkException fails(int day) {
        SnapshotRunner.Report report = lake.run(day);
        assertThat(report.errors()).hasSize(1);
        TidemarkException error = report.errors().get(0);
        assertThat(error.location()).as(error.render()).isPresent();
        return error;
    }

    private TidemarkException isNotRead() {
        TidemarkException error = catchThrowableOfType(
                TidemarkException.class, () -> lake.project().read());
        assertThat(error.location()).as(error.render()).isPresent();
        return error;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            strategy='check', unique_key='idd', check_cols='all'       | UNKNOWN_COLUMN | unique_key of snapshot s names idd
            strategy='check', unique_key=['id', 'x'], check_cols='all' | UNKNOWN_COLUMN | unique_key of snapshot s names x
            strategy='check', unique_key='id +', check_cols='all'      | QUERY_INVALID  | unique_key of snapshot s is no expression
            strategy='timestamp', unique_key='id', updated_at='upd'    | UNKNOWN_COLUMN | updated_at of snapshot s names upd
            """)
    void anOptionThatTheQueryCannotServeIsNamed(String config, ErrorCode code, String text) {
        snapshot(config, "select 1 as id, 'x' as v");
        TidemarkException error = fails(10);
        assertThat(error.code()).isEqualTo(code);
        assertThat(error.primary()).startsWith(text);
        assertThat(error.render()).contains("the query has id, v").doesNotContain("__tidemark");
    }

    @Test
    void currentRowsAreCheckedByTheKeyOfTheRun() {
        snapshot(
                "strategy='check', unique_key=['id', 'v'], check_cols='all'",
                "select * from (values (1, 'a'), (1, 'b')) as t(id, v)");
        lake.succeed(10);
        snapshot(CHECK, "select * from (values (1, 'a'), (2, 'b')) as t(id, v)");
        TidemarkException error = fails(11);
        assertThat(error.code()).isEqualTo(ErrorCode.TARGET_ROWS_INVALID);
        assertThat(error.primary()).isEqualTo("1 key of table h.s (id) has several current rows");
        lake.sql("UPDATE h.s SET dbt_valid_to = TIMESTAMP_NTZ '2024-01-11 00:00:00' WHERE v = 'b'");
        lake.succeed(12);
        assertThat(lake.sorted("SELECT id, v FROM h.s WHERE dbt_valid_to IS NULL"))
                .containsExactly("1|a", "2|b");
    }

    @Test
    void aKeyThatNoCurrentRowHasIsRefused() {
        snapshot(CHECK, "select 1 as id, 'a' as v");
        lake.succeed(10);
        snapshot("strategy='check', unique_key='k', check_cols='all'", "select 7 as k, 1 as id, 'a' as v");
        TidemarkException error = fails(11);
        assertThat(error.code()).isEqualTo(ErrorCode.TARGET_ROWS_INVALID);
        assertThat(error.primary()).contains("none of the 1 current rows of table h.s has a key: k is NULL");
        assertThat(lake.table("h", "s").latestVersion()).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            (1, 'a'), (1, 'a'), (2, 'b')           | 1
            (1, 'a'), (1, 'a')                     | 1
            (1, 'a'), (1, 'z'), (2, 'b')           | 1
            (1, 'a'), (2, 'b'), (3, 'c'), (3, 'c') | 3
            (3, 'c'), (3, 'd')                     | 3
            """)
    void keysInSeveralRowsAreFoundInLaterRunsToo(String rows, int key) {
        snapshot(CHECK + ", hard_deletes='invalidate'", "select * from (values (1, 'a'), (2, 'b')) as t(id, v)");
        lake.succeed(10);
        snapshot(CHECK + ", hard_deletes='invalidate'", "select * from (values " + rows + ") as t(id, v)");
        TidemarkException error = fails(11);
        assertThat(error.code()).isEqualTo(ErrorCode.DUPLICATE_SNAPSHOT_KEY);
        assertThat(error.render()).contains("id = " + key + ": 2 rows");
        assertThat(lake.table("h", "s").latestVersion()).isZero();
    }

    @Test
    void timesThatTablesHaveNoPlaceForAreRefused() {
        snapshot("strategy='timestamp', unique_key='id', updated_at='t'", "select 1 as id, timestamp 'infinity' as t");
        TidemarkException error = fails(10);
        assertThat(error.code()).isEqualTo(ErrorCode.NULL_UPDATED_AT);
        assertThat(error.primary()).contains("1 row of the source of snapshot s whose updated_at is outside");
        snapshot(CHECK + ", dbt_valid_to_current=\"timestamp 'infinity'\"", "select 1 as id");
        error = fails(11);
        assertThat(error.code()).isEqualTo(ErrorCode.SNAPSHOT_CONFIG_INVALID);
        assertThat(error.primary()).contains("dbt_valid_to_current is infinity");
        assertThat(lake.table("h", "s").exists()).isFalse();
    }

    @Test
    void longValuesAreCutInErrors() {
        snapshot(
                "strategy='check', unique_key='id', check_cols='all'",
                "select repeat('x', 300000) as id from range(2)");
        TidemarkException error = fails(10);
        assertThat(error.code()).isEqualTo(ErrorCode.DUPLICATE_SNAPSHOT_KEY);
        assertThat(error.render()).contains("xxx…: 2 rows").hasSizeLessThan(1_000);
    }

    @Test
    void columnsWithoutATypeOfTablesAreNamed() {
        snapshot(CHECK, "select 1 as id, time '10:00' as opens");
        TidemarkException error = fails(10);
        assertThat(error.code()).isEqualTo(ErrorCode.UNSUPPORTED_FEATURE);
        assertThat(error.primary()).isEqualTo("column opens is of type TIME, which is not supported");
        snapshot(CHECK, "select 1 as id, null as later");
        error = fails(11);
        assertThat(error.code()).isEqualTo(ErrorCode.SCHEMA_MISMATCH);
        assertThat(error.primary()).isEqualTo("column later of the query is always NULL and has no type");
        // A column that the table has keeps its type.
        snapshot(CHECK, "select 1 as id, 'x' as later");
        lake.succeed(12);
        snapshot(CHECK, "select 1 as id, null as later");
        assertThat(lake.succeed(13).get(0).counts().changedKeys()).isEqualTo(1);
    }

    @Test
    void twoSnapshotsOfOneTableAreRefused() {
        snapshot(CHECK, "select 1 as id");
        lake.project()
                .file(
                        "snapshots/t.sql",
                        "{% snapshot other %}{{ config(" + CHECK + ", target_schema='H', alias='S') }}",
                        "select 1 as id",
                        "{% endsnapshot %}");
        TidemarkException error = isNotRead();
        assertThat(error.code()).isEqualTo(ErrorCode.DUPLICATE_NAME);
        assertThat(error.primary()).isEqualTo("snapshots s and other have one table, H.S");
    }

    @Test
    void anEmptySchemaIsNone() {
        lake.project()
                .file(
                        "snapshots/s.sql",
                        "{% snapshot s %}{{ config(" + CHECK + ", target_schema='', alias='') }}",
                        "select 1 as id",
                        "{% endsnapshot %}");
        assertThat(lake.succeed(10).get(0).table()).isEqualTo("analytics.s");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            unique_key='', strategy='check', check_cols='all'      | snapshot s has no unique_key
            unique_key=['id', ' '], strategy='check', check_cols='all' | snapshot s has no unique_key
            unique_key='id', strategy='check', check_cols={'a': 1} | snapshot s has check_cols {a=1}, where a text is expected
            unique_key='id', strategy='check', check_cols=[['a']]  | snapshot s has check_cols [a], where a text is expected
            unique_key={'a': 1}, strategy='check', check_cols='all' | snapshot s has unique_key {a=1}, where a text is expected
            unique_key='id', strategy='timestamp', updated_at=''   | snapshot s has strategy timestamp and no updated_at
            """)
    void optionsOfAnotherShapeAreNamed(String config, String text) {
        snapshot(config, "select 1 as id");
        TidemarkException error = isNotRead();
        assertThat(error.code()).isEqualTo(ErrorCode.SNAPSHOT_CONFIG_INVALID);
        assertThat(error.primary()).isEqualTo(text);
    }

    @Test
    void optionsBesideConfigAreRefused() {
        lake.project().file("models/m.sql", "select 1 as id");
        lake.project()
                .file(
                        "snapshots/s.yml",
                        "snapshots:",
                        "  - name: s",
                        "    relation: ref('m')",
                        "    description: History",
                        "    hard_deletes: invalidate",
                        "    config: {unique_key: id, strategy: check, check_cols: all}");
        TidemarkException error = isNotRead();
        assertThat(error.code()).isEqualTo(ErrorCode.PROJECT_INVALID);
        assertThat(error.render())
                .contains("snapshots/s.yml:5:19")
                .contains("snapshot s has hard_deletes beside config, where it is not read");
    }

    @Test
    void hooksThatAreEmptyForTheTargetAreNone() {
        snapshot(CHECK, "select 1 as id");
        String hook = "on-run-end: [\"{% if target.name == 'prod' %}select 1{% endif %}\"]";
        lake.project().file("dbt_project.yml", "name: shop", "profile: shop", hook);
        lake.succeed(10);
        lake.project().file("dbt_project.yml", "name: shop", "profile: shop", hook.replace("prod", "dev"));
        TidemarkException error = isNotRead();
        assertThat(error.code()).isEqualTo(ErrorCode.UNSUPPORTED_FEATURE);
        assertThat(error.render()).contains("dbt_project.yml:3:13");
    }

    @Test
    void whatAYamlFileHasInPlaceOfAMappingIsSaid() {
        lake.project().file("snapshots/s.yml", "snapshots: [s]");
        assertThat(isNotRead().primary()).isEqualTo("a mapping (name: value) is expected here, not 's'");
    }

    @Test
    void macrosThatPackagesWouldHaveAreNamed() {
        snapshot(CHECK, "select {{ dbt_utils.star(ref('m')) }}");
        lake.project().file("models/m.sql", "select 1 as id");
        TidemarkException error = isNotRead();
        assertThat(error.code()).isEqualTo(ErrorCode.TEMPLATE_FAILED);
        assertThat(error.primary()).contains("there is no star in what it is called on");
    }
}
