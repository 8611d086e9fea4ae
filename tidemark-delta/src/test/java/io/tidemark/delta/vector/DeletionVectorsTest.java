package io.tidemark.delta.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.storage.LocalStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeletionVectorsTest {
    private static final long BEYOND_32_BITS = (5L << 32) + 3_000_000_000L;

    @TempDir
    Path folder;

    private final LocalStorage storage = new LocalStorage();

    @Test
    void keepsVectorsThroughOneSharedFile() throws IOException {
        List<RowPositions> vectors = List.of(
                RowPositions.empty(),
                RowPositions.of(0),
                RowPositions.of(7, 3, 3, BEYOND_32_BITS, 4_294_967_295L, 4_294_967_296L),
                RowPositions.of(LongStream.range(100, 250_000)));
        List<DeletionVectorDescriptor> descriptors = DeletionVectors.write(storage, folder.toString(), vectors);
        assertThat(descriptors.get(0).offset()).isEqualTo(1);
        for (int i = 0; i < vectors.size(); i++) {
            RowPositions read = DeletionVectors.read(storage, folder.toString(), descriptors.get(i));
            assertThat(read).isEqualTo(vectors.get(i));
            assertThat(rows(read)).isEqualTo(rows(vectors.get(i))).isSorted();
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).singleElement().asString().matches(".*/deletion_vector_[0-9a-f-]{36}\\.bin");
        }
    }

    @Test
    void actsAsASet() {
        RowPositions some = RowPositions.of(1, 5, BEYOND_32_BITS);
        RowPositions others = RowPositions.of(5, 6);
        assertThat(some.cardinality()).isEqualTo(3);
        assertThat(some.contains(BEYOND_32_BITS)).isTrue();
        assertThat(some.contains(6)).isFalse();
        assertThat(some.contains(-1)).isFalse();
        assertThat(some.last()).isEqualTo(BEYOND_32_BITS);
        assertThat(some.union(others)).isEqualTo(RowPositions.of(1, 5, 6, BEYOND_32_BITS));
        assertThat(some.minus(others)).isEqualTo(RowPositions.of(1, BEYOND_32_BITS));
        assertThat(some.intersects(others)).isTrue();
        assertThat(some.intersects(RowPositions.of(2))).isFalse();
        assertThat(RowPositions.empty().isEmpty()).isTrue();
        assertThat(some.minus(some).isEmpty()).isTrue();
        assertThatThrownBy(() -> RowPositions.of(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readsVectorsInTheLogAndByAbsolutePath() throws IOException {
        byte[] bytes = RoaringPositions.serialize(RowPositions.of(3, 4, 7));
        assertThat(read(new DeletionVectorDescriptor("i", Z85.encode(bytes), null, bytes.length, 3)))
                .isEqualTo(RowPositions.of(3, 4, 7));
        DeletionVectorDescriptor relative = writeOne();
        String file = DeletionVectors.file(storage, folder.toString(), relative);
        assertThat(read(new DeletionVectorDescriptor("p", "file:" + file, 1, relative.sizeInBytes(), 2)))
                .isEqualTo(RowPositions.of(2, 5));
    }

    @Test
    void findsTheFileOfTheProtocolsExample() {
        DeletionVectorDescriptor example = new DeletionVectorDescriptor("u", "ab^-aqEH.-t@S}K{vb[*k^", 4, 40, 6);
        assertThat(DeletionVectors.file(storage, "/t", example))
                .isEqualTo("/t/ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin");
    }

    @Test
    void refusesBrokenVectors() throws IOException {
        DeletionVectorDescriptor good = writeOne();
        Path file = Path.of(DeletionVectors.file(storage, folder.toString(), good));
        byte[] content = Files.readAllBytes(file);
        for (int i = 0; i < content.length; i++) {
            byte[] damaged = content.clone();
            damaged[i] ^= 0x10;
            Files.write(file, damaged);
            assertCorrupt(good, "");
        }
        Files.write(file, Arrays.copyOf(content, content.length - 1));
        assertCorrupt(good, "cut off");
        Files.delete(file);
        assertCorrupt(good, "does not exist");
        Files.write(file, content);
        assertCorrupt(new DeletionVectorDescriptor("u", good.pathOrInlineDv(), 1, good.sizeInBytes(), 3), "3");
        assertCorrupt(new DeletionVectorDescriptor("u", good.pathOrInlineDv(), 1, good.sizeInBytes() - 1, 2), "");
        assertCorrupt(new DeletionVectorDescriptor("x", good.pathOrInlineDv(), 1, good.sizeInBytes(), 2), "type x");
        assertCorrupt(new DeletionVectorDescriptor("i", "abc", null, 10, 2), "");
        assertThat(read(good)).isEqualTo(RowPositions.of(2, 5));
    }

    private DeletionVectorDescriptor writeOne() {
        return DeletionVectors.write(storage, folder.toString(), List.of(RowPositions.of(2, 5)))
                .get(0);
    }

    private RowPositions read(DeletionVectorDescriptor descriptor) {
        return DeletionVectors.read(storage, folder.toString(), descriptor);
    }

    private void assertCorrupt(DeletionVectorDescriptor descriptor, String text) {
        assertThatThrownBy(() -> read(descriptor)).isInstanceOfSatisfying(TidemarkException.class, error -> {
            assertThat(error.code()).isEqualTo(ErrorCode.LOG_CORRUPT);
            assertThat(error.getMessage()).contains(text);
        });
    }

    private static List<Long> rows(RowPositions positions) {
        List<Long> rows = new ArrayList<>();
        positions.forEach(rows::add);
        return rows;
    }
}
