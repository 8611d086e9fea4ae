package io.tidemark.spark.engine.scan;

import io.tidemark.core.engine.RowPositions;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/** Positions in a file on their way to executors. */
final class Positions implements Serializable {
    private static final long serialVersionUID = 1;

    private final byte[] packed;
    private transient @Nullable RoaringBitmap bitmap;

    private Positions(byte[] packed) {
        this.packed = packed;
    }

    static Positions of(RowPositions positions) {
        RoaringBitmap bitmap = new RoaringBitmap();
        // A file has less than 2^32 rows: footers of larger ones could not be read.
        positions.forEach(position -> bitmap.add(position, position + 1));
        bitmap.runOptimize();
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            bitmap.serialize(new DataOutputStream(bytes));
            return new Positions(bytes.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean contains(long position) {
        return bitmap().contains((int) position);
    }

    /**
     * Whether any position lies in a range.
     *
     * @param from the first one
     * @param to the one behind the last one
     */
    boolean meets(long from, long to) {
        return bitmap().intersects(from, to);
    }

    private RoaringBitmap bitmap() {
        RoaringBitmap open = bitmap;
        if (open == null) {
            open = new RoaringBitmap();
            try {
                open.deserialize(ByteBuffer.wrap(packed));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            bitmap = open;
        }
        return open;
    }
}
