package io.tidemark.delta.kernel;

import io.airlift.compress.Decompressor;
import io.airlift.compress.lz4.Lz4Decompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.xerial.snappy.Snappy;

/**
 * Decompression without Hadoop. The Parquet library's own way loads Hadoop's settings and codecs by reflection, which
 * takes longer than reading an ordinary checkpoint.
 */
final class PlainCodecs implements CompressionCodecFactory {
    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName codec) {
        throw new UnsupportedOperationException("these codecs only read");
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
        return switch (codec) {
            case UNCOMPRESSED -> new Plain((compressed, size) -> compressed);
            case SNAPPY -> new Plain(PlainCodecs::unsnap);
            case ZSTD -> new Plain((compressed, size) -> decompress(new ZstdDecompressor(), compressed, size));
            case LZ4_RAW -> new Plain((compressed, size) -> decompress(new Lz4Decompressor(), compressed, size));
            case GZIP -> new Plain(PlainCodecs::gunzip);
            default -> throw new UnsupportedOperationException("a checkpoint is compressed with " + codec);
        };
    }

    @Override
    public void release() {}

    private static byte[] decompress(Decompressor decompressor, byte[] compressed, int size) throws IOException {
        byte[] plain = new byte[size];
        int written = decompressor.decompress(compressed, 0, compressed.length, plain, 0, size);
        return checked(plain, written, size);
    }

    /** Native, because checkpoints are read right after the start, when Java code has not been compiled yet. */
    private static byte[] unsnap(byte[] compressed, int size) throws IOException {
        byte[] plain = new byte[size];
        if (Snappy.uncompressedLength(compressed) != size) {
            throw new IOException("a page is not as long as it should be");
        }
        return checked(plain, Snappy.uncompress(compressed, 0, compressed.length, plain, 0), size);
    }

    private static byte[] gunzip(byte[] compressed, int size) throws IOException {
        try (GZIPInputStream input = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
            byte[] plain = input.readAllBytes();
            return checked(plain, plain.length, size);
        }
    }

    private static byte[] checked(byte[] plain, int written, int size) throws IOException {
        if (written != size) {
            throw new IOException("a page holds " + written + " bytes instead of " + size);
        }
        return plain;
    }

    /** Turns compressed bytes into as many plain ones as the file says. */
    private interface Algorithm {
        byte[] decompress(byte[] compressed, int size) throws IOException;
    }

    private record Plain(Algorithm algorithm) implements BytesInputDecompressor {
        @Override
        public BytesInput decompress(BytesInput compressed, int size) throws IOException {
            return BytesInput.from(
                    algorithm.decompress(compressed.toInputStream().readAllBytes(), size));
        }

        @Override
        public void decompress(ByteBuffer input, int compressedSize, ByteBuffer output, int size) throws IOException {
            byte[] compressed = new byte[compressedSize];
            input.get(compressed);
            output.put(algorithm.decompress(compressed, size));
        }

        @Override
        public void release() {}
    }
}
