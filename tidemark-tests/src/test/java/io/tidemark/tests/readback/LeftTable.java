package io.tidemark.tests.readback;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.feed.Bound;
import io.tidemark.delta.feed.ChangeFeed;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What Tidemark reads from a table that a test left.
 *
 * @param folder name of the table's folder, beside which this is kept
 * @param views rows of versions and changes
 */
record LeftTable(String folder, List<View> views) {
    private static final String FILE = "read.json";
    private static final ObjectMapper JSON =
            new ObjectMapper().setVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY);

    /** Kinds of views. */
    enum Kind {
        ROWS,
        CHANGES
    }

    /**
     * Rows of a version, or changes of a range.
     *
     * @param first the first version; that of the rows
     * @param last the last version; that of the rows
     * @param refused code of the error if Tidemark does not read them, else empty
     * @param rows the rows
     */
    record View(Kind kind, long first, long last, String refused, RowBag rows) {
        @Override
        public String toString() {
            return kind == Kind.ROWS ? "rows of version " + last : "changes of versions " + first + " to " + last;
        }
    }

    /**
     * What makes tables different for a reader: schema, protocol, properties, operations and kinds of files. Empty if there
     * is no table that can be read.
     */
    static Optional<String> shape(Path folder) throws IOException {
        try {
            DeltaTable table = table(folder);
            Snapshot snapshot = table.snapshot();
            Set<String> operations = new TreeSet<>();
            Set<String> kinds = new TreeSet<>();
            table.commits(0, snapshot.version(), commit -> {
                operations.add(commit.info().flatMap(info -> info.operation()).orElse(""));
                commit.actions().forEach(action -> kinds.add(action.getClass().getSimpleName()));
            });
            boolean vectors = snapshot.files().stream()
                    .anyMatch(file -> file.deletionVector().isPresent());
            return Optional.of(String.join(
                    " ",
                    snapshot.metadata().schemaString(),
                    snapshot.partitionColumns().toString(),
                    snapshot.clusteringColumns().toString(),
                    snapshot.protocol().toString(),
                    snapshot.properties().toString(),
                    snapshot.domains().keySet().toString(),
                    operations.toString(),
                    kinds.toString(),
                    "vectors " + vectors,
                    "checkpoint " + hasCheckpoint(folder)));
        } catch (TidemarkException e) {
            return Optional.empty();
        }
    }

    private static boolean hasCheckpoint(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("_delta_log"))) {
            return files.anyMatch(file -> file.toString().contains(".checkpoint"));
        }
    }

    private static DeltaTable table(Path folder) {
        return DeltaTable.at(new LocalStorage(), folder.toString());
    }

    /** Reads the latest version, one of the middle, and the changes up to the latest version where they are recorded. */
    static LeftTable read(DuckDbEngine engine, Path folder) {
        DeltaTable table = table(folder);
        long last = table.latestVersion();
        List<View> views = new ArrayList<>();
        views.add(rows(engine, table, last));
        if (last > 1) {
            views.add(rows(engine, table, last / 2));
        }
        firstRecorded(table, last).ifPresent(first -> views.add(changes(engine, table, first, last)));
        return new LeftTable(String.valueOf(folder.getFileName()), views);
    }

    private static View rows(DuckDbEngine engine, DeltaTable table, long version) {
        return view(Kind.ROWS, version, version, () -> Readers.engine(engine, table.at(version)));
    }

    private static View changes(DuckDbEngine engine, DeltaTable table, long first, long last) {
        return view(Kind.CHANGES, first, last, () -> {
            ChangeFeed feed = ChangeFeed.between(table, Bound.version(first), Bound.version(last));
            StructType schema = feed.schema();
            RowBag rows = new RowBag();
            feed.forEach(engine, row -> {
                rows.add(RowTexts.ofEngine(row, schema));
                return true;
            });
            return rows;
        });
    }

    private static View view(Kind kind, long first, long last, Supplier<RowBag> reading) {
        try {
            return new View(kind, first, last, "", reading.get());
        } catch (TidemarkException e) {
            return new View(kind, first, last, e.code().name(), new RowBag());
        }
    }

    /** The first version from which all record their changes and have one schema. */
    private static Optional<Long> firstRecorded(DeltaTable table, long last) {
        long[] first = {-1};
        String[] schema = {""};
        table.commits(
                0,
                last,
                commit -> commit.actions().stream()
                        .filter(Metadata.class::isInstance)
                        .map(Metadata.class::cast)
                        .forEach(metadata -> {
                            boolean on = "true".equals(metadata.configuration().get("delta.enableChangeDataFeed"));
                            if (!on) {
                                first[0] = -1;
                            } else if (first[0] < 0 || !schema[0].equals(metadata.schemaString())) {
                                first[0] = commit.version();
                            }
                            schema[0] = metadata.schemaString();
                        }));
        return first[0] < 0 ? Optional.empty() : Optional.of(first[0]);
    }

    /** What Spark reads instead. */
    static RowBag bySpark(Path folder, View view) {
        DeltaTable table = table(folder);
        return view.kind() == Kind.ROWS
                ? Readers.spark(folder, view.last(), table.at(view.last()).schema())
                : Changes.spark(table, folder, view.first(), view.last());
    }

    /** Writes this beside the table. */
    void write(Path kept) throws IOException {
        JSON.writeValue(kept.resolve(FILE).toFile(), this);
    }

    /** Reads what was written. */
    static LeftTable of(Path kept) throws IOException {
        return JSON.readValue(kept.resolve(FILE).toFile(), LeftTable.class);
    }
}
