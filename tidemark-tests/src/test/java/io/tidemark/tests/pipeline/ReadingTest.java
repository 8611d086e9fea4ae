package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.DataFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts the bytes that updates read, so that what a plan leaves unread stays unread. */
class ReadingTest {
    private static final Path COUNTERS = Path.of("/proc/self/io");
    private static final int ROWS = 200_000;
    private static final long ONE_FILE = Long.MAX_VALUE;

    @TempDir
    Path folder;

    /** Bytes that this process has read. */
    private static long bytesRead() throws IOException {
        return Files.readAllLines(COUNTERS).stream()
                .filter(line -> line.startsWith("rchar:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aSmallBatchReadsKeysAndSequencesButNoOtherValues() throws IOException {
        assumeTrue(Files.isReadable(COUNTERS), "only Linux counts what a process reads");
        String pipeline = """
                CREATE OR REFRESH STREAMING TABLE people TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'false');
                CREATE FLOW people AS AUTO CDC INTO people
                FROM STREAM read_files('events/*.parquet', format => 'parquet')
                KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op)
                STORED AS SCD TYPE 1;
                """;
        try (Lake lake = new Lake(folder)) {
            events(lake, "first", "range(" + ROWS + ")", 1);
            lake.run(pipeline);
            // The first small batch loads what every later one needs as well: classes, functions.
            events(lake, "second", "(SELECT i * 1000 AS i FROM range(200) AS r(i))", 2);
            lake.run(pipeline);
            events(lake, "third", "(SELECT i * 1000 AS i FROM range(200) AS r(i))", 3);
            long table = lake.warehouse().table(TableName.of("people")).snapshot().files().stream()
                    .mapToLong(DataFile::size)
                    .sum();
            long before = bytesRead();
            lake.run(pipeline);
            long read = bytesRead() - before;
            assertThat(table).isGreaterThan(10_000_000);
            assertThat(read).as("bytes read, of a table of %d bytes", table).isLessThan(table / 4);
        }
    }

    /** Writes events whose values do not compress. */
    private void events(Lake lake, String name, String keys, int seq) {
        StructType schema = new StructType(List.of(
                StructField.of("id", ScalarType.LONG),
                StructField.of("note", ScalarType.STRING),
                StructField.of("seq", ScalarType.LONG),
                StructField.of("op", ScalarType.STRING)));
        String note = IntStream.of(7, 11, 13, 17 + seq)
                .mapToObj(factor -> "md5((i * " + factor + ")::VARCHAR)")
                .collect(Collectors.joining(" || "));
        lake.engine()
                .write(
                        "SELECT i AS id, " + note + " AS note, " + seq + "::BIGINT AS seq, 'U' AS op FROM " + keys
                                + " AS t(i)",
                        new WriteSpec(folder.resolve("events").toString(), name, schema, List.of(), ONE_FILE, 0));
    }
}
