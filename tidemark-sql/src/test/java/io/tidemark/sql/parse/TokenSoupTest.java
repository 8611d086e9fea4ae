package io.tidemark.sql.parse;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.query.QueryScanner;
import io.tidemark.testkit.Seeded;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Random texts never break the parsers, and long texts do not take them long. */
class TokenSoupTest {
    private static final List<String> TOKENS = List.of(
            "CREATE",
            "OR",
            "REFRESH",
            "STREAMING",
            "TABLE",
            "FLOW",
            "AS",
            "AUTO",
            "CDC",
            "INTO",
            "FROM",
            "STREAM",
            "(",
            ")",
            "[",
            "]",
            "<",
            ">",
            ",",
            ".",
            ";",
            "*",
            "KEYS",
            "SEQUENCE",
            "BY",
            "APPLY",
            "DELETE",
            "WHEN",
            "COLUMNS",
            "EXCEPT",
            "STORED",
            "SCD",
            "TYPE",
            "2",
            "BITEMPORAL",
            "SELECT",
            "x",
            "`y z`",
            "'text'",
            "\"s\"",
            "CASE",
            "END",
            "-- c\n",
            "/*",
            "*/",
            "1.5e3",
            "=",
            "=>",
            "@",
            "\\",
            "'",
            "`",
            "\uD83D\uDE00",
            "\u0000",
            "STRUCT",
            "ARRAY",
            "INT",
            "SNAPSHOT",
            "SET",
            "INSERT",
            "VIEW",
            "COMMENT",
            "NOT",
            "NULL",
            "ON",
            "IF",
            "\r\n",
            "\t");

    private static final List<String> BEGINNINGS = List.of(
            "",
            "CREATE STREAMING TABLE t ",
            "CREATE FLOW f AS AUTO CDC INTO t FROM ",
            "CREATE FLOW f AS AUTO CDC INTO t FROM s KEYS (id) SEQUENCE BY ",
            "CREATE STREAMING TABLE t (a ",
            "SET ");

    @Test
    void randomTokens() {
        Seeded.run(1, 2000, (random, seed) -> {
            StringBuilder text = new StringBuilder(BEGINNINGS.get(random.nextInt(BEGINNINGS.size())));
            int length = random.nextInt(25);
            for (int i = 0; i < length; i++) {
                text.append(TOKENS.get(random.nextInt(TOKENS.size())));
                text.append(random.nextInt(6) == 0 ? "" : " ");
            }
            try {
                parseAll(text.toString());
            } catch (RuntimeException | Error broken) {
                throw new AssertionError("text: " + text, broken);
            }
        });
    }

    private static void parseAll(String text) {
        SourceText source = new SourceText("soup", text);
        PipelineParser.parse(List.of(source))
                .errors()
                .forEach(error -> assertThat(error.render()).isNotBlank());
        tolerant(() -> SessionParser.parse(source)
                .forEach(statement -> assertThat(statement.location()).isNotNull()));
        tolerant(() -> QueryScanner.scan(new QueryText("SELECT * FROM " + text, TextLocation.NONE)));
    }

    @Test
    void deepNestingTakesLinearTime() {
        String text = "CREATE VIEW v AS SELECT " + "(".repeat(100_000) + "1" + ")".repeat(100_000);
        long start = System.nanoTime();
        PipelineParser.parse(List.of(new SourceText("deep", text)));
        tolerant(() -> QueryScanner.scan(new QueryText(text.substring(text.indexOf("SELECT")), TextLocation.NONE)));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }

    private static void tolerant(Runnable parsing) {
        try {
            parsing.run();
        } catch (TidemarkException expected) {
            assertThat(expected.render()).isNotBlank();
        }
    }

    @Test
    void longTextsTakeLinearTime() {
        for (String part : List.of(
                "CREATE FLOW f AS AUTO CDC INTO t FROM s KEYS (id) SEQUENCE BY n;\n",
                "(",
                "/* ",
                "'",
                "a + ",
                "((a)",
                "`",
                "array<",
                "a, ",
                "CASE WHEN ",
                "KEYS ",
                "@",
                "1.",
                "..",
                "-",
                "\\'")) {
            for (String beginning : BEGINNINGS) {
                String text = beginning + part.repeat(60_000 / part.length());
                long start = System.nanoTime();
                PipelineParser.parse(List.of(new SourceText("long", text)));
                tolerant(() -> QueryScanner.scan(new QueryText("SELECT * FROM " + text, TextLocation.NONE)));
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .as(beginning + part)
                        .isLessThan(Duration.ofSeconds(5));
            }
        }
    }
}
