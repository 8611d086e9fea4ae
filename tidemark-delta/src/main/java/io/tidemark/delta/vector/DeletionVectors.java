package io.tidemark.delta.vector;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.storage.Storage;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Deletion vectors in files: a version byte, then for each vector its length (big-endian), its bytes and their CRC-32
 * (big-endian).
 */
public final class DeletionVectors {
    private static final byte FILE_VERSION = 1;
    private static final int SIZE_BYTES = 4;
    private static final int CHECKSUM_BYTES = 4;
    private static final int UUID_BYTES = 16;
    private static final int UUID_CHARACTERS = 20;

    private DeletionVectors() {}

    /**
     * Loads a deletion vector and checks its size, checksum and number of rows.
     *
     * @throws TidemarkException with {@link ErrorCode#LOG_CORRUPT} if it is missing or broken
     */
    public static RowPositions read(Storage storage, String table, DeletionVectorDescriptor descriptor) {
        String place = descriptor.storageType().equals(DeletionVectorDescriptor.INLINE)
                ? "in the log of " + table
                : file(storage, table, descriptor);
        RoaringPositions positions;
        try {
            positions = RoaringPositions.deserialize(
                    descriptor.storageType().equals(DeletionVectorDescriptor.INLINE)
                            ? Z85.decode(descriptor.pathOrInlineDv(), descriptor.sizeInBytes())
                            : readFromFile(storage, place, descriptor));
        } catch (IOException e) {
            throw corrupt(place, table, e.getMessage(), e);
        }
        long cardinality = positions.cardinality();
        if (cardinality != descriptor.cardinality()) {
            throw corrupt(
                    place, table, "it holds " + cardinality + " rows, the log says " + descriptor.cardinality(), null);
        }
        return positions;
    }

    /** The path of the file that holds a vector, which must not be one in the log. */
    public static String file(Storage storage, String table, DeletionVectorDescriptor descriptor) {
        if (descriptor.storageType().equals(DeletionVectorDescriptor.ABSOLUTE)) {
            return storage.resolve(table, descriptor.pathOrInlineDv());
        }
        if (!descriptor.storageType().equals(DeletionVectorDescriptor.UUID_RELATIVE)) {
            throw corrupt("of " + table, table, "its storage type " + descriptor.storageType() + " is unknown", null);
        }
        String encoded = descriptor.pathOrInlineDv();
        int split = encoded.length() - UUID_CHARACTERS;
        try {
            if (split < 0) {
                throw new IOException("its identifier is too short");
            }
            ByteBuffer bytes = ByteBuffer.wrap(Z85.decode(encoded.substring(split), UUID_BYTES));
            String name = name(new UUID(bytes.getLong(), bytes.getLong()));
            String prefix = encoded.substring(0, split);
            return storage.child(prefix.isEmpty() ? table : storage.child(table, prefix), name);
        } catch (IOException e) {
            throw corrupt("of " + table, table, e.getMessage(), e);
        }
    }

    /**
     * Writes vectors to one new file in the table's folder.
     *
     * @return where each of them is, in the same order
     */
    public static List<DeletionVectorDescriptor> write(Storage storage, String table, List<RowPositions> vectors) {
        UUID uuid = UUID.randomUUID();
        String encoded = Z85.encode(ByteBuffer.allocate(UUID_BYTES)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array());
        List<DeletionVectorDescriptor> descriptors = new ArrayList<>();
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        try (DataOutputStream output = new DataOutputStream(content)) {
            output.writeByte(FILE_VERSION);
            for (RowPositions vector : vectors) {
                byte[] bytes = RoaringPositions.serialize(vector);
                descriptors.add(new DeletionVectorDescriptor(
                        DeletionVectorDescriptor.UUID_RELATIVE,
                        encoded,
                        output.size(),
                        bytes.length,
                        vector.cardinality()));
                output.writeInt(bytes.length);
                output.write(bytes);
                output.writeInt(checksum(bytes));
            }
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory failed", e);
        }
        storage.write(storage.child(table, name(uuid)), content.toByteArray());
        return descriptors;
    }

    private static byte[] readFromFile(Storage storage, String file, DeletionVectorDescriptor descriptor)
            throws IOException {
        Integer offset = descriptor.offset();
        int start = offset == null ? 1 : offset;
        int length = descriptor.sizeInBytes();
        if (start < 1 || length < 0 || length > Integer.MAX_VALUE - SIZE_BYTES - CHECKSUM_BYTES) {
            throw new IOException("its place in the file is impossible");
        }
        ByteBuffer block = readBlock(storage, file, start, SIZE_BYTES + length + CHECKSUM_BYTES);
        int storedLength = block.getInt();
        if (storedLength != length) {
            throw new IOException("it is " + storedLength + " bytes long, the log says " + length);
        }
        byte[] bytes = new byte[length];
        block.get(bytes);
        if (block.getInt() != checksum(bytes)) {
            throw new IOException("its checksum is wrong");
        }
        return bytes;
    }

    private static ByteBuffer readBlock(Storage storage, String file, int start, int length) throws IOException {
        try {
            byte version = storage.read(file, 0, 1)[0];
            if (version != FILE_VERSION) {
                throw new IOException("its file is of version " + version);
            }
            return ByteBuffer.wrap(storage.read(file, start, length));
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.FILE_NOT_FOUND) {
                throw new IOException("the file does not exist", e);
            }
            boolean tooShort = storage.info(file)
                    .map(info -> info.size() < (long) start + length)
                    .orElse(false);
            if (tooShort) {
                throw new IOException("its file is cut off", e);
            }
            throw e;
        }
    }

    private static String name(UUID uuid) {
        return "deletion_vector_" + uuid + ".bin";
    }

    private static int checksum(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static TidemarkException corrupt(
            String place, String table, @Nullable String reason, @Nullable Exception cause) {
        TidemarkException.Builder error = TidemarkException.of(
                        ErrorCode.LOG_CORRUPT, "a deletion vector cannot be read: " + place + ": " + reason)
                .detail("The rows of table " + table + " are not known without it.")
                .hint("Restore the file from a backup, or restore the table to a version before it.");
        return cause == null ? error.build() : error.cause(cause).build();
    }
}
