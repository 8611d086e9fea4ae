package io.tidemark.delta.maintenance;

import io.tidemark.core.change.ReservedColumns;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.skipping.FileFilter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Which files are put together. A file is worth it if it is small or if many of its rows are deleted. Files of one
 * partition are put into bins of about the wanted size, in the order in which they were made, so that new files stay
 * apart from old ones as long as possible.
 *
 * @param bins files of one partition each
 * @param considered all files that were looked at
 */
record CompactionPlan(List<Bin> bins, List<DataFile> considered) {
    /** A file that is smaller than this part of the wanted size is small. */
    private static final double SMALL = 0.75;
    /** Columns that are NULL in current versions; column mapping renames no column of tables that flows write. */
    private static final List<String> ENDS = List.of(ReservedColumns.END_AT, ReservedColumns.SYSTEM_END_AT);

    /** A file of whose rows this part is deleted is rewritten even alone. */
    private static final double DELETED = 0.1;

    /**
     * Files that become one.
     *
     * @param partition their partition
     * @param files the files
     */
    record Bin(Map<String, @Nullable String> partition, List<DataFile> files) {
        long bytes() {
            return files.stream().mapToLong(DataFile::size).sum();
        }
    }

    /**
     * Files that may be put together. Closed versions of history stay apart from current ones, which updates look for.
     *
     * @param partition the partition
     * @param closed which of the columns that end a version are set in all rows
     */
    private record Kind(Map<String, @Nullable String> partition, List<String> closed) {
        static Kind of(DataFile file) {
            return new Kind(
                    file.partitionValues(),
                    ENDS.stream()
                            .filter(end -> file.statistics().nullCount(end).equals(OptionalLong.of(0)))
                            .toList());
        }
    }

    static CompactionPlan of(Snapshot snapshot, CompactionOptions options) {
        List<DataFile> considered = new ArrayList<>(snapshot.files());
        options.where().ifPresent(condition -> {
            FileFilter filter = snapshot.filter(condition);
            considered.removeIf(file -> !filter.test(file.add()));
        });
        considered.sort(Comparator.comparing(DataFile::modified).thenComparing(DataFile::path));
        Map<Kind, List<DataFile>> partitions = new LinkedHashMap<>();
        for (DataFile file : considered) {
            if (isSmall(file, options) || isWorn(file)) {
                partitions
                        .computeIfAbsent(Kind.of(file), key -> new ArrayList<>())
                        .add(file);
            }
        }
        List<Bin> bins = new ArrayList<>();
        partitions.forEach((kind, files) -> pack(kind.partition(), files, options, bins));
        return new CompactionPlan(limited(bins, options.bytesMax()), considered);
    }

    private static void pack(
            Map<String, @Nullable String> partition, List<DataFile> files, CompactionOptions options, List<Bin> bins) {
        List<DataFile> open = new ArrayList<>();
        long bytes = 0;
        for (DataFile file : files) {
            long live = liveBytes(file);
            if (!open.isEmpty() && bytes + live > options.targetBytes()) {
                close(partition, open, options, bins);
                open = new ArrayList<>();
                bytes = 0;
            }
            open.add(file);
            bytes += live;
        }
        close(partition, open, options, bins);
    }

    private static void close(
            Map<String, @Nullable String> partition, List<DataFile> files, CompactionOptions options, List<Bin> bins) {
        if (files.size() >= Math.max(2, options.sourcesMin()) || files.stream().anyMatch(CompactionPlan::isWorn)) {
            bins.add(new Bin(partition, List.copyOf(files)));
        }
    }

    /** As many bins as the limit allows; the first may exceed it, or nothing would ever be done. */
    private static List<Bin> limited(List<Bin> bins, long bytesMax) {
        List<Bin> taken = new ArrayList<>();
        long bytes = 0;
        for (Bin bin : bins) {
            if (!taken.isEmpty() && bytes + bin.bytes() > bytesMax) {
                break;
            }
            taken.add(bin);
            bytes += bin.bytes();
        }
        return List.copyOf(taken);
    }

    private static boolean isSmall(DataFile file, CompactionOptions options) {
        return liveBytes(file) < options.targetBytes() * SMALL;
    }

    private static boolean isWorn(DataFile file) {
        return liveShare(file) <= 1 - DELETED;
    }

    private static long liveBytes(DataFile file) {
        return (long) (file.size() * liveShare(file));
    }

    private static double liveShare(DataFile file) {
        OptionalLong physical = file.statistics().numRecords();
        OptionalLong live = file.liveRecords();
        return physical.isEmpty() || live.isEmpty() || physical.getAsLong() == 0
                ? 1
                : (double) live.getAsLong() / physical.getAsLong();
    }
}
