package io.tidemark.sql.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
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
        long seed = Long.getLong("tidemark.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 4000; round++) {
            StringBuilder text = new StringBuilder(BEGINNINGS.get(random.nextInt(BEGINNINGS.size())));
            int length = random.nextInt(25);
            for (int i = 0; i < length; i++) {
                text.append(TOKENS.get(random.nextInt(TOKENS.size())));
                text.append(random.nextInt(6) == 0 ? "" : " ");
            }
            try {
                PipelineParser.parse(List.of(new SourceText("soup", text.toString())))
                        .errors()
                        .forEach(error -> assertThat(error.render()).isNotBlank());
            } catch (RuntimeException | Error broken) {
                throw new AssertionError("seed " + seed + ", text: " + text, broken);
            }
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
                String text = beginning + part.repeat(200_000 / part.length());
                long start = System.nanoTime();
                PipelineParser.parse(List.of(new SourceText("long", text)));
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .as(beginning + part)
                        .isLessThan(Duration.ofSeconds(5));
            }
        }
    }
}
