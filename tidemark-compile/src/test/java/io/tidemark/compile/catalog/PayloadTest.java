package io.tidemark.compile.catalog;

import static io.tidemark.compile.catalog.CatalogFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Payloads on their way in and out: in rows or files, checked, streamed. */
class PayloadTest {
    private static final String LAYER = "docs";
    private static final int INLINE_LIMIT = 8;

    @TempDir
    Path folder;

    private CatalogFixture fixture;
    private Catalog catalog;

    @BeforeEach
    void create() {
        fixture = CatalogFixture.create(folder, LayerDefinition.generic(LAYER).withInlineLimit(INLINE_LIMIT));
        catalog = fixture.catalog;
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private PartitionMeta meta(String partition) {
        return catalog.meta(fixture.engine, catalog.latest(), LAYER, partition).orElseThrow();
    }

    private String read(String partition) throws IOException {
        try (InputStream input = catalog.read(fixture.engine, catalog.latest(), LAYER, partition)) {
            return new String(input.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void theLimitDecidesWhereAPayloadStands() throws Exception {
        fixture.publish(LAYER, "row", "12345678", "file", "123456789");
        assertThat(meta("row").file()).isEmpty();
        PartitionMeta inFile = meta("file");
        // The numbers are those of sha256sum and of a CRC-32C calculator.
        assertThat(inFile.checksum()).isEqualTo("15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225");
        assertThat(inFile.crc32c()).isEqualTo(0xe3069283L);
        assertThat(inFile.size()).isEqualTo(9);
        assertThat(inFile.file()).contains("_payloads/15/" + inFile.checksum());
        assertThat(Path.of(catalog.location(), inFile.file().orElseThrow())).hasContent("123456789");
        assertThat(read("row")).isEqualTo("12345678");
        assertThat(read("file")).isEqualTo("123456789");
        assertThat(CatalogFixture.filesBelow(fixture.scratch)).isEmpty();
    }

    @Test
    void damagedFilesAreNoticed() throws Exception {
        fixture.publish(
                LAYER, "flipped", "a longer payload", "shorter", "another long payload", "gone", "the third payload");
        Files.writeString(file("flipped"), "A longer payload");
        Files.writeString(file("shorter"), "another long");
        Files.delete(file("gone"));
        for (String partition : List.of("flipped", "shorter", "gone")) {
            assertThat(failure(() -> read(partition)))
                    .hasMessageContaining("CORRUPT_PAYLOAD")
                    .hasMessageContaining("docs/" + partition);
        }
        List<TidemarkException> problems = new ArrayList<>();
        CatalogCheck.Result result =
                CatalogCheck.run(catalog, fixture.engine, catalog.latest(), List.of(LAYER), problems::add);
        assertThat(result).isEqualTo(new CatalogCheck.Result(3, 53, 3));
        assertThat(problems).extracting(TidemarkException::code).containsOnly(ErrorCode.CORRUPT_PAYLOAD);
    }

    private Path file(String partition) {
        return Path.of(catalog.location(), meta(partition).file().orElseThrow());
    }

    @Test
    void bytesInRowsAreCheckedToo() {
        fixture.publish(LAYER, "a", "12345678");
        byte[] wrong = {1, 2, 3, 4, 5, 6, 7, 8};
        PartitionMeta meta = meta("a");
        assertThat(failure(() -> catalog.payloadBytes(meta, wrong))).hasMessageContaining("CORRUPT_PAYLOAD");
        PartitionMeta otherDigest = new PartitionMeta(
                meta.layer(), meta.partition(), 1, Digest.SHA_256, "00", meta.size(), meta.crc32c(), null);
        byte[] right = "12345678".getBytes(StandardCharsets.US_ASCII);
        assertThat(failure(() -> catalog.payloadBytes(otherDigest, right))).hasMessageContaining("CORRUPT_PAYLOAD");
        assertThat(catalog.payloadBytes(meta, right)).isEqualTo(right);
    }

    /** A task that is tried again stages its payload twice, and a payload that is given up leaves nothing. */
    @Test
    void stagingTwiceLeavesOneFile() throws Exception {
        CatalogVersion base = catalog.latest();
        try (PayloadStager stager = catalog.stager(base, fixture.scratch)) {
            byte[] payload = new byte[100];
            StagedPayload first = stager.stage(LAYER, "a", payload);
            PayloadOutput given = stager.open(LAYER, "a");
            given.write(payload);
            given.close();
            PayloadOutput forgotten = stager.open(LAYER, "a");
            forgotten.write(payload);
            assertThat(stager.stage(LAYER, "a", payload)).isEqualTo(first);
        }
        assertThat(fixture.payloadFiles()).hasSize(1);
        assertThat(CatalogFixture.filesBelow(fixture.scratch)).isEmpty();
    }

    /** Only partitions that are asked for are read, by their places. */
    @Test
    void payloadsAreReadByKeys() {
        for (int i = 0; i < 4; i++) {
            fixture.publish(LAYER, "x" + i, "p" + i, "y" + i, "longer payload " + i);
        }
        fixture.publish(LAYER, "x1", "new", "x2", null);
        fixture.engine.materialize(
                "keys",
                "SELECT * FROM (VALUES ('docs', 'x1'), ('docs', 'x2'), ('docs', 'y3'), ('docs', 'none'))"
                        + " AS k(layer, partition)",
                Optional.empty());
        catalog.registerPayloadsOf(fixture.engine, "payloads", catalog.latest(), "keys");
        assertThat(fixture.rows("SELECT partition, decode(payload), size FROM payloads ORDER BY partition"))
                .isEqualTo(List.of(List.of("x1", "new", 3L), Arrays.asList("y3", null, 16L)));
        Catalog.drop(fixture.engine, "payloads");
    }

    /** A payload of five times the heap goes in and out, and so do many small ones. */
    @Test
    void payloadsLargerThanTheHeapPass() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx" + LargePayload.HEAP_MIB + "m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LargePayload.class.getName(),
                        folder.resolve("large").toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isZero();
    }

    /** The process whose heap is small. */
    static final class LargePayload {
        static final int HEAP_MIB = 48;

        private static final long MIB = 1024 * 1024;
        private static final long PAYLOAD_BYTES = 5 * HEAP_MIB * MIB;
        private static final int SMALL = 20_000;
        private static final int SMALL_BYTES = 8_000;

        private LargePayload() {}

        public static void main(String[] arguments) throws IOException {
            Path folder = Files.createDirectories(Path.of(arguments[0]));
            Path scratch = Files.createDirectories(folder.resolve("scratch"));
            Catalog catalog = Catalog.create(
                    new LocalStorage(),
                    folder.resolve("catalog").toString(),
                    CatalogDefinition.of("large", LayerDefinition.generic(LAYER)));
            CatalogVersion base = catalog.latest();
            try (Engine engine = DuckDbEngine.open(new DuckDbSettings(256 * MIB, 2, folder.resolve("spill")));
                    PayloadStager stager = catalog.stager(base, scratch)) {
                engine.load("candidates", Candidates.COLUMNS, rows -> {
                    for (int i = 0; i < SMALL; i++) {
                        byte[] payload = new byte[SMALL_BYTES];
                        ByteBuffer.wrap(payload).putInt(i);
                        rows.accept(Candidates.row(LAYER, "small" + i, stager.stage(LAYER, "small" + i, payload)));
                    }
                    rows.accept(Candidates.row(LAYER, "large", stager.stage(LAYER, "large", new Zeros(PAYLOAD_BYTES))));
                });
                PublishReport report = catalog.publish(base)
                        .candidates("candidates", Map.of(LAYER, PublishMode.SNAPSHOT))
                        .commit(engine);
                CatalogCheck.Result result =
                        CatalogCheck.run(catalog, engine, report.version(), List.of(LAYER), problem -> {
                            throw problem;
                        });
                long expected = PAYLOAD_BYTES + (long) SMALL * SMALL_BYTES;
                if (result.bytes() != expected || report.total().bytes() != expected) {
                    throw new IllegalStateException(result + " and " + report.total());
                }
            }
        }
    }

    /** So many zeros. */
    private static final class Zeros extends InputStream {
        private long left;

        Zeros(long count) {
            left = count;
        }

        @Override
        public int read() {
            return left-- > 0 ? 0 : -1;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) {
            if (left <= 0) {
                return -1;
            }
            int count = (int) Math.min(left, length);
            Arrays.fill(buffer, offset, offset + count, (byte) 0);
            left -= count;
            return count;
        }
    }
}
