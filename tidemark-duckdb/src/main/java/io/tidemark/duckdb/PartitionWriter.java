package io.tidemark.duckdb;

import static io.tidemark.duckdb.session.Spelling.name;
import static io.tidemark.duckdb.session.Spelling.string;
import static io.tidemark.duckdb.session.Spelling.type;

import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.session.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes a query to Parquet files, one or more per combination of partition values.
 *
 * <p>COPY spells values and folders in its own way. So it gets the values as texts, as the log spells them, and writes
 * into a folder of its own, from where the files are moved to their places.
 */
final class PartitionWriter {
    /** Stands before each value, so that an empty folder name and NULL cannot be taken for each other. */
    private static final String VALUE = "v";

    private static final String NULL = "n";
    private static final String COLUMN = "__partition_";

    private final Session session;
    private final WriteSpec spec;
    private final Path directory;
    private final List<StructField> partitions;
    private final StructType data;

    PartitionWriter(Session session, WriteSpec spec) {
        this.session = session;
        this.spec = spec;
        this.directory = Path.of(spec.directory());
        this.partitions = spec.partitionBy().stream()
                .map(column -> spec.schema().field(column).orElseThrow())
                .toList();
        this.data = new StructType(spec.schema().fields().stream()
                .filter(field -> !partitions.contains(field))
                .toList());
    }

    /** The columns that stand in the files. */
    StructType data() {
        return data;
    }

    /** Writes the rows and notes each file as soon as it is at its place. */
    List<WrittenFile> write(String sql, List<Path> written) throws IOException {
        Path staging = directory.resolve("writing-" + UUID.randomUUID());
        try {
            Map<Map<String, String>, List<Staged>> partitions = new LinkedHashMap<>();
            for (List<@Nullable Object> row : session.rows(copy(sql, staging))) {
                Staged staged = Staged.of(row);
                InfiniteTimes.refuse(data, staged.statistics());
                partitions
                        .computeIfAbsent(FileWriter.texts(row.get(5)), keys -> new ArrayList<>())
                        .add(staged);
            }
            List<WrittenFile> files = new ArrayList<>();
            for (Map.Entry<Map<String, String>, List<Staged>> partition : partitions.entrySet()) {
                files.addAll(placed(new Partition(partition.getKey()), partition.getValue(), written));
            }
            return files;
        } finally {
            deleteFolder(staging);
        }
    }

    /** A file that COPY wrote into the staging folder. */
    private record Staged(Path path, long rows, long bytes, Map<String, Map<String, String>> statistics) {
        static Staged of(List<@Nullable Object> row) {
            return new Staged(
                    Path.of(String.valueOf(row.get(0))),
                    FileWriter.number(row.get(1)),
                    FileWriter.number(row.get(2)),
                    FileWriter.columnStatistics(row.get(4)));
        }
    }

    /** A combination of values and the folder that its files belong into. */
    private final class Partition {
        private final Map<String, Optional<String>> values = new LinkedHashMap<>();
        private final String folder;

        Partition(Map<String, String> keys) {
            StringBuilder path = new StringBuilder();
            for (int i = 0; i < partitions.size(); i++) {
                String text = keys.getOrDefault(column(i), NULL);
                Optional<String> value = text.equals(NULL) ? Optional.empty() : Optional.of(text.substring(1));
                String column = partitions.get(i).name();
                InfiniteTimes.refuse(
                        StructType.of(partitions.get(i)),
                        Map.of(FileStatistics.key(List.of(column)), Map.of("max", value.orElse(""))));
                values.put(column, value);
                path.append(PartitionText.folder(column, value)).append('/');
            }
            folder = path.toString();
        }

        WrittenFile file(String name, WrittenFile file) {
            return new WrittenFile(folder + name, file.sizeBytes(), file.rowCount(), file.statistics(), values);
        }
    }

    /**
     * COPY neither sorts nor cuts the files of partitions. Where that matters, each partition is written once more, one
     * after the other, so that no more than one of them is sorted at a time.
     */
    private List<WrittenFile> placed(Partition partition, List<Staged> staged, List<Path> written) throws IOException {
        List<String> sortBy = spec.sortBy().stream()
                .filter(column -> data.field(column).isPresent())
                .toList();
        boolean tooLarge = staged.stream().anyMatch(file -> file.bytes() > spec.fileBytesTarget());
        if (!sortBy.isEmpty() || tooLarge) {
            return rewritten(partition, staged, sortBy, written);
        }
        List<WrittenFile> files = new ArrayList<>();
        for (Staged file : staged) {
            files.add(moved(partition, file, written));
        }
        return files;
    }

    private List<WrittenFile> rewritten(
            Partition partition, List<Staged> staged, List<String> sortBy, List<Path> written) {
        WriteSpec whole = new WriteSpec(
                        directory.resolve(partition.folder).toString(),
                        spec.namePrefix(),
                        withoutNotNull(data),
                        sortBy,
                        spec.fileBytesTarget(),
                        spec.statisticsColumnsMax())
                .withRowGroupRows(spec.rowGroupRows());
        String sources = staged.stream()
                .map(file -> "{'filename': " + string(file.path().toString()) + "}")
                .collect(Collectors.joining(", "));
        List<WrittenFile> files = new ArrayList<>();
        for (WrittenFile file : new FileWriter(session, whole).write("SELECT * FROM read_parquet([" + sources + "])")) {
            written.add(Path.of(whole.directory()).resolve(file.name()));
            files.add(partition.file(file.name(), file));
        }
        return files;
    }

    /** The rule is checked once for all rows. */
    private static StructType withoutNotNull(StructType schema) {
        return new StructType(schema.fields().stream()
                .map(field -> new StructField(field.name(), field.type(), true, field.metadata()))
                .toList());
    }

    /** The name of a partition column's text; no column of the table has it. */
    private String column(int partition) {
        String column = COLUMN + partition;
        while (data.has(column)) {
            column = "_" + column;
        }
        return column;
    }

    private String copy(String sql, Path staging) {
        List<String> columns = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        data.fields()
                .forEach(field -> columns.add(
                        "CAST(" + name(field.name()) + " AS " + type(field.type()) + ") AS " + name(field.name())));
        for (StructField field : partitions) {
            String column = column(texts.size());
            texts.add(column);
            columns.add("coalesce('" + VALUE + "' || (" + PartitionText.expression(field) + "), '" + NULL + "') AS "
                    + column);
        }
        return "COPY (SELECT " + String.join(", ", columns) + " FROM (" + sql + ")) TO " + string(staging.toString())
                + " (FORMAT parquet, " + FileWriter.COMPRESSION + ", ROW_GROUP_SIZE " + spec.rowGroupRows()
                + ", PARTITION_BY (" + String.join(", ", texts)
                + "), WRITE_PARTITION_COLUMNS false, FILENAME_PATTERN 'part-{uuid}', RETURN_STATS true)";
    }

    private WrittenFile moved(Partition partition, Staged staged, List<Path> written) throws IOException {
        String name = String.format(Locale.ROOT, "%s-%05d-%s.zstd.parquet", spec.namePrefix(), 0, UUID.randomUUID());
        Path place = directory.resolve(partition.folder).resolve(name);
        written.add(place);
        Files.createDirectories(Objects.requireNonNull(place.getParent()));
        Files.move(staged.path(), place);
        WrittenFile file = new WrittenFile(
                name,
                staged.bytes(),
                staged.rows(),
                FileStatistics.read(data, spec.statisticsColumnsMax(), staged.statistics()),
                Map.of());
        return partition.file(name, file);
    }

    private static void deleteFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
