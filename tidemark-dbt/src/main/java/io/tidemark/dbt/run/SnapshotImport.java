package io.tidemark.dbt.run;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.dbt.project.SnapshotSettings.HardDeletes;
import io.tidemark.dbt.project.SnapshotSettings.MetaColumns;
import io.tidemark.dbt.run.SnapshotResult.Counts;
import io.tidemark.dbt.run.SnapshotResult.Status;
import io.tidemark.delta.DeltaTable;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Makes a snapshot's table of the rows that dbt wrote to another place, so that runs continue them. Used once. */
public final class SnapshotImport {
    private static final String RELATION = SnapshotUpdate.RELATION_PREFIX + "import";

    private final Engine engine;
    private final Dialect dialect;
    private final String snapshotName;
    private final TableName name;
    private final DeltaTable table;
    private final ProjectSql sql;
    private final SnapshotSettings settings;

    /**
     * An import.
     *
     * @param snapshotName the snapshot's name
     * @param name name of its table
     * @param table where its table shall be
     * @param sql the project's SQL
     * @param settings the snapshot's options
     */
    public SnapshotImport(
            Engine engine,
            String snapshotName,
            TableName name,
            DeltaTable table,
            ProjectSql sql,
            SnapshotSettings settings) {
        this.engine = engine;
        this.dialect = engine.dialect();
        this.snapshotName = snapshotName;
        this.name = name;
        this.table = table;
        this.sql = sql;
        this.settings = settings;
    }

    /**
     * Imports rows.
     *
     * @param rows engine SQL of the rows of dbt's table
     * @param commit whether to commit
     * @throws TidemarkException {@code TABLE_EXISTS} if the table is there already, {@code SCHEMA_MISMATCH} if the rows are
     *     none of a snapshot
     */
    public SnapshotResult run(String rows, boolean commit) {
        if (table.exists()) {
            throw TidemarkException.of(ErrorCode.TABLE_EXISTS, "table " + name + " exists already")
                    .at(settings.location())
                    .hint("an import makes the table; runs without --import continue it")
                    .build();
        }
        StructType given = engine.describe(rows);
        DataType timeType = checked(given);
        List<StructField> fields = new ArrayList<>();
        List<String> columns = new ArrayList<>();
        for (StructField field : given.fields()) {
            fields.add(StructField.of(field.name(), field.type()));
            columns.add("CAST(q." + dialect.name(field.name()) + " AS " + dialect.type(field.type()) + ") AS "
                    + dialect.name(field.name()));
        }
        engine.materialize(
                RELATION, "SELECT " + String.join(", ", columns) + " FROM (" + rows + ") AS q", Optional.empty());
        try {
            return imported(new StructType(fields), timeType, commit);
        } finally {
            engine.drop(RELATION);
        }
    }

    private SnapshotResult imported(StructType schema, DataType timeType, boolean commit) {
        VersionSql versions = new VersionSql(dialect, timeType, LocalDateTime.of(1, 1, 1, 0, 0));
        Optional<String> sentinel = new Sentinel(engine, sql, settings).text(versions);
        String end = "r."
                + dialect.name(
                        schema.field(settings.columns().validTo()).orElseThrow().name());
        String current = sentinel.map(text -> "(" + end + " IS NULL OR " + end + " = " + versions.time(text) + ")")
                .orElse(end + " IS NULL");
        String from = "SELECT * FROM " + dialect.name(RELATION) + " AS r WHERE ";
        long[] numbers = new long[2];
        engine.stream(
                "SELECT count(*) AS a, count(*) FILTER (WHERE " + current + ") AS b FROM " + dialect.name(RELATION)
                        + " AS r",
                row -> {
                    numbers[0] = ((Number) row.get(0)).longValue();
                    numbers[1] = ((Number) row.get(1)).longValue();
                    return true;
                });
        Counts counts = new Counts(numbers[0], numbers[1], 0, numbers[0] - numbers[1], 0, 0);
        OptionalLong version = OptionalLong.empty();
        if (commit) {
            SnapshotEntry entry = new SnapshotEntry(sentinel.map(List::of).orElse(List.of()), "", Map.of(), List.of());
            version = OptionalLong.of(new SnapshotCommit(engine, table, snapshotName, List.of())
                    .create(
                            SnapshotCommit.IMPORT,
                            settings.docs().on(schema),
                            settings.docs().table(),
                            List.of(from + current, from + "NOT " + current),
                            entry,
                            counts));
        }
        return new SnapshotResult(
                snapshotName, name.toString(), Status.CREATED, counts, version, settings.warnings(), 0);
    }

    /** Checks that the rows are those of a snapshot, and gives the type of their times. */
    private DataType checked(StructType given) {
        MetaColumns columns = settings.columns();
        List<String> needed =
                new ArrayList<>(List.of(columns.scdId(), columns.updatedAt(), columns.validFrom(), columns.validTo()));
        if (settings.hardDeletes() == HardDeletes.NEW_RECORD) {
            needed.add(columns.isDeleted());
        }
        List<String> missing =
                needed.stream().filter(column -> !given.has(column)).toList();
        if (!missing.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.SCHEMA_MISMATCH,
                            "the table to import lacks columns of a snapshot: " + String.join(", ", missing))
                    .at(settings.location())
                    .build();
        }
        DataType type = given.field(columns.validFrom()).orElseThrow().type();
        if (!Types.isTime(type)
                || !given.field(columns.validTo()).orElseThrow().type().equals(type)) {
            throw TidemarkException.of(
                            ErrorCode.SCHEMA_MISMATCH,
                            "columns " + columns.validFrom() + " and " + columns.validTo()
                                    + " of the table to import are no times of one type")
                    .at(settings.location())
                    .hint("its columns are " + given.sql())
                    .build();
        }
        return type;
    }
}
