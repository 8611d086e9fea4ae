package io.tidemark.duckdb;

import static io.tidemark.duckdb.session.Spelling.string;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.FileScan.DataFile;
import io.tidemark.core.engine.InputScan;
import io.tidemark.core.engine.InternalColumns;
import io.tidemark.core.engine.KeyedReducer;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryShape;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.engine.RelationResolver;
import io.tidemark.core.engine.RemoteFiles;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.engine.RowPositions;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.input.InputReader;
import io.tidemark.duckdb.session.Failures;
import io.tidemark.duckdb.session.Session;
import io.tidemark.duckdb.session.Spelling;
import io.tidemark.duckdb.session.TypeText;
import io.tidemark.duckdb.session.Values;
import io.tidemark.duckdb.sql.QueryTranslator;
import io.tidemark.duckdb.sql.SparkFunctions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The embedded engine: one in-memory DuckDB database that spills to a temporary folder. */
public final class DuckDbEngine implements Engine {
    /** Schema of tables that stand behind relations and are no relations themselves. */
    private static final String HELPERS = "helpers";

    private final Session session;
    private final Dialect dialect = new DuckDbDialect();
    private final QueryTranslator queries;
    private final InputReader inputs;
    private final Map<String, List<String>> relations = new HashMap<>();
    private final RemoteScans remote;
    private final FileColumns fileColumns;
    private final Numbering numbering;
    private long helperCount;

    private DuckDbEngine(Session session, RemoteFiles remoteFiles) {
        this.session = session;
        this.remote = new RemoteScans(session, remoteFiles);
        this.queries = new QueryTranslator(session);
        this.inputs = new InputReader(session, HELPERS);
        this.fileColumns = new FileColumns(session);
        this.numbering = new Numbering(session);
    }

    /** Opens an engine without relations. */
    public static DuckDbEngine open(DuckDbSettings settings) {
        try {
            Files.createDirectories(settings.temporaryDirectory());
        } catch (IOException e) {
            throw TidemarkException.of(
                            ErrorCode.IO_FAILED,
                            "temporary folder " + settings.temporaryDirectory() + " cannot be made")
                    .cause(e)
                    .build();
        }
        Properties options = new Properties();
        options.setProperty("autoinstall_known_extensions", "false");
        options.setProperty("autoload_known_extensions", "false");
        options.setProperty("allow_community_extensions", "false");
        List<String> statements = List.of(
                "SET GLOBAL TimeZone = 'UTC'",
                "SET GLOBAL memory_limit = " + string(settings.memoryLimitBytes() + "B"),
                "SET GLOBAL threads = " + settings.threads(),
                "SET GLOBAL temp_directory = "
                        + string(settings.temporaryDirectory().toAbsolutePath().toString()),
                "SET GLOBAL preserve_insertion_order = true",
                "CREATE SCHEMA " + HELPERS);
        Session session = Session.open(options, statements);
        SparkFunctions.register(session);
        return new DuckDbEngine(session, settings.remoteFiles());
    }

    @Override
    public String name() {
        return "duckdb";
    }

    @Override
    public Dialect dialect() {
        return dialect;
    }

    @Override
    public void registerFiles(String relation, FileScan wanted) {
        session.begin();
        drop(relation);
        wanted.fileColumn()
                .ifPresent(column -> InternalColumns.checkFree(wanted.schema().names(), column));
        wanted.positionColumn()
                .ifPresent(column -> InternalColumns.checkFree(wanted.schema().names(), column));
        FileScan scan = remote.register(key(relation), wanted);
        try {
            // Files that are elsewhere are copied when a query runs, and looking into them would need them before.
            registerLocal(relation, scan, !remote.hasCopies(key(relation)));
        } catch (RuntimeException e) {
            remote.drop(key(relation));
            throw e;
        }
    }

    private void registerLocal(String relation, FileScan scan, boolean mayLookInside) {
        List<String> cleanup = new ArrayList<>();
        session.files()
                .addDataFiles(scan.files().stream().map(DataFile::location).toList());
        if (VariantFiles.mustCheck(scan)) {
            remote.fetchRelation(key(relation));
            VariantFiles.check(session, scan);
        }
        boolean hasDeleted =
                scan.files().stream().anyMatch(file -> !file.deletedRows().isEmpty());
        Optional<String> deleted =
                hasDeleted ? Optional.of(positionsTable(scan, DataFile::deletedRows, cleanup)) : Optional.empty();
        Optional<FileRelation.KeptRows> kept =
                scan.readsPositions() ? Optional.of(keptRows(scan, cleanup)) : Optional.empty();
        Optional<String> partitions = Optional.empty();
        if (FileRelation.needsPartitionTable(scan)) {
            String table = helper(cleanup);
            session.execute("CREATE TABLE " + table + " AS " + FileRelation.partitionSelect(scan));
            partitions = Optional.of(table);
        }
        boolean known = scan.exact() && !scan.files().isEmpty();
        boolean plain = mayLookInside && (known || fileColumns.fit(scan));
        view(relation, new FileRelation(scan, deleted, kept, partitions, plain).select(), cleanup);
    }

    private FileRelation.KeptRows keptRows(FileScan scan, List<String> cleanup) {
        Function<DataFile, RowPositions> kept = file -> file.keptRows().orElse(RowPositions.NONE);
        LongStream.Builder positions = LongStream.builder();
        scan.files().forEach(file -> kept.apply(file).forEach(positions));
        return new FileRelation.KeptRows(
                positionsTable(scan, kept, cleanup),
                FileRelation.positionFilter(
                        positions.build().sorted().distinct().toArray()));
    }

    private String positionsTable(FileScan scan, Function<DataFile, RowPositions> rows, List<String> cleanup) {
        String table = helper(cleanup);
        PositionsTable.create(
                session,
                HELPERS,
                table.substring(HELPERS.length() + 1),
                scan.files().stream().map(rows).toList());
        return table;
    }

    @Override
    public StructType registerInput(String relation, InputScan scan) {
        session.begin();
        List<String> cleanup = new ArrayList<>();
        String table = helper(cleanup);
        InputReader.Loaded loaded = inputs.load(scan, table.substring(HELPERS.length() + 1));
        drop(relation);
        view(relation, loaded.select(), cleanup);
        return loaded.schema();
    }

    @Override
    public StructType describeInput(InputScan scan) {
        session.begin();
        return inputs.describe(scan);
    }

    @Override
    public void createView(String relation, String sql) {
        session.begin();
        drop(relation);
        view(relation, sql, List.of());
        remote.define(key(relation), sql);
    }

    private void view(String relation, String sql, List<String> cleanup) {
        queries.forget(relation);
        session.execute("CREATE VIEW " + Spelling.name(relation) + " AS " + sql);
        List<String> statements = new ArrayList<>();
        statements.add("DROP VIEW IF EXISTS " + Spelling.name(relation));
        statements.addAll(cleanup);
        relations.put(key(relation), statements);
    }

    @Override
    public void materialize(String relation, String sql, Optional<String> ordinalColumn) {
        session.begin();
        remote.fetch(sql);
        if (ordinalColumn.isEmpty() && !relations.containsKey(key(relation))) {
            session.execute("CREATE TABLE " + Spelling.name(relation) + " AS " + sql);
            relations.put(key(relation), List.of("DROP TABLE IF EXISTS " + Spelling.name(relation)));
            return;
        }
        List<String> cleanup = new ArrayList<>();
        String table = helper(cleanup);
        session.execute("CREATE TABLE " + table + " AS " + sql);
        if (ordinalColumn.isPresent()) {
            try {
                InternalColumns.checkFree(schemaOf("SELECT * FROM " + table).names(), ordinalColumn.get());
            } catch (TidemarkException e) {
                session.execute("DROP TABLE " + table);
                throw e;
            }
        }
        // The old relation goes last: the query may read it.
        drop(relation);
        String ordinal = ordinalColumn
                .map(column -> ", rowid AS " + Spelling.name(column))
                .orElse("");
        view(relation, "SELECT *" + ordinal + " FROM " + table, cleanup);
    }

    @Override
    public LongSupplier numbered(String relation, String sql, String ordinalColumn) {
        session.begin();
        InternalColumns.checkFree(schemaOf(sql).names(), ordinalColumn);
        AtomicLong counter = new AtomicLong();
        createView(relation, numbering.numbered(sql, ordinalColumn, counter));
        return counter::get;
    }

    private String helper(List<String> cleanup) {
        String table = HELPERS + ".rows_" + helperCount++;
        cleanup.add("DROP TABLE IF EXISTS " + table);
        return table;
    }

    @Override
    public void drop(String relation) {
        List<String> statements = relations.remove(key(relation));
        if (statements != null) {
            queries.forget(relation);
            statements.forEach(session::execute);
            remote.drop(key(relation));
        }
    }

    @Override
    public void drop(Collection<String> dropped) {
        List<String> statements = new ArrayList<>();
        for (String relation : dropped) {
            List<String> own = relations.remove(key(relation));
            if (own != null) {
                queries.forget(relation);
                statements.addAll(own);
            }
        }
        if (!statements.isEmpty()) {
            session.execute(String.join("; ", statements));
        }
        dropped.forEach(relation -> remote.drop(key(relation)));
    }

    private static String key(String relation) {
        return relation.toLowerCase(Locale.ROOT);
    }

    @Override
    public StructType describe(String sql) {
        session.begin();
        return schemaOf(sql);
    }

    private StructType schemaOf(String sql) {
        List<StructField> fields = new ArrayList<>();
        for (List<@Nullable Object> row : session.rows("DESCRIBE " + sql)) {
            fields.add(TypeText.column(String.valueOf(row.get(0)), String.valueOf(row.get(1))));
        }
        return new StructType(fields);
    }

    @Override
    public Set<List<String>> relationsOf(QueryText query) {
        session.begin();
        return queries.relationsOf(query);
    }

    @Override
    public QueryShape shapeOf(QueryText query) {
        session.begin();
        return queries.shapeOf(query);
    }

    @Override
    public PreparedQuery prepare(QueryText query, RelationResolver resolver) {
        session.begin();
        String sql = queries.translate(query, resolver);
        try {
            return new PreparedQuery(sql, schemaOf(sql));
        } catch (TidemarkException e) {
            throw e.at(query.location());
        }
    }

    @Override
    public void stream(String sql, RowConsumer consumer) {
        session.begin();
        remote.fetch(sql);
        List<StructField> fields = schemaOf(sql).fields();
        String names = IntStream.range(0, fields.size()).mapToObj(i -> "c" + i).collect(Collectors.joining(", "));
        String encoded = IntStream.range(0, fields.size())
                .mapToObj(i -> Values.encode("c" + i, fields.get(i).type()) + " AS c" + i)
                .collect(Collectors.joining(", "));
        List<@Nullable Object> row = new ArrayList<>();
        session.chunks("SELECT " + encoded + " FROM (" + sql + ") AS t(" + names + ")", (vectors, rowCount) -> {
            for (int i = 0; i < rowCount; i++) {
                row.clear();
                for (int column = 0; column < vectors.length; column++) {
                    row.add(Values.read(vectors[column], i, fields.get(column).type()));
                }
                if (!consumer.accept(row)) {
                    return false;
                }
            }
            return true;
        });
    }

    @Override
    public List<List<@Nullable Object>> rows(String sql) {
        session.begin();
        remote.fetch(sql);
        return session.rowsOfTypes(sql, Values.PLAIN).orElseGet(() -> Engine.super.rows(sql));
    }

    @Override
    public List<WrittenFile> write(String sql, WriteSpec spec) {
        session.begin();
        remote.fetch(sql);
        return remote.write(spec, local -> new FileWriter(session, local).write(sql));
    }

    @Override
    public void reduce(
            String inputSql, String outputRelation, List<String> outputColumns, KeyedReducer.Factory reducers) {
        session.begin();
        List<String> cleanup = new ArrayList<>();
        String table = helper(cleanup);
        session.execute("CREATE TABLE " + table
                + outputColumns.stream()
                        .map(column -> Spelling.name(column) + " BIGINT")
                        .collect(Collectors.joining(", ", " (", ")")));
        KeyedReducer reducer = reducers.get();
        remote.fetch(inputSql);
        new Reduction(session, reducer).run(inputSql, HELPERS, table.substring(HELPERS.length() + 1));
        drop(outputRelation);
        view(outputRelation, "SELECT * FROM " + table, cleanup);
    }

    @Override
    public void load(String relation, StructType columns, Consumer<RowConsumer> rows) {
        session.begin();
        List<String> cleanup = new ArrayList<>();
        String table = helper(cleanup);
        InputReader.Loaded loaded = inputs.load(columns, rows, table.substring(HELPERS.length() + 1));
        drop(relation);
        view(relation, loaded.select(), cleanup);
    }

    @Override
    public void attach(String name, String file) {
        session.begin();
        if (!Files.isRegularFile(Path.of(file))) {
            throw TidemarkException.of(ErrorCode.FILE_NOT_FOUND, "there is no database file " + file)
                    .build();
        }
        try {
            session.executeRaw("ATTACH " + string(file) + " AS " + Spelling.name(name) + " (READ_ONLY)");
        } catch (SQLException e) {
            throw TidemarkException.of(ErrorCode.FILE_UNREADABLE, "the database file " + file + " cannot be opened")
                    .detail(Failures.primary(Failures.message(e)))
                    .hint("is another program writing it, or was it made by a newer release of DuckDB?")
                    .cause(e)
                    .build();
        }
    }

    @Override
    public void detach(String name) {
        session.execute("DETACH " + Spelling.name(name));
    }

    @Override
    public OptionalDouble progress() {
        return session.progress();
    }

    @Override
    public void cancel() {
        session.cancel();
    }

    @Override
    public void close() {
        session.close();
        remote.close();
    }
}
