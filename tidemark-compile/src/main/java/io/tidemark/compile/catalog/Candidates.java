package io.tidemark.compile.catalog;

import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The relation of what shall be published: one row per output partition. */
public final class Candidates {
    /** Column with the id of the layer. */
    public static final String LAYER = "layer";
    /** Column with the name of the partition. */
    public static final String PARTITION = "partition";
    /** Column with the payload's bytes; NULL if there is none or it is in a file. */
    public static final String PAYLOAD = "payload";
    /** Column with the path of the payload's file in the catalog. */
    public static final String HANDLE = "handle";
    /** Column with the payload's length in bytes; NULL if the partition has no payload and shall go. */
    public static final String SIZE = "size";
    /** Column with the payload's CRC-32C. */
    public static final String CRC = "crc32c";
    /** Column with the payload's digest, as the layer has it. */
    public static final String CHECKSUM = "checksum";
    /** Column with digests that the layer had before, see {@link StagedPayload#formerChecksums}. */
    public static final String FORMER = "former_checksums";

    /** The columns, in order. */
    public static final StructType COLUMNS = StructType.of(
            StructField.of(LAYER, ScalarType.STRING),
            StructField.of(PARTITION, ScalarType.STRING),
            StructField.of(PAYLOAD, ScalarType.BINARY),
            StructField.of(HANDLE, ScalarType.STRING),
            StructField.of(SIZE, ScalarType.LONG),
            StructField.of(CRC, ScalarType.LONG),
            StructField.of(CHECKSUM, ScalarType.STRING),
            StructField.of(FORMER, ScalarType.STRING));

    private Candidates() {}

    /**
     * A row for {@link io.tidemark.core.engine.Engine#load}.
     *
     * @param payload null if the partition shall not be there
     */
    public static List<@Nullable Object> row(String layer, String partition, @Nullable StagedPayload payload) {
        List<@Nullable Object> row = new ArrayList<>();
        row.add(layer);
        row.add(partition);
        row.add(payload == null ? null : payload.inline());
        row.add(payload == null ? null : payload.handle());
        row.add(payload == null ? null : payload.size());
        row.add(payload == null ? null : payload.crc32c());
        row.add(payload == null ? null : payload.checksum());
        row.add(payload == null ? null : payload.formerChecksums());
        return row;
    }
}
