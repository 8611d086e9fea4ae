package io.tidemark.compile.codec;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A codec that follows from a type. Sent elsewhere, it is derived again. */
final class DerivedCodec<T> implements Codec<T> {
    private static final long serialVersionUID = 1L;

    private final Class<T> type;
    private transient volatile @Nullable Form form;

    DerivedCodec(Class<T> type) {
        this.type = type;
        this.form = Forms.of(type);
    }

    private Form form() {
        Form known = form;
        if (known == null) {
            known = Forms.of(type);
            form = known;
        }
        return known;
    }

    @Override
    public byte[] encode(T value) {
        ByteOutput output = new ByteOutput();
        form().write(Objects.requireNonNull(value, "an intermediate value is null"), output);
        return output.toByteArray();
    }

    @Override
    public T decode(byte[] bytes) {
        try {
            ByteInput input = new ByteInput(bytes);
            T value = type.cast(form().read(input));
            if (value == null || !input.isAtEnd()) {
                throw new ByteInput.CorruptBytesException(value == null ? "it is null" : "it does not end");
            }
            return value;
        } catch (ByteInput.CorruptBytesException e) {
            throw TidemarkException.of(
                            ErrorCode.STATE_CORRUPT,
                            "bytes of the state are no " + type.getName() + ": " + e.getMessage())
                    .hint("rebuild the output with a full run (Job.reprocess)")
                    .cause(e)
                    .build();
        }
    }

    @Override
    public String schema() {
        return form().schema();
    }
}
