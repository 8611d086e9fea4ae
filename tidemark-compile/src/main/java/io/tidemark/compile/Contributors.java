package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.util.Iterator;
import java.util.List;

/**
 * The intermediate values of one output partition, at least one, in the order of the input keys and of their emission.
 *
 * @param <T> type of the values
 */
public final class Contributors<T> implements Iterable<T> {
    private final List<Contribution<T>> all;

    Contributors(List<Contribution<T>> all) {
        this.all = List.copyOf(all);
    }

    /**
     * A value with the input partition that it comes from.
     *
     * @param from the input partition
     * @param value the value
     */
    public record Contribution<T>(PartitionKey from, T value) {}

    /** The values with their origin. */
    public List<Contribution<T>> all() {
        return all;
    }

    /** The values. */
    public List<T> toList() {
        return all.stream().map(Contribution::value).toList();
    }

    /** The first value; the only one in pattern Direct1ToN. */
    public T first() {
        return all.get(0).value();
    }

    /** The number of values. */
    public int size() {
        return all.size();
    }

    /** Whether there are no values; never so in a call of {@code compileOut}. */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    @Override
    public Iterator<T> iterator() {
        return toList().iterator();
    }
}
