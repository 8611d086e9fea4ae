package io.tidemark.delta;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.RowPositions;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.engine.WrittenFile.ColumnStatistics;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.log.JsonValues;
import io.tidemark.delta.storage.Storage;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Between the log and engines: what an engine must know to read files, and what the log must know of written ones. */
public final class EngineFiles {
    private static final Logger LOG = LoggerFactory.getLogger(EngineFiles.class);

    private EngineFiles() {}

    /**
     * A scan of files of a snapshot, in the given order.
     *
     * @param snapshot the table at a version; its schema is used
     * @param files files of that version, or of another version of the table if its deletion vectors are loaded by it
     * @param fileColumn if present, name of a column with the file's index in the list
     * @param positionColumn if present, name of a column with the row's position in its file
     */
    public static FileScan scan(
            Snapshot snapshot, List<DataFile> files, Optional<String> fileColumn, Optional<String> positionColumn) {
        snapshot.checkReadable();
        List<FileScan.DataFile> scanned = files.stream()
                .map(file -> new FileScan.DataFile(
                        file.location(),
                        file.size(),
                        partitionValues(file.partitionValues()),
                        positions(snapshot.deletedRows(file))))
                .toList();
        return new FileScan(
                snapshot.schema(),
                columnMapping(snapshot),
                snapshot.partitionColumns(),
                scanned,
                fileColumn,
                positionColumn);
    }

    /** A scan of all rows of a snapshot. */
    public static FileScan scan(Snapshot snapshot) {
        return scan(snapshot, snapshot.files(), Optional.empty(), Optional.empty());
    }

    /** Adds files that an engine wrote into a table's folder to a transaction, with their statistics. */
    public static void add(Transaction transaction, List<WrittenFile> files) {
        for (WrittenFile file : files) {
            transaction.add(file.name(), partitionValues(file), file.sizeBytes(), statistics(file));
        }
    }

    /**
     * Deletes files that an engine wrote and that are certain to be in no commit. Failures are only logged: the files are
     * waste that VACUUM finds, and what led here matters more.
     *
     * @param folder the folder that the files' names are relative to
     */
    public static void discard(Storage storage, String folder, List<WrittenFile> files) {
        for (WrittenFile file : files) {
            try {
                storage.delete(storage.child(folder, file.name()));
            } catch (TidemarkException e) {
                LOG.warn("the unused file {} stays in {}", file.name(), folder, e);
            }
        }
    }

    /** The partition values of a written file as the log has them. */
    public static Map<String, @Nullable String> partitionValues(WrittenFile file) {
        Map<String, @Nullable String> values = new LinkedHashMap<>();
        file.partitionValues().forEach((column, value) -> values.put(column, value.orElse(null)));
        return values;
    }

    /** The statistics of a written file as the log spells them. */
    public static String statistics(WrittenFile file) {
        Map<String, Object> minimums = new LinkedHashMap<>();
        Map<String, Object> maximums = new LinkedHashMap<>();
        Map<String, Object> nullCounts = new LinkedHashMap<>();
        for (ColumnStatistics column : file.statistics()) {
            Object minimum = column.bounds().get("min");
            Object maximum = column.bounds().get("max");
            if (minimum != null) {
                put(minimums, column.path(), minimum);
            }
            if (maximum != null) {
                put(maximums, column.path(), maximum);
            }
            put(nullCounts, column.path(), column.nullCount());
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("numRecords", file.rowCount());
        json.put("minValues", minimums);
        json.put("maxValues", maximums);
        json.put("nullCount", nullCounts);
        json.put("tightBounds", true);
        return JsonValues.write(json);
    }

    @SuppressWarnings("unchecked")
    private static void put(Map<String, Object> json, List<String> path, Object value) {
        Map<String, Object> level = json;
        for (String part : path.subList(0, path.size() - 1)) {
            level = (Map<String, Object>) level.computeIfAbsent(part, name -> new LinkedHashMap<String, Object>());
        }
        level.put(path.get(path.size() - 1), value);
    }

    /** How columns are found in the table's files. */
    public static FileScan.ColumnMapping columnMapping(Snapshot snapshot) {
        return switch (TableProperties.columnMappingMode(snapshot.metadata())) {
            case "name" -> FileScan.ColumnMapping.NAME;
            case "id" -> FileScan.ColumnMapping.ID;
            default -> FileScan.ColumnMapping.NONE;
        };
    }

    /** Partition values as engines take them. */
    public static Map<String, Optional<String>> partitionValues(Map<String, @Nullable String> logged) {
        Map<String, Optional<String>> values = new HashMap<>();
        for (Map.Entry<String, @Nullable String> entry : logged.entrySet()) {
            values.put(entry.getKey(), Optional.ofNullable(entry.getValue()));
        }
        return values;
    }

    /** Positions in a file as engines take them. */
    public static RowPositions positions(io.tidemark.delta.vector.RowPositions deleted) {
        return new RowPositions() {
            @Override
            public long cardinality() {
                return deleted.cardinality();
            }

            @Override
            public void forEach(LongConsumer consumer) {
                deleted.forEach(consumer);
            }
        };
    }
}
