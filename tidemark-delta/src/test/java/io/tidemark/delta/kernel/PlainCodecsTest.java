package io.tidemark.delta.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.compress.Compressor;
import io.airlift.compress.lz4.Lz4Compressor;
import io.airlift.compress.snappy.SnappyCompressor;
import io.airlift.compress.zstd.ZstdCompressor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputDecompressor;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.junit.jupiter.api.Test;

class PlainCodecsTest {
    private static final byte[] PAGE = new byte[100_000];

    static {
        for (int i = 0; i < PAGE.length; i++) {
            PAGE[i] = (byte) (i * i / 1000);
        }
    }

    @Test
    void readsWhatOthersCompress() throws IOException {
        Map<CompressionCodecName, byte[]> pages = new EnumMap<>(CompressionCodecName.class);
        pages.put(CompressionCodecName.UNCOMPRESSED, PAGE);
        pages.put(CompressionCodecName.SNAPPY, compress(new SnappyCompressor()));
        pages.put(CompressionCodecName.ZSTD, compress(new ZstdCompressor()));
        pages.put(CompressionCodecName.LZ4_RAW, compress(new Lz4Compressor()));
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream output = new GZIPOutputStream(zipped)) {
            output.write(PAGE);
        }
        pages.put(CompressionCodecName.GZIP, zipped.toByteArray());
        for (Map.Entry<CompressionCodecName, byte[]> page : pages.entrySet()) {
            BytesInputDecompressor codec = new PlainCodecs().getDecompressor(page.getKey());
            byte[] compressed = page.getValue();
            assertThat(codec.decompress(BytesInput.from(compressed), PAGE.length)
                            .toInputStream()
                            .readAllBytes())
                    .as(page.getKey().name())
                    .isEqualTo(PAGE);
            ByteBuffer plain = ByteBuffer.allocate(PAGE.length);
            codec.decompress(ByteBuffer.wrap(compressed), compressed.length, plain, PAGE.length);
            assertThat(plain.array()).as(page.getKey().name()).isEqualTo(PAGE);
        }
    }

    @Test
    void refusesPagesOfAnotherLengthAndOtherCodecs() {
        BytesInputDecompressor snappy = new PlainCodecs().getDecompressor(CompressionCodecName.SNAPPY);
        assertThatThrownBy(() -> snappy.decompress(BytesInput.from(compress(new SnappyCompressor())), PAGE.length - 1))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> new PlainCodecs().getDecompressor(CompressionCodecName.LZO))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    private static byte[] compress(Compressor compressor) {
        byte[] target = new byte[compressor.maxCompressedLength(PAGE.length)];
        int length = compressor.compress(PAGE, 0, PAGE.length, target, 0, target.length);
        return Arrays.copyOf(target, length);
    }
}
