package io.tidemark.sql.parse;

import static io.tidemark.sql.parse.Parsing.codes;
import static io.tidemark.sql.parse.Parsing.errors;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PipelineErrorsTest {
    private static final String FLOW = "CREATE FLOW f AS AUTO CDC INTO t FROM STREAM(s) KEYS (id) SEQUENCE BY n ";

    @Test
    void misspelledWordsAreSuggested() {
        assertThat(errors("CREATE STREAMNG TABLE t;")).isEqualTo("""
                        p.sql:1:8: error SYNTAX_ERROR: expected FLOW, MATERIALIZED, OR, STREAMING, TABLE, TEMPORARY or VIEW after "CREATE", found "STREAMNG"
                          CREATE STREAMNG TABLE t;
                                 ^
                          hint: did you mean STREAMING?""");
        assertThat(errors("CREATE STREAMING TABLE t COMENT 'x'")).isEqualTo("""
                        p.sql:1:26: error SYNTAX_ERROR: expected AS, CLUSTER BY, COMMENT, FLOW, PARTITIONED BY, TBLPROPERTIES, ( or the end of the statement after "t", found "COMENT"
                          CREATE STREAMING TABLE t COMENT 'x'
                                                   ^
                          hint: did you mean COMMENT?""");
        assertThat(errors("CREATE FLOW f AS AUTO CDC INTO t\nFROM stream(s)\n\tKEY (id)"))
                .isEqualTo("""
                        p.sql:3:2: error SYNTAX_ERROR: expected KEYS (...), IGNORE NULL UPDATES, APPLY AS DELETE WHEN, SEQUENCE BY, SYSTEM SEQUENCE BY, COLUMNS, STORED AS, TRACK HISTORY ON or the end of the statement after ")", found "KEY"
                          \tKEY (id)
                          \t^
                          hint: did you mean KEYS?""");
        assertThat(errors(FLOW + "\nSTORD AS SCD TYPE 1"))
                .contains("p.sql:2:1: error SYNTAX_ERROR")
                .endsWith("hint: did you mean STORED?");
        assertThat(errors("CREATE VIEW v AS SELCT 1")).isEqualTo("""
                        p.sql:1:18: error QUERY_NOT_SELECT: expected a query, found "SELCT"
                          CREATE VIEW v AS SELCT 1
                                           ^
                          hint: did you mean SELECT?""");
    }

    /** A snapshot says by itself what events say by clauses. */
    @Test
    void clausesOfEventsAreRefusedForSnapshots() {
        String flow = "CREATE FLOW f AS AUTO CDC INTO t FROM SNAPSHOT (SELECT 1 AS id) KEYS (id)\n";
        Map<String, String> cases = Map.of(
                "SEQUENCE BY id", "SEQUENCE BY",
                "STORED AS BITEMPORAL\nSYSTEM SEQUENCE BY id", "SYSTEM SEQUENCE BY",
                "APPLY AS DELETE WHEN id = 1", "APPLY AS DELETE WHEN",
                "APPLY AS TRUNCATE WHEN id = 1", "APPLY AS TRUNCATE WHEN",
                "COLUMNS (id)", "COLUMNS",
                "IGNORE NULL UPDATES", "IGNORE NULL UPDATES",
                "COLUMNS TO UPDATE id", "COLUMNS TO UPDATE");
        cases.forEach((clause, name) -> {
            int line = clause.contains("\n") ? 3 : 2;
            assertThat(errors(flow + clause))
                    .as(clause)
                    .startsWith("p.sql:" + line + ":1: error SNAPSHOT_CLAUSE: " + name
                            + " is not possible with FROM SNAPSHOT");
        });
        assertThat(codes("CREATE FLOW f AS AUTO CDC ONCE INTO t FROM SNAPSHOT (SELECT 1) KEYS (id)"))
                .containsExactly(ErrorCode.SNAPSHOT_CLAUSE);
        assertThat(codes(flow + "TRACK HISTORY ON (id)")).containsExactly(ErrorCode.TRACK_HISTORY_UNSUPPORTED);
        assertThat(codes("CREATE FLOW f AS AUTO CDC INTO t FROM SNAPSHOT (SELECT 1)"))
                .containsExactly(ErrorCode.KEYS_MISSING);
    }

    @Test
    void versionsOfSnapshots() {
        String flow = "CREATE FLOW f AS AUTO CDC INTO t FROM SNAPSHOT (SELECT 1 AS id) KEYS (id)\n";
        assertThat(errors(FLOW + "\n WITH VERSION (SELECT 1)"))
                .startsWith("p.sql:2:2: error SYNTAX_ERROR: WITH VERSION is for FROM SNAPSHOT only");
        assertThat(errors(flow + "WITH VERSION (SELECT 1) WITH VERSION (SELECT 2)"))
                .startsWith("p.sql:2:25: error DUPLICATE_CLAUSE");
        assertThat(errors(flow + "WITH VERSOIN (SELECT 1)"))
                .startsWith("p.sql:2:6: error SYNTAX_ERROR: expected VERSION after 'WITH', found 'VERSOIN'");
        assertThat(errors(flow + "WITH VERSION SELECT 1")).startsWith("p.sql:2:14: error SYNTAX_ERROR");
    }

    /** A misspelled setting of our own would do nothing; those of others may be meant for them. */
    @Test
    void unknownSettings() {
        assertThat(errors("SET spark.sql.shuffle.partitions = 4;\nSET tidemark.skipChangeCommit = 't';"))
                .startsWith("p.sql:2:1: error INVALID_SETTING: the setting tidemark.skipChangeCommit is not known here")
                .endsWith("hint: did you mean tidemark.skipChangeCommits?");
        assertThat(errors("SET tidemark.retries = 3"))
                .endsWith("hint: known are tidemark.pipeline.id, tidemark.skipChangeCommits");
    }

    @Test
    void missingParts() {
        Map<String, String> cases = Map.of(
                "CREATE FLOW f AS AUTO CDC INTO t FROM",
                "1:38: error SYNTAX_ERROR: expected STREAM(table), a name or a query in parentheses after \"FROM\","
                        + " the statement ends",
                "CREATE FLOW f AS AUTO CDC INTO t KEYS (id)",
                "1:34: error SYNTAX_ERROR: expected FROM after \"t\", found \"KEYS\"",
                "CREATE FLOW f AS x",
                "1:18: error SYNTAX_ERROR: expected AUTO or INSERT after \"AS\", found \"x\"",
                "CREATE FLOW f AS AUTO CDC INTO t FROM s KEYS ()",
                "1:1: error SEQUENCE_MISSING: flow f has no SEQUENCE BY",
                "CREATE FLOW f AS AUTO CDC INTO t FROM s KEYS (id) SEQUENCE BY",
                "1:62: error SYNTAX_ERROR: expected an expression after \"BY\", the statement ends",
                "CREATE FLOW f AS AUTO CDC INTO t FROM s SEQUENCE BY STORED AS SCD TYPE 1",
                "1:53: error SYNTAX_ERROR: expected an expression before STORED",
                "CREATE FLOW f AS AUTO CDC INTO t FROM s SEQUENCE BY CASE WHEN a THEN b KEYS (c)",
                "1:53: error SYNTAX_ERROR: CASE without END",
                "CREATE STREAMING TABLE t (a INT b INT)",
                "1:33: error SYNTAX_ERROR: expected COMMENT, NOT NULL, (, ) or a comma after \"INT\", found \"b\"",
                "CREATE VIEW v AS",
                "1:17: error SYNTAX_ERROR: expected a query after \"AS\", the statement ends",
                "SET x",
                "1:1: error SYNTAX_ERROR: SET needs a name and a value");
        cases.forEach((text, message) -> assertThat(errors(text)).as(text).startsWith("p.sql:" + message));
    }

    @Test
    void bracketsStringsAndCommentsThatDoNotEnd() {
        assertThat(errors("CREATE VIEW v AS SELECT (1; CREATE VIEW v AS SELECT 1); CREATE VIEW x AS SELECT 'abc;"))
                .isEqualTo("""
                        p.sql:1:25: error SYNTAX_ERROR: ( is not closed
                          CREATE VIEW v AS SELECT (1; CREATE VIEW v AS SELECT 1); CREATE VIEW x AS SELECT 'abc;
                                                  ^
                          hint: close it before the statement ends
                        p.sql:1:54: error SYNTAX_ERROR: ) closes nothing
                          CREATE VIEW v AS SELECT (1; CREATE VIEW v AS SELECT 1); CREATE VIEW x AS SELECT 'abc;
                                                                               ^
                          hint: remove it, or open it before
                        p.sql:1:81: error SYNTAX_ERROR: the string does not end
                          ...ECT (1; CREATE VIEW v AS SELECT 1); CREATE VIEW x AS SELECT 'abc;
                                                                                         ^
                          hint: close it with '""");
        assertThat(errors("CREATE VIEW v AS SELECT 1 /* a /* b */")).startsWith("p.sql:1:27: error SYNTAX_ERROR");
        assertThat(errors("CREATE VIEW `v AS SELECT 1")).startsWith("p.sql:1:13: error SYNTAX_ERROR");
        assertThat(errors("CREATE VIEW v AS SELECT a[1)")).contains(") closes nothing");
    }

    @Test
    void whatIsKnownAndRefused() {
        assertThat(codes("CREATE STREAMING TABLE t (a INT, CONSTRAINT c EXPECT (a > 0) ON VIOLATION DROP ROW)"))
                .containsExactly(ErrorCode.EXPECTATIONS_UNSUPPORTED);
        assertThat(errors("CREATE STREAMING TABLE t (a INT,\n CONSTRAINT c EXPECT (a > 0) ON VIOLATION FAIL UPDATE)"))
                .startsWith("p.sql:2:2: error EXPECTATIONS_UNSUPPORTED");
        for (String clause : List.of(
                "PARTITIONED BY (a)",
                "CLUSTER BY AUTO",
                "SCHEDULE EVERY 1 HOUR",
                "LOCATION 'x'",
                "(a INT PRIMARY KEY)",
                "(a INT DEFAULT f(1, 2), b INT)",
                "(a INT, PRIMARY KEY (a))",
                "(a INT, CONSTRAINT k FOREIGN KEY (a) REFERENCES x (y))",
                "(a VARCHAR(10))")) {
            assertThat(codes("CREATE STREAMING TABLE t " + clause))
                    .as(clause)
                    .containsExactly(ErrorCode.UNSUPPORTED_FEATURE);
        }
        for (String statement : List.of(
                "SELECT 1",
                "DROP TABLE t",
                "INSERT INTO t SELECT 1",
                "UPDATE t SET a = 1",
                "CREATE TABLE t (a INT)",
                "CREATE LIVE TABLE t AS SELECT 1",
                "DESCRIBE t",
                "SHOW TABLES",
                "ALTER TABLE t SET TBLPROPERTIES (a = 1)",
                "OPTIMIZE t")) {
            assertThat(codes(statement)).as(statement).containsExactly(ErrorCode.UNSUPPORTED_STATEMENT);
        }
        assertThat(codes("CREATE FLOW f AS INSERT INTO t (a, b) SELECT 1, 2"))
                .containsExactly(ErrorCode.UNSUPPORTED_FEATURE);
        assertThat(codes("CREATE VIEW a.b.c AS SELECT 1")).containsExactly(ErrorCode.UNSUPPORTED_FEATURE);
        assertThat(codes("CREATE VIEW `` AS SELECT 1")).containsExactly(ErrorCode.SYNTAX_ERROR);
        assertThat(codes("CREATE OR REPLACE STREAMING TABLE t")).containsExactly(ErrorCode.SYNTAX_ERROR);
        assertThat(codes("CREATE OR REFRESH VIEW v AS SELECT 1")).containsExactly(ErrorCode.SYNTAX_ERROR);
        assertThat(codes("CREATE OR REPLACE FLOW v AS INSERT INTO t SELECT 1")).containsExactly(ErrorCode.SYNTAX_ERROR);
    }

    @Test
    void clausesThatStandTwice() {
        assertThat(errors(FLOW + "\nKEYS (x)")).isEqualTo("""
                        p.sql:2:1: error DUPLICATE_CLAUSE: KEYS stands twice in the statement
                          It stands first at p.sql:1:49.
                          KEYS (x)
                          ^
                          hint: keep one of them""");
        for (String clause : List.of(
                "SEQUENCE BY n",
                "COLUMNS * COLUMNS *",
                "IGNORE NULL UPDATES IGNORE NULL UPDATES ON *",
                "STORED AS SCD TYPE 2 TRACK HISTORY ON (a) TRACK HISTORY ON b",
                "APPLY AS DELETE WHEN a APPLY AS DELETE WHEN b",
                "COLUMNS TO UPDATE a COLUMNS TO UPDATE b",
                "STORED AS SCD TYPE 1 STORED AS SCD TYPE 1")) {
            assertThat(codes(FLOW + clause)).as(clause).containsExactly(ErrorCode.DUPLICATE_CLAUSE);
        }
        assertThat(codes("CREATE STREAMING TABLE t COMMENT 'a' COMMENT 'b'"))
                .containsExactly(ErrorCode.DUPLICATE_CLAUSE);
        assertThat(codes(FLOW + "COLUMNS (id) COLUMNS * EXCEPT (b)")).containsExactly(ErrorCode.COLUMN_LIST_CONFLICT);
        assertThat(codes(FLOW + "COLUMNS (id) EXCEPT (b)")).containsExactly(ErrorCode.COLUMN_LIST_CONFLICT);
    }

    @Test
    void rulesOfChangeFlows() {
        assertThat(codes("CREATE FLOW f AS AUTO CDC INTO t FROM stream(s)"))
                .containsExactly(ErrorCode.KEYS_MISSING, ErrorCode.SEQUENCE_MISSING);
        Map<String, ErrorCode> cases = Map.of(
                "COLUMNS (a)", ErrorCode.KEY_NOT_IN_COLUMNS,
                "IGNORE NULL UPDATES ON (id)", ErrorCode.KEY_IN_IGNORE_NULL,
                "APPLY AS TRUNCATE WHEN x STORED AS SCD TYPE 2", ErrorCode.TRUNCATE_UNSUPPORTED,
                "TRACK HISTORY ON *", ErrorCode.TRACK_HISTORY_UNSUPPORTED,
                "STORED AS BITEMPORAL", ErrorCode.SYSTEM_SEQUENCE_MISSING,
                "SYSTEM SEQUENCE BY x", ErrorCode.SYSTEM_SEQUENCE_UNSUPPORTED,
                "COLUMNS TO UPDATE c IGNORE NULL UPDATES", ErrorCode.COLUMNS_TO_UPDATE_WITH_IGNORE_NULLS,
                "COLUMNS TO UPDATE c STORED AS BITEMPORAL SYSTEM SEQUENCE BY x",
                        ErrorCode.COLUMNS_TO_UPDATE_UNSUPPORTED,
                "STORED AS SCD TYPE 3", ErrorCode.UNSUPPORTED_FEATURE);
        cases.forEach(
                (clause, code) -> assertThat(codes(FLOW + clause)).as(clause).containsExactly(code));
    }

    @Test
    void namesThatStandTwice() {
        assertThat(errors("CREATE STREAMING TABLE t;\nCREATE VIEW T AS SELECT 1"))
                .isEqualTo("""
                        p.sql:2:13: error DUPLICATE_NAME: the table or view T is defined twice
                          It is first defined at p.sql:1:24.
                          CREATE VIEW T AS SELECT 1
                                      ^
                          hint: give each its own name; names are compared without regard to case""");
        assertThat(codes(FLOW + ";" + FLOW)).containsExactly(ErrorCode.DUPLICATE_NAME);
        assertThat(codes("CREATE STREAMING TABLE t (a INT, A STRING)")).containsExactly(ErrorCode.DUPLICATE_NAME);
        assertThat(codes("CREATE VIEW v (a, A) AS SELECT 1, 2")).containsExactly(ErrorCode.DUPLICATE_NAME);
        assertThat(codes("CREATE STREAMING TABLE t (a INT) CLUSTER BY (b)")).containsExactly(ErrorCode.UNKNOWN_COLUMN);
    }
}
