package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.maintenance.Retention;
import io.tidemark.delta.vector.RowPositions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Candidates beside what is published: the publisher's table as SQL. Keys, checksums and payloads stay with the engine;
 * what passes through here one by one are names, to be checked, and positions of rows that go.
 */
final class Comparison implements AutoCloseable {
    private static final String FILE = "__file";
    private static final String ROW = "__row";
    private static final String UNCHANGED = "unchanged";
    private static final int SAMPLE_ROWS = 5;
    /** Bytes of payloads that an engine may hold before it writes them. */
    private static final long ROW_GROUP_BYTES = 16L * 1024 * 1024;

    private static final String DATA_FILE_PREFIX = "part";

    private final CatalogTable table;
    private final CatalogVersion base;
    private final Engine engine;
    private final Dialect dialect;
    private final @Nullable String candidates;
    private final Map<String, PublishMode> modes;
    private final String prefix = "publication " + UUID.randomUUID();
    private final Map<String, PublishReport.Counters> counters = new TreeMap<>();
    private final List<WrittenFile> written = new ArrayList<>();
    private List<DataFile> files = List.of();

    Comparison(
            CatalogTable table,
            CatalogVersion base,
            Engine engine,
            @Nullable String candidates,
            Map<String, PublishMode> modes) {
        this.table = table;
        this.base = base;
        this.engine = engine;
        this.dialect = engine.dialect();
        this.candidates = candidates;
        this.modes = Map.copyOf(modes);
    }

    /** The catalog version in the making. */
    long version() {
        return base.number() + 1;
    }

    Map<String, PublishReport.Counters> counters() {
        return Map.copyOf(counters);
    }

    /** Checks the candidates by themselves. */
    void check() {
        for (String layer : modes.keySet()) {
            Catalog.layer(base, layer);
        }
        if (candidates == null) {
            return;
        }
        List<String> unknown =
                texts("SELECT DISTINCT c.layer FROM " + candidates() + " AS c WHERE c.layer IS NULL OR c.layer"
                        + " NOT IN (" + NetChanges.strings(dialect, modes.keySet()) + ")");
        if (!unknown.isEmpty()) {
            throw Catalog.unknownLayer(unknown.get(0), modes.keySet());
        }
        engine.stream("SELECT c.layer, " + partition("c") + " FROM " + candidates() + " AS c", row -> {
            Catalog.layer(base, String.valueOf(row.get(0)))
                    .checkName(row.get(1) == null ? "" : String.valueOf(row.get(1)));
            return true;
        });
        List<String> twice = texts("SELECT c.layer || '/' || " + partition("c") + " FROM " + candidates()
                + " AS c GROUP BY c.layer, " + partition("c") + " HAVING count(*) > 1 ORDER BY 1 LIMIT " + SAMPLE_ROWS);
        if (!twice.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.DUPLICATE_PARTITION,
                            "partition " + twice.get(0) + " is to be published twice in one version")
                    .detail("Partitions that stand twice: " + String.join(", ", twice) + ".")
                    .hint("give each partition one payload, or none to delete it")
                    .build();
        }
        checkEmpty();
    }

    private void checkEmpty() {
        List<String> forbidding = modes.keySet().stream()
                .filter(layer -> !Catalog.layer(base, layer).allowsEmptyPayloads())
                .sorted()
                .toList();
        for (String layer : forbidding) {
            List<String> empty =
                    texts("SELECT " + partition("c") + " FROM " + candidates() + " AS c WHERE c.size = 0 AND"
                            + " c.layer = " + dialect.string(layer) + " ORDER BY 1 LIMIT " + SAMPLE_ROWS);
            if (!empty.isEmpty()) {
                throw PayloadOutput.emptyPayload(layer, empty);
            }
        }
    }

    /** Compares with a version of the table that has the content of the base. */
    void run(Snapshot snapshot) {
        counters.clear();
        if (candidates == null && modes.values().stream().noneMatch(mode -> mode == PublishMode.SNAPSHOT)) {
            return;
        }
        modes.keySet().forEach(layer -> counters.put(layer, PublishReport.Counters.NONE));
        files = files(snapshot);
        engine.registerFiles(prefix + " files", EngineFiles.scan(snapshot, files, Optional.of(FILE), Optional.of(ROW)));
        engine.materialize(prefix, decisions(), Optional.empty());
        engine.stream(
                "SELECT layer, kind, count(*), CAST(coalesce(sum(size), 0) AS BIGINT), CAST(sum(CASE WHEN mentioned THEN 1"
                        + " ELSE 0 END) AS BIGINT) FROM " + dialect.name(prefix) + " GROUP BY layer, kind",
                row -> {
                    counters.merge(
                            String.valueOf(row.get(0)),
                            counted(
                                    String.valueOf(row.get(1)),
                                    number(row.get(2)),
                                    number(row.get(3)),
                                    number(row.get(4))),
                            PublishReport.Counters::plus);
                    return true;
                });
    }

    private static PublishReport.Counters counted(String kind, long rows, long bytes, long mentioned) {
        return switch (kind) {
            case NetChanges.ADDED -> new PublishReport.Counters(mentioned, rows, 0, 0, 0, bytes);
            case NetChanges.CHANGED -> new PublishReport.Counters(mentioned, 0, rows, 0, 0, bytes);
            case NetChanges.DELETED -> new PublishReport.Counters(mentioned, 0, 0, rows, 0, 0);
            case UNCHANGED -> new PublishReport.Counters(mentioned, 0, 0, 0, rows, 0);
            default -> new PublishReport.Counters(mentioned, 0, 0, 0, 0, 0);
        };
    }

    /** The files in which published rows of candidates may be; all of a layer that is published as a whole. */
    private List<DataFile> files(Snapshot snapshot) {
        List<DataFile> found = new ArrayList<>();
        for (Map.Entry<String, PublishMode> layer : modes.entrySet()) {
            if (layer.getValue() == PublishMode.SNAPSHOT || candidates == null) {
                found.addAll(CatalogTable.files(snapshot, List.of(layer.getKey())));
                continue;
            }
            engine.stream(
                    "SELECT min(" + partition("c") + "), max(" + partition("c") + ") FROM " + candidates()
                            + " AS c WHERE c.layer = " + dialect.string(layer.getKey()),
                    row -> {
                        if (row.get(0) instanceof String least && row.get(1) instanceof String greatest) {
                            found.addAll(KeyedScan.between(snapshot, layer.getKey(), least, greatest));
                        }
                        return true;
                    });
        }
        return found;
    }

    private String decisions() {
        List<String> whole = modes.entrySet().stream()
                .filter(layer -> layer.getValue() == PublishMode.SNAPSHOT)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        String mentioned =
                candidates == null ? dialect.emptySelect(Candidates.COLUMNS) : "SELECT * FROM " + candidates();
        return "SELECT coalesce(c.layer, p.layer) AS layer, coalesce(" + partition("c") + ", " + partition("p")
                + ") AS "
                + dialect.name(CatalogTable.PARTITION) + ", CASE WHEN c.layer IS NULL THEN " + text(NetChanges.DELETED)
                + " WHEN c.size IS NULL AND p.layer IS NULL THEN 'nothing' WHEN c.size IS NULL THEN "
                + text(NetChanges.DELETED) + " WHEN p.layer IS NULL THEN " + text(NetChanges.ADDED) + " WHEN "
                + sameContent() + " THEN " + text(UNCHANGED) + " ELSE " + text(NetChanges.CHANGED)
                + " END AS kind, c.layer IS NOT NULL AS mentioned, c.size AS size, p." + dialect.name(FILE)
                + " AS file, p."
                + dialect.name(ROW) + " AS pos FROM (" + mentioned + ") AS c FULL JOIN (SELECT * FROM "
                + dialect.name(prefix + " files") + ") AS p ON c.layer = p.layer AND " + partition("c") + " = "
                + partition("p") + " WHERE c.layer IS NOT NULL OR p.layer IN (" + NetChanges.strings(dialect, whole)
                + ")";
    }

    /** Payloads are the same if their digests are: the layer's, or for older rows one that the layer had before. */
    private String sameContent() {
        return "((p.digest = " + digestOf("c.layer") + " AND p.checksum = c.checksum) OR c." + Candidates.FORMER
                + " LIKE '%' || p.digest || ':' || p.checksum || '%')";
    }

    private String digestOf(String layer) {
        StringBuilder cases = new StringBuilder("CASE " + layer);
        for (String each : modes.keySet()) {
            cases.append(" WHEN ")
                    .append(text(each))
                    .append(" THEN ")
                    .append(text(Catalog.layer(base, each).digest().algorithm()));
        }
        return cases.append(" END").toString();
    }

    /** Makes sure that the files of large payloads are there and stay until the commit. */
    void securePayloads(PayloadFiles payloads) {
        if (candidates == null) {
            return;
        }
        Duration young = Retention.deletedFiles(table.latest().properties()).dividedBy(2);
        engine.stream("SELECT DISTINCT c.handle, c.size FROM " + uploads() + " WHERE c.handle IS NOT NULL", row -> {
            payloads.secure(String.valueOf(row.get(0)), number(row.get(1)), young);
            return true;
        });
    }

    private String uploads() {
        return candidates() + " AS c JOIN " + dialect.name(prefix) + " AS d ON d.layer = c.layer AND " + partition("d")
                + " = " + partition("c") + " AND d.kind IN (" + text(NetChanges.ADDED) + ", " + text(NetChanges.CHANGED)
                + ")";
    }

    /** Writes the rows of added and changed partitions, which no commit names yet. */
    void write(Snapshot snapshot) {
        StructType columns = new StructType(CatalogTable.SCHEMA.fields().stream()
                .filter(field -> !field.name().equals(CatalogTable.LAYER))
                .toList());
        for (Map.Entry<String, PublishReport.Counters> layer : counters.entrySet()) {
            long rows = layer.getValue().uploads();
            if (rows == 0) {
                continue;
            }
            // Layer ids need no escaping, neither in paths nor in the log.
            String folder = CatalogTable.LAYER + "=" + layer.getKey();
            String sql = "SELECT " + partition("c") + ", CAST(" + version() + " AS BIGINT) AS version, "
                    + text(Catalog.layer(base, layer.getKey()).digest().algorithm())
                    + " AS digest, c.checksum, c.size, c.crc32c, c.handle, c.payload FROM " + uploads()
                    + " WHERE c.layer = " + text(layer.getKey());
            for (WrittenFile file : engine.write(
                    sql,
                    new WriteSpec(
                                    table.storage().child(snapshot.location(), folder),
                                    DATA_FILE_PREFIX,
                                    columns,
                                    List.of(CatalogTable.PARTITION),
                                    WriteSpec.FILE_BYTES_TARGET_DEFAULT,
                                    CatalogTable.STATISTICS_COLUMNS)
                            .withRowGroupRows(rowGroupRows(layer.getKey())))) {
                written.add(new WrittenFile(
                        folder + "/" + file.name(),
                        file.sizeBytes(),
                        file.rowCount(),
                        file.statistics(),
                        Map.of(CatalogTable.LAYER, Optional.of(layer.getKey()))));
            }
        }
    }

    /** Long rows make small row groups, so that an engine need not hold many of them. */
    private long rowGroupRows(String layer) {
        long[] average = {0};
        engine.stream(
                "SELECT CAST(coalesce(avg(octet_length(c.payload)), 0) AS BIGINT) FROM " + uploads()
                        + " WHERE c.layer = " + text(layer),
                row -> {
                    average[0] = number(row.get(0));
                    return true;
                });
        return Math.max(1, Math.min(WriteSpec.ROW_GROUP_ROWS_DEFAULT, ROW_GROUP_BYTES / Math.max(1, average[0])));
    }

    /** Stages the written rows and the positions of the rows that go. */
    void stage(Snapshot snapshot, Transaction transaction) {
        Map<Integer, LongStream.Builder> positions = new TreeMap<>();
        if (!counters.isEmpty()) {
            engine.stream(
                    "SELECT file, pos FROM " + dialect.name(prefix) + " WHERE kind IN (" + text(NetChanges.CHANGED)
                            + ", " + text(NetChanges.DELETED) + ")",
                    row -> {
                        positions
                                .computeIfAbsent(Math.toIntExact(number(row.get(0))), file -> LongStream.builder())
                                .add(number(row.get(1)));
                        return true;
                    });
        }
        transaction.readNothing();
        positions.forEach((index, builder) -> {
            RowPositions rows = RowPositions.of(builder.build());
            DataFile file = files.get(index);
            transaction.readRows(file, rows);
            transaction.deleteRows(file, rows);
        });
        EngineFiles.add(transaction, written);
    }

    /** Deletes the rows that were written, when it is certain that no commit names them. */
    void discard(Snapshot snapshot) {
        snapshot.discard(written);
    }

    /** Keeps what differs under a name: the columns of candidates and {@code kind}. */
    void materialize(String relation) {
        String columns = Candidates.COLUMNS.fields().stream()
                .filter(field ->
                        !List.of(Candidates.LAYER, Candidates.PARTITION).contains(field.name()))
                .map(field -> candidates == null
                        ? dialect.nullOf(field.type()) + " AS " + dialect.name(field.name())
                        : "c." + dialect.name(field.name()))
                .collect(java.util.stream.Collectors.joining(", "));
        String differing = " WHERE d.kind IN (" + text(NetChanges.ADDED) + ", " + text(NetChanges.CHANGED) + ", "
                + text(NetChanges.DELETED) + ")";
        engine.materialize(
                relation,
                "SELECT d.layer, " + partition("d") + ", " + columns + ", d.kind FROM " + dialect.name(prefix) + " AS d"
                        + (candidates == null
                                ? ""
                                : " LEFT JOIN " + candidates() + " AS c ON c.layer = d.layer AND " + partition("c")
                                        + " = " + partition("d"))
                        + differing,
                Optional.empty());
    }

    private String candidates() {
        return dialect.name(String.valueOf(candidates));
    }

    private String partition(String alias) {
        return alias + "." + dialect.name(CatalogTable.PARTITION);
    }

    private String text(String value) {
        return dialect.string(value);
    }

    private List<String> texts(String sql) {
        List<String> texts = new ArrayList<>();
        engine.stream(sql, row -> texts.add(String.valueOf(row.get(0))));
        return texts;
    }

    private static long number(@Nullable Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }

    @Override
    public void close() {
        engine.drop(prefix);
        engine.drop(prefix + " files");
    }
}
