package io.tidemark.delta.vector;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.roaringbitmap.RoaringBitmap;

/** Row positions as one compressed bitmap for each value of their upper 32 bits, the form of the protocol. */
final class RoaringPositions implements RowPositions {
    static final RoaringPositions EMPTY = new RoaringPositions(new TreeMap<>());

    private static final int MAGIC = 1681511377;
    private static final int HEADER_BYTES = 4 + 8;
    private static final int KEY_BYTES = 4;

    private final NavigableMap<Integer, RoaringBitmap> bitmaps;

    private RoaringPositions(NavigableMap<Integer, RoaringBitmap> bitmaps) {
        this.bitmaps = bitmaps;
    }

    static RoaringPositions of(LongStream positions) {
        TreeMap<Integer, RoaringBitmap> bitmaps = new TreeMap<>();
        positions.forEach(position -> {
            if (position < 0) {
                throw new IllegalArgumentException("negative row position " + position);
            }
            bitmaps.computeIfAbsent((int) (position >>> Integer.SIZE), key -> new RoaringBitmap())
                    .add((int) position);
        });
        bitmaps.values().forEach(RoaringBitmap::runOptimize);
        return new RoaringPositions(bitmaps);
    }

    private static RoaringPositions of(RowPositions positions) {
        if (positions instanceof RoaringPositions roaring) {
            return roaring;
        }
        LongStream.Builder stream = LongStream.builder();
        positions.forEach(stream::add);
        return of(stream.build());
    }

    /** Reads the form of the protocol; refuses anything that is not exactly one set. */
    static RoaringPositions deserialize(byte[] bytes) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.length < HEADER_BYTES) {
            throw new IOException("it has only " + bytes.length + " bytes");
        }
        int magic = header.getInt();
        if (magic != MAGIC) {
            throw new IOException("it begins with " + magic + " instead of " + MAGIC);
        }
        long count = header.getLong();
        TreeMap<Integer, RoaringBitmap> bitmaps = new TreeMap<>();
        try (DataInputStream input =
                new DataInputStream(new ByteArrayInputStream(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES))) {
            int lastKey = -1;
            for (long i = 0; i < count; i++) {
                int key = Integer.reverseBytes(input.readInt());
                if (key <= lastKey) {
                    throw new IOException("its parts are not in order");
                }
                lastKey = key;
                RoaringBitmap bitmap = new RoaringBitmap();
                bitmap.deserialize(input);
                bitmaps.put(key, bitmap);
            }
            if (input.available() > 0) {
                throw new IOException(input.available() + " bytes follow its last part");
            }
        } catch (RuntimeException e) {
            throw new IOException("a part is not a bitmap: " + e.getMessage(), e);
        }
        return new RoaringPositions(bitmaps);
    }

    byte[] serialize() {
        long size = HEADER_BYTES;
        for (RoaringBitmap bitmap : bitmaps.values()) {
            size += KEY_BYTES + bitmap.serializedSizeInBytes();
        }
        ByteBuffer buffer = ByteBuffer.allocate(Math.toIntExact(size)).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(MAGIC).putLong(bitmaps.size());
        bitmaps.forEach((key, bitmap) -> {
            buffer.putInt(key);
            bitmap.serialize(buffer);
        });
        return buffer.array();
    }

    static byte[] serialize(RowPositions positions) {
        return of(positions).serialize();
    }

    @Override
    public boolean isEmpty() {
        return bitmaps.values().stream().allMatch(RoaringBitmap::isEmpty);
    }

    @Override
    public long cardinality() {
        return bitmaps.values().stream()
                .mapToLong(RoaringBitmap::getLongCardinality)
                .sum();
    }

    @Override
    public boolean contains(long position) {
        RoaringBitmap bitmap = position < 0 ? null : bitmaps.get((int) (position >>> Integer.SIZE));
        return bitmap != null && bitmap.contains((int) position);
    }

    @Override
    public void forEach(LongConsumer action) {
        bitmaps.forEach((key, bitmap) -> {
            long upper = (long) key << Integer.SIZE;
            bitmap.forEach((int lower) -> action.accept(upper | Integer.toUnsignedLong(lower)));
        });
    }

    @Override
    public long last() {
        for (Map.Entry<Integer, RoaringBitmap> entry : bitmaps.descendingMap().entrySet()) {
            if (!entry.getValue().isEmpty()) {
                return ((long) entry.getKey() << Integer.SIZE)
                        | Integer.toUnsignedLong(entry.getValue().last());
            }
        }
        throw new NoSuchElementException("no rows");
    }

    @Override
    public RowPositions union(RowPositions other) {
        TreeMap<Integer, RoaringBitmap> united = new TreeMap<>(bitmaps);
        of(other)
                .bitmaps
                .forEach((key, bitmap) -> united.merge(key, bitmap, (own, added) -> RoaringBitmap.or(own, added)));
        return new RoaringPositions(united);
    }

    @Override
    public RowPositions minus(RowPositions other) {
        TreeMap<Integer, RoaringBitmap> rest = new TreeMap<>(bitmaps);
        of(other)
                .bitmaps
                .forEach((key, bitmap) -> rest.computeIfPresent(key, (same, own) -> RoaringBitmap.andNot(own, bitmap)));
        return new RoaringPositions(rest);
    }

    @Override
    public boolean intersects(RowPositions other) {
        for (Map.Entry<Integer, RoaringBitmap> entry : of(other).bitmaps.entrySet()) {
            RoaringBitmap own = bitmaps.get(entry.getKey());
            if (own != null && RoaringBitmap.intersects(own, entry.getValue())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof RoaringPositions other
                && minus(other).isEmpty()
                && other.minus(this).isEmpty();
    }

    @Override
    public int hashCode() {
        return Long.hashCode(cardinality());
    }

    @Override
    public String toString() {
        return cardinality() + " rows";
    }
}
