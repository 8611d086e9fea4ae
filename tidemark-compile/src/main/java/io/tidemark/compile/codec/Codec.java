package io.tidemark.compile.codec;

import java.io.Serializable;

/**
 * How values of a type become bytes and come back. Bytes must be canonical: equal values give equal bytes, since their
 * hash decides whether something has changed. Used by several threads at once.
 *
 * @param <T> the type of the values, which are never null
 */
public interface Codec<T> extends Serializable {
    /** The value's bytes. */
    byte[] encode(T value);

    /**
     * The value that {@link #encode} was given.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code STATE_CORRUPT} if the bytes are not such a value
     */
    T decode(byte[] bytes);

    /** A description of the form of the bytes, part of a task's fingerprint: another form has another description. */
    String schema();

    /**
     * The codec of a type that needs none of its own.
     *
     * <p>Records of: primitives and their boxes, strings, enums, byte arrays, {@code BigDecimal}, {@code BigInteger},
     * {@code UUID}, the usual classes of {@code java.time}, {@code Optional}, lists, sets and maps of such, other
     * records, and sealed interfaces whose members are records or enums. Components may be null.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code INTERMEDIATE_TYPE} naming the component that is none of
     *     these
     */
    static <T> Codec<T> of(Class<T> type) {
        return new DerivedCodec<>(type);
    }
}
