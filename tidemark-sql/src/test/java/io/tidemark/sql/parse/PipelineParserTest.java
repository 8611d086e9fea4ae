package io.tidemark.sql.parse;

import static io.tidemark.sql.parse.Parsing.cdc;
import static io.tidemark.sql.parse.Parsing.parse;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.ColumnSelection;
import io.tidemark.core.flow.DatasetDefinition;
import io.tidemark.core.flow.DatasetDefinition.MaterializedView;
import io.tidemark.core.flow.DatasetDefinition.StreamingTable;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.FlowDefinition.AppendFlow;
import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.flow.SnapshotSource;
import io.tidemark.core.flow.TableName;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PipelineParserTest {
    @Test
    void eventsThatNameTheColumnsTheyAuthor() {
        PipelineDefinition pipeline = parse("""
                -- 1. each event names the columns that it authors; NULL among them is a value
                CREATE OR REFRESH STREAMING TABLE contacts;
                CREATE FLOW apply_contacts AS AUTO CDC INTO
                  contacts
                FROM
                  stream(contact_events)
                KEYS
                  (contact_id)
                SEQUENCE BY
                  event_no
                STORED AS
                  SCD TYPE 1
                COLUMNS TO UPDATE
                  changed_columns;
                """);
        assertThat(pipeline.datasets()).hasSize(1);
        AutoCdcFlow flow = (AutoCdcFlow) pipeline.flows().get(0);
        assertThat(flow.name()).isEqualTo("apply_contacts");
        assertThat(flow.target()).isEqualTo(TableName.of("contacts"));
        assertThat(flow.keys()).containsExactly(new ColumnReference("contact_id", at(8, 4)));
        assertThat(flow.sequenceBy()).isEqualTo(new QueryText("event_no", at(10, 3)));
        assertThat(flow.storedAs()).isEqualTo(ScdType.SCD1);
        assertThat(flow.columnsToUpdate()).contains(new ColumnReference("changed_columns", at(14, 3)));
        assertThat(flow.location()).isEqualTo(at(3, 1));
        assertThat(flow.query()).isEqualTo(new QueryText("SELECT * FROM\n  stream(contact_events)", at(5, 1)));
    }

    @Test
    void onceFlowWithLiteralEventsAndBitemporalTarget() {
        PipelineDefinition pipeline = parse("""
                CREATE OR REFRESH STREAMING TABLE quote_events;
                CREATE FLOW quote_events AS INSERT INTO ONCE
                  quote_events BY NAME
                SELECT * FROM VALUES
                  (7, 'p1', 'q1', 100, 1000),
                  (7, 'p2', 'q2', 200, 2000)
                  AS e(id, p, q, happened, learned);

                CREATE OR REFRESH STREAMING TABLE quotes;
                CREATE FLOW quotes AS AUTO CDC INTO
                  quotes
                FROM
                  stream(quote_events)
                KEYS
                  (id)
                SEQUENCE BY
                  happened
                SYSTEM SEQUENCE BY
                  learned
                STORED AS
                  BITEMPORAL;
                """);
        AppendFlow insert = (AppendFlow) pipeline.flows().get(0);
        assertThat(insert.once()).isTrue();
        assertThat(insert.byName()).isTrue();
        assertThat(insert.query().location()).isEqualTo(at(4, 1));
        assertThat(insert.query().sql()).startsWith("SELECT * FROM VALUES\n").endsWith("happened, learned)");
        AutoCdcFlow flow = (AutoCdcFlow) pipeline.flows().get(1);
        assertThat(flow.storedAs()).isEqualTo(ScdType.BITEMPORAL);
        assertThat(flow.systemSequenceBy()).contains(new QueryText("learned", at(19, 3)));
    }

    @Test
    void storedViewOverATarget() {
        View view = (View) parse("CREATE VIEW customers_v AS SELECT *, __START_AT AS valid_from, __END_AT AS valid_to"
                        + " FROM customers_scd2;")
                .datasets()
                .get(0);
        assertThat(view.temporary()).isFalse();
        assertThat(view.query().sql()).endsWith("FROM customers_scd2");
    }

    @Test
    void clausesInAnyOrderListsWithAndWithoutParentheses() {
        AutoCdcFlow flow = cdc("""
                CREATE FLOW f COMMENT 'moves "rows"' AS AUTO CDC ONCE INTO s.t FROM (SELECT * FROM x WHERE a > 1)
                STORED AS SCD TYPE 2 TRACK HISTORY ON * EXCEPT (seen_at, note)
                COLUMNS * EXCEPT op, ts
                SEQUENCE BY struct(ts, id) APPLY AS DELETE WHEN op = "DELETE"
                IGNORE NULL UPDATES ON name, `e mail` KEYS id, region
                """);
        assertThat(flow.once()).isTrue();
        assertThat(flow.comment()).contains("moves \"rows\"");
        assertThat(flow.target()).isEqualTo(new TableName("s", "t"));
        assertThat(names(flow.keys())).containsExactly("id", "region");
        assertThat(flow.deleteWhen().orElseThrow().sql()).isEqualTo("op = \"DELETE\"");
        assertThat(flow.sequenceBy().sql()).isEqualTo("struct(ts, id)");
        ColumnSelection columns = flow.columns().orElseThrow();
        assertThat(columns.mode()).isEqualTo(ColumnSelection.Mode.EXCEPT);
        assertThat(names(columns.columns())).containsExactly("op", "ts");
        assertThat(names(flow.ignoreNullUpdates().orElseThrow().columns())).containsExactly("name", "e mail");
        assertThat(names(flow.trackHistory().orElseThrow().columns())).containsExactly("seen_at", "note");
        assertThat(flow.query().sql()).isEqualTo("SELECT * FROM (SELECT * FROM x WHERE a > 1)");
        // the added words push the source to its own column
        assertThat(flow.query().location().column() + "SELECT * FROM ".length())
                .isEqualTo("CREATE FLOW f COMMENT 'moves \"rows\"' AS AUTO CDC ONCE INTO s.t FROM ".length() + 1);
    }

    @Test
    void sources() {
        for (String source : List.of(
                "STREAM(t)",
                "stream(s.t)",
                "STREAM t",
                "STREAM live.t",
                "stream `a b`.t",
                "STREAM read_files('dir/*.json', format => 'json')",
                "STREAM(read_files('x'))",
                "STREAM table_changes('t')",
                "t",
                "s.t",
                "stream",
                "snapshot",
                "keys",
                "(SELECT a, (b) FROM STREAM t)")) {
            AutoCdcFlow flow = cdc("CREATE FLOW f AS AUTO CDC INTO t FROM " + source + " KEYS (id) SEQUENCE BY n");
            assertThat(flow.query().sql()).isEqualTo("SELECT * FROM " + source);
            assertThat(names(flow.keys())).containsExactly("id");
        }
    }

    @Test
    void snapshots() {
        AutoCdcFlow periodic = cdc("CREATE FLOW f AS AUTO CDC INTO t\nFROM SNAPSHOT (\n SELECT (a) FROM s) KEYS (a)");
        assertThat(periodic.snapshot()).contains(new SnapshotSource.Periodic());
        assertThat(periodic.query().sql()).isEqualTo("\n SELECT (a) FROM s");
        assertThat(periodic.query().location()).isEqualTo(new TextLocation("p.sql", 2, 16));
        AutoCdcFlow versioned = cdc("""
                CREATE FLOW f AS AUTO CDC INTO t FROM SNAPSHOT (SELECT * FROM s)
                  STORED AS SCD TYPE 2 WITH VERSION (SELECT max(v) FROM s) KEYS (a) TRACK HISTORY ON b
                """);
        QueryText version = ((SnapshotSource.Versioned) versioned.snapshot().orElseThrow()).version();
        assertThat(version.sql()).isEqualTo("SELECT max(v) FROM s");
        assertThat(version.location()).isEqualTo(new TextLocation("p.sql", 2, 38));
        assertThat(versioned.query().sql()).isEqualTo("SELECT * FROM s");
        assertThat(cdc("CREATE FLOW f AS AUTO CDC INTO t FROM SNAPSHOT s.x KEYS (a)")
                        .query()
                        .sql())
                .isEqualTo("SELECT * FROM s.x");
        assertThat(cdc("CREATE STREAMING TABLE t FLOW AUTO CDC FROM snapshot(SELECT 1 AS a) KEYS (a)")
                        .isSnapshot())
                .isTrue();
        assertThat(cdc("APPLY CHANGES INTO LIVE.t FROM SNAPSHOT (SELECT 1 AS a) KEYS (a)")
                        .isSnapshot())
                .isTrue();
        assertThat(cdc("CREATE FLOW f AS AUTO CDC INTO t FROM snapshot KEYS (a) SEQUENCE BY a")
                        .isSnapshot())
                .isFalse();
    }

    @Test
    void wordsOfClausesAsColumnNamesInExpressions() {
        AutoCdcFlow flow = cdc("""
                CREATE FLOW f AS AUTO CDC INTO t FROM STREAM s
                KEYS (keys, columns, sequence)
                APPLY AS DELETE WHEN stored = keys AND columns NOT IN ('a', 'b') OR apply IS NOT NULL
                APPLY AS TRUNCATE WHEN CASE WHEN keys = 1 THEN columns ELSE track END
                SEQUENCE BY sequence + interval 1 day
                COLUMNS * EXCEPT (stored)
                STORED AS SCD TYPE 1
                """);
        assertThat(flow.deleteWhen().orElseThrow().sql())
                .isEqualTo("stored = keys AND columns NOT IN ('a', 'b') OR apply IS NOT NULL");
        assertThat(flow.truncateWhen().orElseThrow().sql()).isEqualTo("CASE WHEN keys = 1 THEN columns ELSE track END");
        assertThat(flow.sequenceBy().sql()).isEqualTo("sequence + interval 1 day");
    }

    @Test
    void expressionsEndWhereAClauseBegins() {
        for (String expression : List.of(
                "a",
                "-a",
                "a.b.keys",
                "keys",
                "columns",
                "stored",
                "a::bigint",
                "cast(a AS timestamp)",
                "a[0].b",
                "not a",
                "a between 1 and 2",
                "a is distinct from b",
                "a like '%x' escape '!'",
                "last(a) ignore nulls over (partition by b)",
                "date '2024-01-01'",
                "interval '1' year + ts",
                "a collate utf8_binary",
                "`keys` || columns",
                "case a when 1 then 'x' end",
                "a -- comment KEYS (x)\n + 1",
                "a /* SEQUENCE BY /* nested */ */ * 2",
                "x in (select y from z)",
                "a = 'it''s; KEYS (x)'",
                "count(*) filter (where x)")) {
            AutoCdcFlow flow =
                    cdc("CREATE FLOW f AS AUTO CDC INTO t FROM s SEQUENCE BY " + expression + "\nKEYS (id) COLUMNS *");
            assertThat(flow.sequenceBy().sql()).isEqualTo(expression);
            assertThat(names(flow.keys())).as(expression).containsExactly("id");
        }
    }

    @Test
    void unnamedFlowOfATableAndTheOldSpelling() {
        PipelineDefinition pipeline = parse("""
                CREATE OR REFRESH STREAMING LIVE TABLE a (id BIGINT NOT NULL COMMENT 'key', `x y` STRING)
                  COMMENT 'A' TBLPROPERTIES ('k.1' = 'v', delta.x = true, n = -1) CLUSTER BY (id)
                  FLOW AUTO CDC FROM STREAM(LIVE.s) KEYS (id) SEQUENCE BY n;
                APPLY CHANGES INTO LIVE.b FROM stream(s) KEYS (id) SEQUENCE BY n STORED AS SCD TYPE 2;
                CREATE STREAMING TABLE c AS SELECT * FROM STREAM s;
                """);
        StreamingTable table = (StreamingTable) pipeline.datasets().get(0);
        assertThat(table.table().columns()).hasSize(2);
        assertThat(table.table().columns().get(0).nullable()).isFalse();
        assertThat(table.table().columns().get(0).comment()).contains("key");
        assertThat(table.table().columns().get(1).name()).isEqualTo("x y");
        assertThat(table.table().properties())
                .containsEntry("k.1", "v")
                .containsEntry("delta.x", "true")
                .containsEntry("n", "-1");
        assertThat(names(table.table().clusterBy())).containsExactly("id");
        assertThat(pipeline.flows()).extracting(flow -> flow.name()).containsExactly("a", "b", "c");
        assertThat(pipeline.flows().get(1).target()).isEqualTo(TableName.of("b"));
        assertThat(((AppendFlow) pipeline.flows().get(2)).once()).isFalse();
    }

    @Test
    void viewsAndSettings() {
        PipelineDefinition pipeline = parse("""
                SET spark.sql.session.timeZone = Europe/Berlin;
                SET a.b='x;y';
                CREATE TEMPORARY STREAMING VIEW v (a COMMENT 'x', b) COMMENT 'c' AS SELECT 1, 2;
                CREATE OR REPLACE TEMP VIEW w AS WITH q AS (SELECT 1) SELECT * FROM q;
                CREATE OR REFRESH MATERIALIZED VIEW m COMMENT 'sum' AS SELECT count(*) AS n FROM v;
                CREATE OR REPLACE VIEW s.p AS (SELECT 1);
                """);
        assertThat(pipeline.settings())
                .containsEntry("spark.sql.session.timeZone", "Europe/Berlin")
                .containsEntry("a.b", "x;y");
        List<DatasetDefinition> datasets = pipeline.datasets();
        assertThat(((View) datasets.get(0)).columns()).containsExactly("a", "b");
        assertThat(((View) datasets.get(0)).temporary()).isTrue();
        assertThat(((View) datasets.get(0)).comment()).contains("c");
        assertThat(((MaterializedView) datasets.get(2)).query().sql()).isEqualTo("SELECT count(*) AS n FROM v");
        assertThat(datasets.get(3).name()).isEqualTo(new TableName("s", "p"));
    }

    @Test
    void onceInsertInAllSpellings() {
        for (String insert : List.of("INSERT ONCE INTO t", "INSERT INTO ONCE t", "INSERT INTO ONCE t BY NAME")) {
            AppendFlow flow = (AppendFlow) parse("CREATE FLOW f AS " + insert + " (SELECT 1 AS a)")
                    .flows()
                    .get(0);
            assertThat(flow.once()).isTrue();
            assertThat(flow.target()).isEqualTo(TableName.of("t"));
            assertThat(flow.byName()).isEqualTo(insert.endsWith("NAME"));
        }
    }

    @Test
    void byteOrderMarkCarriageReturnsAndTabs() {
        String text = String.join(
                "\r\n",
                "\uFEFFCREATE FLOW f AS",
                "\tAUTO CDC INTO t",
                "\tFROM stream(s)",
                "\tKEYS (id)",
                "\tSEQUENCE BY n",
                ";");
        AutoCdcFlow flow = cdc(text);
        assertThat(flow.keys()).containsExactly(new ColumnReference("id", at(4, 8)));
        assertThat(flow.query()).isEqualTo(new QueryText("SELECT * FROM\n      stream(s)", at(2, 1)));
    }

    @Test
    void columnsAreCountedInUtf16Units() {
        AutoCdcFlow flow = cdc("CREATE FLOW `\uD83D\uDE00` AS AUTO CDC INTO t FROM s SEQUENCE BY n KEYS (größe)");
        assertThat(flow.name()).isEqualTo("\uD83D\uDE00");
        assertThat(flow.keys()).containsExactly(new ColumnReference("größe", at(1, 64)));
    }

    @Test
    void severalFilesMakeOnePipeline() {
        ParseResult result = PipelineParser.parse(List.of(
                new SourceText("a.sql", "CREATE STREAMING TABLE t"),
                new SourceText("b.sql", "CREATE STREAMING TABLE T;")));
        assertThat(result.errors()).hasSize(1);
        assertThat(result.errors().get(0).detail().orElse("")).contains("a.sql:1:24");
        assertThat(result.errors().get(0).location()).contains(new TextLocation("b.sql", 1, 24));
        assertThat(result.definition().datasets()).hasSize(1);
    }

    private static List<String> names(List<ColumnReference> columns) {
        return columns.stream().map(ColumnReference::name).toList();
    }

    private static TextLocation at(int line, int column) {
        return new TextLocation(Parsing.FILE, line, column);
    }

    @Test
    void commentsAlone() {
        assertThat(parse("-- nothing\n/* at /* all */ */ ;;").datasets()).isEmpty();
        assertThat(Optional.of(parse("").flows())).contains(List.of());
    }
}
