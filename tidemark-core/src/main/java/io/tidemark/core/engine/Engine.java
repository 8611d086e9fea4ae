package io.tidemark.core.engine;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What Tidemark asks of an engine: hold named relations, run SQL over them, write Parquet files. An engine never writes
 * a Delta log and knows nothing of change flows. One engine belongs to one run and is used by one thread, except for
 * {@link #cancel} and {@link #progress}.
 *
 * <p>All failures are {@link TidemarkException}s: {@code QUERY_*} for a user's query,
 * {@code FILE_*} for input files (naming file and line), {@code DISK_FULL}, {@code MEMORY_EXCEEDED},
 * {@code INTERRUPTED} after a cancel, and {@code INTERNAL} if a plan of Tidemark itself does not run.
 */
public interface Engine extends AutoCloseable {
    /** Short name: {@code duckdb} or {@code spark}. */
    String name();

    /** The engine's spelling. */
    Dialect dialect();

    /** Registers a relation over data files of a table. Nothing is read before a query needs it. */
    void registerFiles(String relation, FileScan scan);

    /**
     * Registers a relation over source files and returns its schema. Columns: the declared or inferred ones, for
     * Debezium's envelope also {@code _op, _ts_ms, _lsn, _source, _position, _authored_columns}, and
     * {@code _metadata} with the file's path, name, size and modification time.
     */
    StructType registerInput(String relation, InputScan scan);

    /**
     * The schema that {@link #registerInput} would give, without a row being loaded. Options are checked; files are
     * looked into only if no schema is declared.
     */
    StructType describeInput(InputScan scan);

    /** Registers engine SQL under a name, evaluated at each use. */
    void createView(String relation, String sql);

    /**
     * Runs engine SQL once and keeps the result under a name.
     *
     * @param ordinalColumn if present, a BIGINT column of this name is added that numbers the rows in the query's
     *     order, ascending and not necessarily dense
     */
    void materialize(String relation, String sql, Optional<String> ordinalColumn);

    /**
     * Registers a relation of engine SQL whose rows are numbered and counted while one query reads them, once.
     *
     * @param ordinalColumn name of a BIGINT column that is added: a number of its own for each row, in no certain order
     * @return how many rows have been numbered: all of them when that query is done, if it used the numbers
     */
    default LongSupplier numbered(String relation, String sql, String ordinalColumn) {
        materialize(relation, sql, Optional.of(ordinalColumn));
        return () -> {
            long[] count = {0};
            stream("SELECT CAST(count(*) AS BIGINT) AS n FROM " + dialect().name(relation), row -> {
                count[0] = row.get(0) instanceof Long number ? number : 0;
                return true;
            });
            return count[0];
        };
    }

    /** Forgets a relation; no error if there is none. */
    void drop(String relation);

    /** Drops several relations; those that are not there are no error. */
    default void drop(Collection<String> relations) {
        relations.forEach(this::drop);
    }

    /** Names and types of the columns of engine SQL. */
    StructType describe(String sql);

    /**
     * The names of tables and views that a query in Spark SQL reads, each as name parts, without those that it defines
     * itself (WITH). Checks that the text is one SELECT and uses nothing that a query may not use.
     */
    Set<List<String>> relationsOf(QueryText query);

    /** What can be told of a query in Spark SQL by its text alone; checks it as {@link #relationsOf} does. */
    QueryShape shapeOf(QueryText query);

    /** Checks, translates and binds a query in Spark SQL. */
    PreparedQuery prepare(QueryText query, RelationResolver resolver);

    /**
     * Runs engine SQL and hands the rows over one by one.
     *
     * <p>Java values: Boolean, Byte, Short, Integer, Long, Float, Double, BigDecimal, String, byte[], LocalDate,
     * Instant (TIMESTAMP), LocalDateTime (TIMESTAMP_NTZ), List (ARRAY), Map in order of the fields (STRUCT) or of the
     * entries (MAP), null.
     */
    void stream(String sql, RowConsumer consumer);

    /**
     * All rows of a query in engine SQL that has few of them, with values as in {@link #stream}: for counts and the like,
     * which an engine can answer with less ceremony than a stream needs.
     */
    default List<List<@Nullable Object>> rows(String sql) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        stream(sql, row -> rows.add(Collections.unmodifiableList(new ArrayList<>(row))));
        return rows;
    }

    /** Writes the rows of engine SQL to Parquet files, streamed and spilling, and returns what was written. */
    List<WrittenFile> write(String sql, WriteSpec spec);

    /**
     * Streams sorted rows of BIGINT columns through a reducer and registers its output.
     *
     * @param inputSql engine SQL whose columns are all BIGINT and whose rows are sorted, key first
     * @param outputRelation name of the relation that receives the output
     * @param outputColumns names of its BIGINT columns
     * @param reducers makes a fresh reducer
     */
    void reduce(String inputSql, String outputRelation, List<String> outputColumns, KeyedReducer.Factory reducers);

    /**
     * Keeps rows that come from elsewhere under a name; they are taken one by one, and not held in the heap.
     *
     * @param columns their columns
     * @param rows hands over the rows to what it is given, as lists of Java values as in {@link #stream}
     * @throws TidemarkException {@code UNSUPPORTED_FEATURE} if the engine cannot
     */
    default void load(String relation, StructType columns, Consumer<RowConsumer> rows) {
        throw TidemarkException.of(
                        ErrorCode.UNSUPPORTED_FEATURE, "the engine " + name() + " takes no rows from elsewhere")
                .build();
    }

    /**
     * Makes a database file of the engine's own kind readable as {@code name.schema.table} of engine SQL, until
     * {@link #detach}. Nothing can be written to it.
     *
     * @throws TidemarkException {@code UNSUPPORTED_FEATURE} if the engine has no such files, {@code FILE_NOT_FOUND} or
     *     {@code FILE_UNREADABLE}
     */
    default void attach(String name, String file) {
        throw TidemarkException.of(
                        ErrorCode.UNSUPPORTED_FEATURE, "the engine " + name() + " reads no database files: " + file)
                .build();
    }

    /** Forgets what was attached under a name. */
    default void detach(String name) {
        throw new IllegalStateException("nothing was attached as " + name);
    }

    /** Share of the running query that is done, 0 to 1, if known. May be called by another thread. */
    OptionalDouble progress();

    /** Stops the running query, which then fails with {@code INTERRUPTED}. May be called by another thread. */
    void cancel();

    @Override
    void close();
}
