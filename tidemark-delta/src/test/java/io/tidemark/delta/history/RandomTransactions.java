package io.tidemark.delta.history;

import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.TableDefinition;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.conflict.Rearrangement;
import io.tidemark.delta.history.NamedRows.Row;
import io.tidemark.delta.skipping.FileCondition.And;
import io.tidemark.delta.skipping.FileCondition.Comparison;
import io.tidemark.delta.skipping.FileCondition.Operator;
import io.tidemark.delta.skipping.FileFilter;
import io.tidemark.delta.vector.RowPositions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Makes random transactions that behave like statements: they look at the rows of a range of keys and write accordingly.
 * What each one saw stands in its commit, for {@link HistoryChecker}.
 */
final class RandomTransactions {
    static final long KEYS = 60;
    static final String FROM = "from";
    static final String TO = "to";
    static final String SEEN = "seen";

    private static final int FILES_MAX = 12;
    private static final StructType SCHEMA = StructType.of(StructField.of("key", ScalarType.LONG));

    private final String actor;
    private final Random random;
    private int rows;
    private int files;

    RandomTransactions(String actor, Random random) {
        this.actor = actor;
        this.random = random;
    }

    static void create(DeltaTable table, String level) {
        TableDefinition definition = TableDefinition.of(SCHEMA)
                .with("delta.enableDeletionVectors", "true")
                .with("delta.isolationLevel", level);
        table.create(definition).commit().version();
    }

    /** The next transaction on a snapshot. */
    Transaction next(Snapshot snapshot) {
        if (snapshot.files().size() > FILES_MAX) {
            return optimize(snapshot);
        }
        return switch (random.nextInt(10)) {
            case 0, 1, 2 -> insert(snapshot);
            case 3, 4 -> delete(snapshot);
            case 5, 6 -> update(snapshot);
            case 7 -> insertCount(snapshot);
            case 8 -> mergeKey(snapshot);
            default -> optimize(snapshot);
        };
    }

    /** Rows come without a look at the table. */
    private Transaction insert(Snapshot snapshot) {
        Transaction transaction = snapshot.begin("INSERT");
        List<Row> added = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            added.add(row(random.nextLong(KEYS)));
        }
        return transaction.add(NamedRows.file(fileName(), added, Map.of()));
    }

    private Transaction delete(Snapshot snapshot) {
        Look look = look(snapshot, "DELETE", 6);
        look.removeAll(random.nextBoolean());
        return look.transaction;
    }

    /** The rows get other keys. */
    private Transaction update(Snapshot snapshot) {
        Look look = look(snapshot, "UPDATE", 4);
        look.removeAll(random.nextBoolean());
        if (!look.seen.isEmpty()) {
            List<Row> images = new ArrayList<>();
            look.seen.forEach(row -> images.add(row(random.nextLong(KEYS))));
            look.transaction.add(NamedRows.file(fileName(), images, Map.of()));
        }
        return look.transaction;
    }

    /** One row comes whose key is a count: two of these that do not see each other cannot be put into an order. */
    private Transaction insertCount(Snapshot snapshot) {
        Look look = look(snapshot, "COUNT", 12);
        look.transaction.add(NamedRows.file(fileName(), List.of(row(look.seen.size() % KEYS)), Map.of()));
        return look.transaction;
    }

    /** A row comes unless its key is there. */
    private Transaction mergeKey(Snapshot snapshot) {
        Look look = look(snapshot, "MERGE", 1);
        look.transaction.dependsOnAbsentKeys();
        if (look.seen.isEmpty()) {
            look.transaction.add(NamedRows.file(fileName(), List.of(row(look.from)), Map.of()));
        }
        return look.transaction;
    }

    private Transaction optimize(Snapshot snapshot) {
        Transaction transaction = snapshot.begin("OPTIMIZE").rearrangesOnly();
        List<DataFile> sources =
                snapshot.files().stream().limit(2 + random.nextInt(3)).toList();
        List<Row> moved = new ArrayList<>();
        List<Rearrangement.Source> origins = new ArrayList<>();
        for (DataFile source : sources) {
            RowPositions deleted = snapshot.deletedRows(source);
            List<Row> all = NamedRows.of(source.tags());
            for (int i = 0; i < all.size(); i++) {
                if (!deleted.contains(i)) {
                    moved.add(all.get(i));
                }
            }
            transaction.readFile(source).remove(source);
            origins.add(new Rearrangement.Source(
                    source.add().path(), source.add().deletionVector(), all.size() - deleted.cardinality()));
        }
        if (moved.isEmpty()) {
            return insert(snapshot);
        }
        return transaction.add(
                NamedRows.file(fileName(), moved, Map.of(Rearrangement.TAG, Rearrangement.tag(origins))));
    }

    private Row row(long key) {
        return new Row(actor + "." + rows++, key);
    }

    private String fileName() {
        return "f-" + actor + "-" + files++;
    }

    private Look look(Snapshot snapshot, String operation, int widthMax) {
        long from = random.nextLong(KEYS);
        return new Look(snapshot, operation, from, from + random.nextInt(widthMax));
    }

    /** A transaction that has read the rows of a range of keys. */
    private static final class Look {
        final Transaction transaction;
        final long from;
        final List<Row> seen = new ArrayList<>();
        private final Snapshot snapshot;
        private int copies;
        private final Map<DataFile, RowPositions> matches = new LinkedHashMap<>();

        Look(Snapshot snapshot, String operation, long from, long to) {
            this.snapshot = snapshot;
            this.from = from;
            FileFilter filter = snapshot.filter(new And(List.of(
                    new Comparison("key", Operator.GREATER_OR_EQUAL, BigDecimal.valueOf(from)),
                    new Comparison("key", Operator.LESS_OR_EQUAL, BigDecimal.valueOf(to)))));
            transaction = snapshot.begin(operation).readFilesMatching(filter);
            for (DataFile file : snapshot.files()) {
                if (filter.test(file.add())) {
                    RowPositions found = matching(file, from, to);
                    transaction.readRows(file, found);
                    matches.put(file, found);
                }
            }
            transaction
                    .parameter(FROM, Long.toString(from))
                    .parameter(TO, Long.toString(to))
                    .parameter(SEEN, seen.stream().map(Row::id).sorted().collect(Collectors.joining(" ")));
        }

        private RowPositions matching(DataFile file, long from, long to) {
            RowPositions deleted = snapshot.deletedRows(file);
            List<Row> rows = NamedRows.of(file.tags());
            LongStream.Builder positions = LongStream.builder();
            for (int i = 0; i < rows.size(); i++) {
                Row row = rows.get(i);
                if (!deleted.contains(i) && row.key() >= from && row.key() <= to) {
                    positions.add(i);
                    seen.add(row);
                }
            }
            return RowPositions.of(positions.build());
        }

        /** Deletes what was seen, by vectors or by writing the other rows of the files anew. */
        void removeAll(boolean rewrite) {
            matches.forEach((file, found) -> {
                if (found.isEmpty()) {
                    return;
                }
                if (!rewrite) {
                    transaction.deleteRows(file, found);
                    return;
                }
                RowPositions gone = snapshot.deletedRows(file).union(found);
                List<Row> rows = NamedRows.of(file.tags());
                List<Row> kept = new ArrayList<>();
                for (int i = 0; i < rows.size(); i++) {
                    if (!gone.contains(i)) {
                        kept.add(rows.get(i));
                    }
                }
                transaction.remove(file);
                if (!kept.isEmpty()) {
                    transaction.add(NamedRows.file("copy-" + transaction.id() + "-" + copies++, kept, Map.of()));
                }
            });
        }
    }
}
