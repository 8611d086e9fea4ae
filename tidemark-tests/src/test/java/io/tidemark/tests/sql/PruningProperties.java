package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.skipping.FileFilter;
import io.tidemark.sql.query.ConditionReader;
import io.tidemark.testkit.Seeded;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that a condition lets a statement leave out has no row that meets the condition. */
class PruningProperties {
    private static final int CASES = 8;
    private static final int CONDITIONS = 120;
    private static final List<String> COLUMNS = List.of("i", "l", "d", "f", "s", "b", "y", "z");

    @TempDir
    Path folder = Path.of("");

    @Test
    void leftOutFilesHaveNoMatch() {
        long[] left = new long[1];
        Seeded.run(7_300, CASES, (random, seed) -> {
            try (Shell shell = new Shell(folder.resolve("s" + seed))) {
                left[0] += check(shell, random, seed);
            }
        });
        assertThat(left[0]).as("files left out").isGreaterThan(CASES * 20L);
    }

    private static long check(Shell shell, Random random, long seed) {
        String partition = seed % 2 == 0 ? "" : " PARTITIONED BY (" + COLUMNS.get((int) (seed / 2) % 7) + ")";
        shell.run(
                "CREATE TABLE t (i INT, l BIGINT, d DECIMAL(10, 2), f DOUBLE, s STRING, b BOOLEAN, y DATE, z TIMESTAMP)"
                        + partition + " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')");
        for (int file = 0; file < 6; file++) {
            List<String> rows = new ArrayList<>();
            int base = random.nextInt(8);
            for (int row = 0; row < 3; row++) {
                int from = base;
                rows.add("("
                        + String.join(
                                ", ",
                                COLUMNS.stream()
                                        .map(column -> value(random, column, from))
                                        .toList()) + ")");
            }
            shell.run("INSERT INTO t VALUES " + String.join(", ", rows));
        }
        shell.run("DELETE FROM t WHERE i = 3 AND s IS NOT NULL");
        Snapshot table = shell.table("t").snapshot();
        long left = 0;
        for (int i = 0; i < CONDITIONS; i++) {
            String text = condition(random, 3);
            QueryText condition = new QueryText(text, TextLocation.NONE);
            FileFilter filter = table.filter(ConditionReader.read(condition, table.schema(), "t"));
            List<DataFile> out = table.files().stream()
                    .filter(file -> !filter.test(file.add()))
                    .toList();
            left += out.size();
            if (!out.isEmpty()) {
                assertThat(count(shell, table, out, text)).as(text).isZero();
            }
        }
        return left;
    }

    /** How many rows of files meet a condition; none if it is no valid condition for the engine. */
    private static long count(Shell shell, Snapshot table, List<DataFile> files, String condition) {
        shell.engine().registerFiles("t", EngineFiles.scan(table, files, Optional.empty(), Optional.empty()));
        String query = "SELECT count(*) FROM t WHERE " + condition;
        long[] count = new long[1];
        try {
            shell.engine().stream(
                    shell.engine()
                            .prepare(new QueryText(query, TextLocation.NONE), (parts, place) -> "t")
                            .sql(),
                    row -> {
                        count[0] = ((Number) row.get(0)).longValue();
                        return true;
                    });
        } catch (TidemarkException refused) {
            assertThat(refused.code().name()).as(query).startsWith("QUERY_");
        } finally {
            shell.engine().drop("t");
        }
        return count[0];
    }

    private static String value(Random random, String column, int base) {
        if (random.nextInt(8) == 0) {
            return "NULL";
        }
        int n = base + random.nextInt(3);
        return switch (column) {
            case "i", "l" -> Integer.toString(n - 3);
            case "d" -> String.format(Locale.ROOT, "%d.%d5", n - 3, n % 10);
            case "f" -> random.nextInt(9) == 0 ? "CAST('NaN' AS DOUBLE)" : (n - 3) + ".5D";
            case "s" -> "'" + "abcdefghijkl".charAt(n) + "x'";
            case "b" -> n % 2 == 0 ? "true" : "false";
            case "y" -> "DATE '2020-01-" + (10 + n) + "'";
            default -> "TIMESTAMP '2020-01-" + (10 + n) + " 12:00:00.00012" + n % 10 + "'";
        };
    }

    private static String literal(Random random, String column) {
        int n = random.nextInt(11);
        if (random.nextInt(10) == 0) {
            return "NULL";
        }
        return switch (column) {
            case "i", "l" ->
                random.nextInt(4) == 0 ? (n - 3) + ".5" : random.nextInt(6) == 0 ? "'" + n + "'" : "" + (n - 3);
            case "d" -> random.nextBoolean() ? (n - 3) + "." + n % 10 + "5" : (n - 3) + "e0";
            case "f" -> random.nextBoolean() ? (n - 3) + ".5D" : (n - 3) + ".5";
            case "s" -> "'" + "abcdefghijkl".charAt(n) + (random.nextBoolean() ? "x" : "") + "'";
            case "b" -> random.nextBoolean() ? "true" : "false";
            case "y" -> (random.nextBoolean() ? "DATE " : "") + "'2020-01-" + (10 + n) + "'";
            default ->
                switch (random.nextInt(3)) {
                    case 0 -> "TIMESTAMP '2020-01-" + (10 + n) + " 12:00:00.00012" + n % 10 + "'";
                    case 1 -> "'2020-01-" + (10 + n) + " 12:00:00'";
                    default -> "DATE '2020-01-" + (10 + n) + "'";
                };
        };
    }

    private static String condition(Random random, int depth) {
        String column = COLUMNS.get(random.nextInt(COLUMNS.size()));
        String name = random.nextInt(4) == 0 ? "t." + column : random.nextInt(6) == 0 ? "`" + column + "`" : column;
        return switch (random.nextInt(depth > 0 ? 13 : 8)) {
            case 0, 1, 2 -> {
                String operator = List.of("=", "<", "<=", ">", ">=", "<>", "!=", "<=>", "==")
                        .get(random.nextInt(9));
                yield name + " " + operator + " " + literal(random, column);
            }
            case 3 -> literal(random, column) + " <= " + name;
            case 4 -> name + (random.nextBoolean() ? " IS NULL" : " IS NOT NULL");
            case 5 ->
                name + (random.nextInt(3) == 0 ? " NOT" : "") + " IN (" + literal(random, column) + ", "
                        + literal(random, column) + ")";
            case 6 ->
                name + (random.nextInt(3) == 0 ? " NOT" : "") + " BETWEEN " + literal(random, column) + " AND "
                        + literal(random, column);
            case 7 -> random.nextBoolean() ? "b" : "i + 1 = " + random.nextInt(5);
            case 8 -> "NOT (" + condition(random, depth - 1) + ")";
            case 9 -> "NOT " + condition(random, 0);
            case 10 -> "CASE WHEN " + condition(random, 0) + " THEN " + condition(random, 0) + " ELSE false END";
            case 11 -> condition(random, depth - 1) + " OR " + condition(random, depth - 1);
            default -> "(" + condition(random, depth - 1) + ") AND " + condition(random, depth - 1);
        };
    }
}
