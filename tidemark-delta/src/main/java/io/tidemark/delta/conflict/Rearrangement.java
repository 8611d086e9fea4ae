package io.tidemark.delta.conflict;

import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.JsonValues;
import io.tidemark.delta.vector.RowPositions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A file that holds the rows of others one after the other, each in its old order and without its deleted rows. With
 * this a row of an old file is found in the new one by counting, without a look at the data.
 *
 * @param output the new file
 * @param sources the old files in order
 */
public record Rearrangement(AddFile output, List<Source> sources) {
    /** The tag of the new file's action that tells the sources. */
    public static final String TAG = "tidemark.sources";

    private static final String PATH = "path";
    private static final String VECTOR = "vector";
    private static final String ROWS = "rows";

    /** Copies the list. */
    public Rearrangement {
        sources = List.copyOf(sources);
    }

    /**
     * An old file.
     *
     * @param path its path as in the log
     * @param vector its deletion vector at the time
     * @param liveRows number of its rows that were not deleted
     */
    public record Source(String path, @Nullable DeletionVectorDescriptor vector, long liveRows) {}

    /** The text of the tag. */
    public static String tag(List<Source> sources) {
        List<Map<String, @Nullable Object>> list = new ArrayList<>();
        for (Source source : sources) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put(PATH, source.path());
            DeletionVectorDescriptor vector = source.vector();
            entry.put(VECTOR, vector == null ? null : vector.uniqueId());
            entry.put(ROWS, source.liveRows());
            list.add(entry);
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("sources", list);
        return JsonValues.write(json);
    }

    /**
     * What the tag of a file says; nothing if it has none or one that does not fit the removed files.
     *
     * @param removed the removed files with the deletion vector, if any, that each had
     */
    public static Optional<Rearrangement> of(AddFile output, Map<String, Optional<DeletionVectorDescriptor>> removed) {
        String tag = output.tags().get(TAG);
        if (tag == null) {
            return Optional.empty();
        }
        try {
            Object list = JsonValues.parseObject(tag).get("sources");
            List<Source> sources = new ArrayList<>();
            if (list instanceof List<?> entries) {
                for (Object entry : entries) {
                    Optional<Source> source = source(entry, removed);
                    if (source.isEmpty()) {
                        return Optional.empty();
                    }
                    sources.add(source.get());
                }
            }
            return sources.isEmpty() ? Optional.empty() : Optional.of(new Rearrangement(output, sources));
        } catch (IOException e) {
            // A mark that cannot be read is no mark; the commit then counts as a conflict.
            return Optional.empty();
        }
    }

    private static Optional<Source> source(
            @Nullable Object entry, Map<String, Optional<DeletionVectorDescriptor>> removed) {
        if (!(entry instanceof Map<?, ?> map)
                || !(map.get(PATH) instanceof String path)
                || !(map.get(ROWS) instanceof Long rows)) {
            return Optional.empty();
        }
        Optional<DeletionVectorDescriptor> vector = removed.get(path);
        if (vector == null) {
            return Optional.empty();
        }
        String id = vector.map(DeletionVectorDescriptor::uniqueId).orElse(null);
        return Objects.equals(id, map.get(VECTOR))
                ? Optional.of(new Source(path, vector.orElse(null), rows))
                : Optional.empty();
    }

    /** Whether rows of a file went into the new one. */
    boolean has(String path) {
        return sources.stream().anyMatch(source -> source.path().equals(path));
    }

    /**
     * Where rows of an old file are in the new one.
     *
     * @param path the old file, which must be a source
     * @param rows rows of it that were not deleted when it was read
     */
    RowPositions positions(String path, RowPositions rows, VectorReader vectors) {
        long offset = 0;
        for (Source source : sources) {
            if (source.path().equals(path)) {
                return shifted(rows, vectors.read(source.vector()), offset);
            }
            offset += source.liveRows();
        }
        throw new IllegalArgumentException(path + " is no source of " + output.path());
    }

    private static RowPositions shifted(RowPositions rows, RowPositions deleted, long offset) {
        long[] gaps = new long[Math.toIntExact(deleted.cardinality())];
        int[] filled = new int[1];
        deleted.forEach(position -> gaps[filled[0]++] = position);
        LongStream.Builder shifted = LongStream.builder();
        int[] before = new int[1];
        rows.forEach(position -> {
            while (before[0] < gaps.length && gaps[before[0]] < position) {
                before[0]++;
            }
            shifted.add(offset + position - before[0]);
        });
        return RowPositions.of(shifted.build());
    }
}
