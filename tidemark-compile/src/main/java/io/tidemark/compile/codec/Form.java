package io.tidemark.compile.codec;

import org.jspecify.annotations.Nullable;

/** How values of one type are written and read. */
interface Form {
    /** Writes a value. */
    void write(@Nullable Object value, ByteOutput output);

    /** Reads a value. */
    @Nullable
    Object read(ByteInput input);

    /** What the bytes look like. */
    String schema();
}
