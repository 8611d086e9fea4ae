package io.tidemark.sql.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.sql.query.RelationReference.ChangesReference;
import io.tidemark.sql.query.RelationReference.FilesReference;
import io.tidemark.sql.query.RelationReference.TableReference;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QueryScannerTest {
    private static final TextLocation PLACE = new TextLocation("q.sql", 5, 3);

    @Test
    void streams() {
        Map<String, String> cases = Map.of(
                "SELECT * FROM STREAM(orders) WHERE x", "SELECT * FROM `~0`           WHERE x",
                "SELECT * FROM stream orders o", "SELECT * FROM `~0`          o",
                "SELECT * FROM STREAM live.orders", "SELECT * FROM `~0`              ",
                "SELECT * FROM STREAM(s.`a b`) AS x", "SELECT * FROM `~0`            AS x",
                "SELECT a FROM (SELECT * FROM STREAM(t))", "SELECT a FROM (SELECT * FROM `~0`     )",
                "SELECT t.a FROM STREAM(t)", "SELECT t.a FROM `~0` `t` ");
        cases.forEach((query, replaced) -> {
            ScannedQuery scanned = scan(query);
            assertThat(scanned.text().sql()).isEqualTo(replaced);
            assertThat(scanned.text().location()).isEqualTo(PLACE);
            assertThat(scanned.isStreaming()).isTrue();
        });
        TableReference table =
                (TableReference) scan("SELECT *\nFROM STREAM(s.t)").references().get(0);
        assertThat(table)
                .isEqualTo(new TableReference(
                        "~0", new TableName("s", "t"), true, Optional.empty(), new TextLocation("q.sql", 6, 6)));
    }

    @Test
    void whatLooksLikeARelationAndIsNone() {
        for (String query : List.of(
                "SELECT stream, version FROM t",
                "SELECT stream(x) FROM t",
                "SELECT * FROM stream",
                "SELECT * FROM stream AS s JOIN b ON s.x = b.x",
                "SELECT * FROM stream WHERE version = 1",
                "SELECT * FROM `stream` x",
                "SELECT * FROM t version",
                "SELECT * FROM t timestamp WHERE timestamp.x > 1",
                "SELECT extract(year FROM stream) FROM t",
                "SELECT a IS NOT DISTINCT FROM live.x, b IS DISTINCT FROM live.y FROM t",
                "SELECT live.x FROM live",
                "SELECT 'FROM STREAM(x)' -- FROM STREAM(y)\n FROM t /* , STREAM(z) */",
                "SELECT * FROM VALUES (1, live.x), (2, live.y) AS v(a, b)",
                "SELECT * FROM range(10), explode(array(1, 2)) e",
                "SELECT a FROM t LATERAL VIEW explode(live.x) e AS b, c WHERE f(a, live.b)",
                "SELECT t.live.x, u.stream FROM t ORDER BY a, live.b")) {
            ScannedQuery scanned = scan(query);
            assertThat(scanned.text().sql()).isEqualTo(query);
            assertThat(scanned.references()).as(query).isEmpty();
            assertThat(scanned.isStreaming()).isFalse();
        }
    }

    @Test
    void versions() {
        Map<String, VersionSpec> cases = Map.ofEntries(
                Map.entry("t VERSION AS OF 3", new VersionSpec.AtVersion(3)),
                Map.entry("t FOR VERSION AS OF 3", new VersionSpec.AtVersion(3)),
                Map.entry("t FOR SYSTEM_VERSION AS OF '3'", new VersionSpec.AtVersion(3)),
                Map.entry("t@v12", new VersionSpec.AtVersion(12)),
                Map.entry("s.t@V0", new VersionSpec.AtVersion(0)),
                Map.entry("t TIMESTAMP AS OF '2026-01-31'", at("2026-01-31T00:00:00Z")),
                Map.entry("t TIMESTAMP AS OF '2026-1-31 1:02:03.5'", at("2026-01-31T01:02:03.5Z")),
                Map.entry("t TIMESTAMP AS OF \"2026-01-31T01:02:03+02:00\"", at("2026-01-30T23:02:03Z")),
                Map.entry("t TIMESTAMP AS OF TIMESTAMP '2026-01-31 01:02'", at("2026-01-31T01:02:00Z")),
                Map.entry("t FOR SYSTEM_TIME AS OF '2026-01-31 Europe/Berlin'", at("2026-01-30T23:00:00Z")),
                Map.entry("t@20260131010203456", at("2026-01-31T01:02:03.456Z")));
        cases.forEach((relation, version) -> {
            ScannedQuery scanned = scan("SELECT * FROM " + relation + " AS x, LIVE.u");
            assertThat(scanned.references()).hasSize(2);
            TableReference table = (TableReference) scanned.references().get(0);
            assertThat(table.version()).as(relation).contains(version);
            assertThat(table.streaming()).isFalse();
            assertThat(scanned.text().sql()).matches("SELECT \\* FROM `~0` +AS x, `~1`  ");
            assertThat(scanned.reference("~1").orElseThrow().location().line()).isEqualTo(5);
        });
    }

    @Test
    void manyPlaces() {
        String query = """
                WITH a AS (SELECT * FROM LIVE.a1), b AS (TABLE LIVE.b1)
                SELECT * FROM (LIVE.c1 JOIN (SELECT 1 FROM LIVE.d1) USING (x)), b LEFT JOIN LIVE.e1 ON f(b.x, 1) = 2
                WHERE x IN (SELECT y FROM LIVE.g1 WHERE z = 1) AND EXISTS (FROM LIVE.h1 SELECT 1)
                UNION ALL TABLE LIVE.i1 UNION SELECT * FROM VALUES (1) AS v(x), LATERAL (SELECT 1 FROM LIVE.j1), LIVE.k1
                """;
        ScannedQuery scanned = scan(query);
        assertThat(scanned.references())
                .extracting(reference -> ((TableReference) reference).table().name())
                .containsExactly("a1", "b1", "c1", "d1", "e1", "g1", "h1", "i1", "j1", "k1");
        assertThat(scanned.text().sql().lines().map(String::length))
                .containsExactlyElementsOf(query.lines().map(String::length).toList());
    }

    @Test
    void files() {
        ScannedQuery scanned = scan("""
                SELECT * FROM STREAM read_files(
                  'in/*.json',  -- where
                  format => 'json',
                  schema => 'id INT, b STRNG',
                  maxFiles => 10, strict => true, skip => -1,
                  options => map('A.b', 'x''y'))
                WHERE id > 0""");
        FilesReference files = (FilesReference) scanned.references().get(0);
        assertThat(files.path()).isEqualTo("in/*.json");
        assertThat(files.streaming()).isTrue();
        assertThat(files.options())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "format", "json",
                        "schema", "id INT, b STRNG",
                        "maxfiles", "10",
                        "strict", "true",
                        "skip", "-1",
                        "a.b", "x'y"));
        assertThat(scanned.text().sql()).isEqualTo("SELECT * FROM `~0`\n\n\n\n\n" + " ".repeat(32) + "\nWHERE id > 0");
        TidemarkException fault = catchThrowableOfType(TidemarkException.class, files::schema);
        assertThat(fault.location()).contains(new TextLocation("q.sql", 8, 24));
        assertThat(((FilesReference) scan("SELECT * FROM read_files(path => 'x')")
                                .references()
                                .get(0))
                        .streaming())
                .isFalse();
        assertThat(scan("SELECT * FROM STREAM(read_files('x')) WHERE 1 = 1")
                        .text()
                        .sql())
                .isEqualTo("SELECT * FROM `~0`                    WHERE 1 = 1");
    }

    @Test
    void changes() {
        assertThat(scan("SELECT * FROM STREAM table_changes('s.t')").references())
                .containsExactly(new ChangesReference(
                        "~0",
                        new TableName("s", "t"),
                        Optional.empty(),
                        Optional.empty(),
                        true,
                        new TextLocation("q.sql", 5, 17)));
        ChangesReference changes = (ChangesReference) scan("SELECT * FROM table_changes('t', 1, '2026-01-01')")
                .references()
                .get(0);
        assertThat(changes.from()).contains(new VersionSpec.AtVersion(1));
        assertThat(changes.to()).contains(at("2026-01-01T00:00:00Z"));
    }

    @Test
    void faults() {
        Map<String, ErrorCode> cases = Map.ofEntries(
                Map.entry("SELECT * FROM STREAM(SELECT 1)", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM STREAM(a, b)", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM STREAM(range(3))", ErrorCode.UNSUPPORTED_FEATURE),
                Map.entry("SELECT * FROM STREAM t VERSION AS OF 1", ErrorCode.UNSUPPORTED_FEATURE),
                Map.entry("SELECT * FROM STREAM(a.b.c)", ErrorCode.UNSUPPORTED_FEATURE),
                Map.entry("SELECT * FROM t VERSION AS OF x", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM t VERSION AS OF", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM t TIMESTAMP AS OF 'soon'", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM t TIMESTAMP AS OF", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM t@x", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM t@", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM read_files()", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM read_files(x)", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM read_files('a', 'b')", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM read_files('a', f => 1, F => 2)", ErrorCode.DUPLICATE_NAME),
                Map.entry("SELECT * FROM read_files('a', f => map('x'))", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM cloud_files('a')", ErrorCode.UNSUPPORTED_FEATURE),
                Map.entry("SELECT * FROM table_changes('t')", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM table_changes('t', 'x')", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT * FROM (t", ErrorCode.SYNTAX_ERROR),
                Map.entry("SELECT 'x", ErrorCode.SYNTAX_ERROR));
        cases.forEach((query, code) -> {
            TidemarkException fault = catchThrowableOfType(TidemarkException.class, () -> scan(query));
            assertThat(fault).as(query).isNotNull();
            assertThat(fault.code()).as(query).isEqualTo(code);
            assertThat(fault.detail().orElse("")).as(query).endsWith("^");
        });
    }

    private static ScannedQuery scan(String query) {
        return QueryScanner.scan(new QueryText(query, PLACE));
    }

    private static VersionSpec at(String time) {
        return new VersionSpec.AtTime(Instant.parse(time));
    }
}
