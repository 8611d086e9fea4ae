package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.RowConsumer;
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
    /** Results of at most so many rows of names or numbers are held in memory. */
    private static final long ROWS_AT_ONCE_MAX = 10_000;
    /** Bytes of payloads that an engine may hold before it writes them. */
    private static final long ROW_GROUP_BYTES = 16L * 1024 * 1024;

    private static final String DATA_FILE_PREFIX = "part";

    private final CatalogTable table;
    private final CatalogVersion base;
    private final long version;
    private final Engine engine;
    private final Dialect dialect;
    private final @Nullable String candidates;
    private final Map<String, PublishMode> modes;
    private final String prefix = "publication " + UUID.randomUUID();
    private final Map<String, PublishReport.Counters> counters = new TreeMap<>();
    private final Map<String, Summary> summaries = new TreeMap<>();
    private final List<WrittenFile> written = new ArrayList<>();
    private List<DataFile> files = List.of();

    Comparison(
            CatalogTable table,
            CatalogVersion base,
            long version,
            Engine engine,
            @Nullable String candidates,
            Map<String, PublishMode> modes) {
        this.table = table;
        this.base = base;
        this.version = version;
        this.engine = engine;
        this.dialect = engine.dialect();
        this.candidates = candidates;
        this.modes = Map.copyOf(modes);
    }

    /** The catalog version in the making. */
    long version() {
        return version;
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
        summarize();
        for (String layer : summaries.keySet()) {
            if (!modes.containsKey(layer)) {
                throw Catalog.unknownLayer(layer, modes.keySet());
            }
        }
        long rows = summaries.values().stream().mapToLong(Summary::rows).sum();
        each(rows, "SELECT c.layer, " + partition("c") + " FROM " + candidates() + " AS c", row -> {
            Catalog.layer(base, String.valueOf(row.get(0)))
                    .checkName(row.get(1) == null ? "" : String.valueOf(row.get(1)));
            return true;
        });
        if (summaries.values().stream().anyMatch(layer -> layer.names() < layer.rows())) {
            List<String> twice = texts("SELECT c.layer || '/' || " + partition("c") + " FROM " + candidates()
                    + " AS c GROUP BY c.layer, " + partition("c") + " HAVING count(*) > 1 ORDER BY 1 LIMIT "
                    + SAMPLE_ROWS);
            throw TidemarkException.of(
                            ErrorCode.DUPLICATE_PARTITION,
                            "partition " + twice.get(0) + " is to be published twice in one version")
                    .detail("Partitions that stand twice: " + String.join(", ", twice) + ".")
                    .hint("give each partition one payload, or none to delete it")
                    .build();
        }
        summaries.forEach((layer, summary) -> {
            if (summary.empty() > 0 && !Catalog.layer(base, layer).allowsEmptyPayloads()) {
                throw PayloadOutput.emptyPayload(
                        layer,
                        texts("SELECT " + partition("c") + " FROM " + candidates() + " AS c WHERE c.size = 0 AND"
                                + " c.layer = " + dialect.string(layer) + " ORDER BY 1 LIMIT " + SAMPLE_ROWS));
            }
        });
    }

    /**
     * What is known of the candidates of a layer.
     *
     * @param rows their number
     * @param names number of different names
     * @param least least name
     * @param greatest greatest name
     * @param empty how many payloads have no bytes
     * @param handles how many payloads have files
     * @param inlineBytes average length of payloads that stand in rows
     */
    private record Summary(
            long rows, long names, String least, String greatest, long empty, long handles, long inlineBytes) {}

    private void summarize() {
        summaries.clear();
        for (List<@Nullable Object> row : engine.rows("SELECT c.layer, count(*), count(DISTINCT " + partition("c")
                + "), min(" + partition("c") + "), max(" + partition("c")
                + "), count(CASE WHEN c.size = 0 THEN 1 END), count(c.handle),"
                + " CAST(coalesce(avg(octet_length(c.payload)), 0) AS BIGINT) FROM " + candidates()
                + " AS c GROUP BY c.layer")) {
            if (row.get(0) == null) {
                throw Catalog.unknownLayer("NULL", modes.keySet());
            }
            summaries.put(
                    String.valueOf(row.get(0)),
                    new Summary(
                            number(row.get(1)),
                            number(row.get(2)),
                            String.valueOf(row.get(3)),
                            String.valueOf(row.get(4)),
                            number(row.get(5)),
                            number(row.get(6)),
                            number(row.get(7))));
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
        for (List<@Nullable Object> row : engine.rows("SELECT layer, kind, count(*),"
                + " CAST(coalesce(sum(size), 0) AS BIGINT), CAST(sum(CASE WHEN mentioned THEN 1 ELSE 0 END) AS BIGINT)"
                + " FROM " + dialect.name(prefix) + " GROUP BY layer, kind")) {
            counters.merge(
                    String.valueOf(row.get(0)),
                    counted(String.valueOf(row.get(1)), number(row.get(2)), number(row.get(3)), number(row.get(4))),
                    PublishReport.Counters::plus);
        }
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
                found.addAll(CatalogTable.files(snapshot.files(), List.of(layer.getKey())));
                continue;
            }
            Summary summary = summaries.get(layer.getKey());
            if (summary != null) {
                found.addAll(KeyedScan.between(
                        snapshot, snapshot.files(), layer.getKey(), summary.least(), summary.greatest()));
            }
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
    void securePayloads(PayloadFiles payloads, Snapshot snapshot) {
        if (summaries.values().stream().noneMatch(layer -> layer.handles() > 0)) {
            return;
        }
        Duration young = Retention.deletedFiles(snapshot.properties()).dividedBy(2);
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
        Summary summary = summaries.get(layer);
        long bytes = summary == null ? 1 : Math.max(1, summary.inlineBytes());
        return Math.max(1, Math.min(WriteSpec.ROW_GROUP_ROWS_DEFAULT, ROW_GROUP_BYTES / bytes));
    }

    /** Stages the written rows and the positions of the rows that go. */
    void stage(Snapshot snapshot, Transaction transaction) {
        Map<Integer, LongStream.Builder> positions = new TreeMap<>();
        if (!counters.isEmpty()) {
            long gone = counters.values().stream()
                    .mapToLong(each -> each.changed() + each.deleted())
                    .sum();
            each(
                    gone,
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
        return engine.rows(sql).stream().map(row -> String.valueOf(row.get(0))).toList();
    }

    /** Hands over the rows of a query; those of large results one by one. */
    private void each(long count, String sql, RowConsumer consumer) {
        if (count <= ROWS_AT_ONCE_MAX) {
            engine.rows(sql).forEach(consumer::accept);
        } else {
            engine.stream(sql, consumer);
        }
    }

    private static long number(@Nullable Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }

    @Override
    public void close() {
        engine.drop(List.of(prefix, prefix + " files"));
    }
}
