package io.tidemark.core.engine;

import io.tidemark.core.error.TextLocation;
import io.tidemark.core.type.StructType;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A relation over source files, rows in the order of the files and within a file in its own order.
 *
 * @param format csv, json, parquet or debezium
 * @param schema the declared columns; empty = inferred from the files
 * @param options the other options of {@code read_files}, keys in lower case
 * @param files absolute paths in the order in which they are read
 * @param folder absolute path of the folder that all files lie in or below, whichever of them a scan names; empty if
 *     there is none
 * @param location where the user wrote {@code read_files}, for errors
 */
public record InputScan(
        Format format,
        Optional<StructType> schema,
        Map<String, String> options,
        List<String> files,
        String folder,
        TextLocation location) {
    /** Copies the collections. */
    public InputScan {
        options = Map.copyOf(options);
        files = List.copyOf(files);
    }

    /** A scan of files without a common folder. */
    public InputScan(
            Format format,
            Optional<StructType> schema,
            Map<String, String> options,
            List<String> files,
            TextLocation location) {
        this(format, schema, options, files, "", location);
    }

    /** File formats of sources. */
    public enum Format {
        CSV,
        JSON,
        PARQUET,
        DEBEZIUM
    }
}
