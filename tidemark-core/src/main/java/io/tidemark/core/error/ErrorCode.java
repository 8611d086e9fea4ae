package io.tidemark.core.error;

import static io.tidemark.core.error.ErrorCategory.BUG;
import static io.tidemark.core.error.ErrorCategory.CONFLICT;
import static io.tidemark.core.error.ErrorCategory.DATA;
import static io.tidemark.core.error.ErrorCategory.EXTERNAL;
import static io.tidemark.core.error.ErrorCategory.USER;

/** Every error of the product. Codes are stable: texts may improve, codes may not change their meaning. */
public enum ErrorCode {
    // ---- language
    SYNTAX_ERROR(USER, "The text is not a statement of the language."),
    UNSUPPORTED_STATEMENT(USER, "The statement is known but not supported here."),
    UNSUPPORTED_FEATURE(USER, "A clause, option or feature is known but not supported."),
    INVALID_TYPE(USER, "A type is not spelled as Spark SQL spells it."),
    INVALID_SETTING(USER, "A setting or table property has a value outside its range."),
    DUPLICATE_CLAUSE(USER, "A clause stands twice in one statement."),
    DUPLICATE_NAME(USER, "Two definitions bear one name."),

    // ---- queries
    QUERY_NOT_SELECT(USER, "A pipeline's query must be one SELECT."),
    QUERY_NOT_ALLOWED(USER, "A query uses something that pipelines may not use: files, settings, other databases."),
    QUERY_INVALID(USER, "The engine's parser or binder refuses the query."),
    QUERY_FAILED(DATA, "A query failed on its data, for example in a cast."),
    UNKNOWN_TABLE(USER, "A query or statement names a table or view that does not exist."),
    UNKNOWN_COLUMN(USER, "A statement names a column that does not exist."),
    UNKNOWN_FUNCTION(USER, "A query calls a function that the engine does not have."),

    // ---- definitions of change flows
    KEYS_MISSING(USER, "A change flow has no KEYS."),
    KEY_NOT_IN_COLUMNS(USER, "A key is left out by COLUMNS."),
    KEY_IN_IGNORE_NULL(USER, "A key stands in the list of IGNORE NULL UPDATES."),
    COLUMN_LIST_CONFLICT(USER, "Both an include list and an except list are given."),
    COLUMNS_TO_UPDATE_WITH_IGNORE_NULLS(USER, "COLUMNS TO UPDATE and IGNORE NULL UPDATES exclude each other."),
    COLUMNS_TO_UPDATE_UNSUPPORTED(USER, "COLUMNS TO UPDATE is not possible with BITEMPORAL storage."),
    COLUMNS_TO_UPDATE_TYPE(USER, "COLUMNS TO UPDATE must name an ARRAY<STRING> column."),
    COLUMNS_TO_UPDATE_INVALID(DATA, "An event's COLUMNS TO UPDATE array holds NULL or a name that is no column."),
    TRUNCATE_UNSUPPORTED(USER, "APPLY AS TRUNCATE needs SCD TYPE 1."),
    TRACK_HISTORY_UNSUPPORTED(USER, "TRACK HISTORY needs SCD TYPE 2 or BITEMPORAL."),
    SYSTEM_SEQUENCE_MISSING(USER, "BITEMPORAL needs SYSTEM SEQUENCE BY."),
    SYSTEM_SEQUENCE_UNSUPPORTED(USER, "SYSTEM SEQUENCE BY needs BITEMPORAL."),
    SEQUENCE_MISSING(USER, "A change flow has no SEQUENCE BY."),
    SEQUENCE_TYPE(USER, "The type of SEQUENCE BY cannot be ordered."),
    KEY_TYPE(USER, "The type of a key cannot be compared."),
    CONDITION_TYPE(USER, "A condition of APPLY AS is not BOOLEAN."),
    SOURCE_NOT_STREAMING(USER, "A flow that is not ONCE needs a streaming source."),
    SOURCE_NOT_BATCH(USER, "A ONCE flow needs a source that is not streaming."),
    STREAM_NOT_ROWWISE(
            USER,
            "A flow combines rows of a stream, which each update would do for its own rows only: aggregates, DISTINCT,"
                    + " ORDER BY, LIMIT, window functions, joins of two streams."),
    RESERVED_COLUMN(USER, "A column bears a name that the target or its change data feed reserves."),
    FLOWS_DISAGREE(USER, "Two flows into one target disagree in keys, storage type, sequence type or tracked columns."),
    FLOW_CHANGED(USER, "Keys, storage type, sequence type or tracked columns differ from those of earlier updates."),
    SCHEMA_MISMATCH(USER, "Columns of a query do not fit the table."),
    COLUMNS_MISSING(USER, "A table has neither declared columns nor a flow that gives it columns."),
    SNAPSHOT_CLAUSE(USER, "A flow FROM SNAPSHOT has a clause that is for flows of events only."),
    SNAPSHOT_VERSION_COLUMNS(USER, "The version query of a snapshot does not have exactly one column."),
    EXPECTATIONS_UNSUPPORTED(USER, "Expectations are not supported yet."),
    TARGET_OF_FLOW(USER, "The statement is not possible on a table that change flows write."),

    // ---- dataflow graph
    GRAPH_CYCLE(USER, "Queries read each other in a circle."),
    UNKNOWN_TARGET(USER, "A flow writes a table that the pipeline does not create."),
    TARGET_KIND(USER, "A flow's target is not a streaming table, or flows of different kinds write it."),
    TWO_WRITERS(USER, "Two definitions write one dataset."),
    FOREIGN_PIPELINE(USER, "Another pipeline owns this flow or table."),

    // ---- data of change flows
    NULL_SEQUENCE(DATA, "An event's SEQUENCE BY or SYSTEM SEQUENCE BY is NULL."),
    NULL_KEY(DATA, "An event's key holds NULL."),
    NOT_NULL_VIOLATED(DATA, "A NOT NULL column would receive NULL."),
    INFINITE_TIME(DATA, "A column would receive an infinite date or timestamp, which other readers do not know."),
    TARGET_ROWS_INVALID(
            DATA, "Rows of the target contradict each other: overlapping versions, NULL starts, duplicate keys."),
    MERGE_AMBIGUOUS(DATA, "Several source rows of a MERGE would change one row of the target."),
    DUPLICATE_SNAPSHOT_KEY(DATA, "A snapshot holds one key twice."),
    SNAPSHOT_VERSION_ROWS(DATA, "The version query of a snapshot gave several rows."),
    SNAPSHOT_OUT_OF_ORDER(DATA, "A snapshot's version is not above the last one."),

    // ---- state of flows
    STATE_MISSING(DATA, "The state that the target's commit pins is not there."),
    STATE_CORRUPT(DATA, "The state that the target's commit pins cannot be read."),
    FLOW_STATE_MISSING(USER, "A table with rows has no state of a change flow."),
    FLOW_HISTORY_GONE(DATA, "Rows changed by other writers can no longer be compared with those of the last update."),
    TARGET_REWOUND(USER, "Another engine restored or replaced the target since the last update."),
    RESET_NOT_ALLOWED(USER, "The target forbids a full refresh."),
    SOURCE_START_GONE(DATA, "A source no longer reaches its start."),
    SOURCE_CHANGED(DATA, "A commit of a streamed table changed or removed rows."),
    ALREADY_APPLIED(CONFLICT, "Another run has applied the same input."),

    // ---- files and formats
    FILE_NOT_FOUND(EXTERNAL, "A file or folder does not exist."),
    FILE_UNREADABLE(DATA, "A source file is broken or not of its declared format."),
    IO_FAILED(EXTERNAL, "Reading or writing a file failed."),
    PERMISSION_DENIED(EXTERNAL, "The file system refuses access."),
    STORE_UNSAFE(
            EXTERNAL,
            "An object store does not give a name to exactly one of several writers, so commits could be lost."),
    WRITE_OUTCOME_UNKNOWN(EXTERNAL, "A store did not say whether it created a file, and may still do so."),
    DISK_FULL(EXTERNAL, "The disk is full."),
    MEMORY_EXCEEDED(EXTERNAL, "The memory limit was reached and the work could not spill."),
    WORK_LOST(EXTERNAL, "A machine of a cluster was lost with rows that the work needs; nothing was committed."),
    INTERRUPTED(EXTERNAL, "The run was interrupted; nothing was left half-written."),
    ENGINE_UNAVAILABLE(
            EXTERNAL, "An engine is not installed, is of another version, or its cluster cannot be reached."),

    // ---- Delta tables
    TABLE_NOT_FOUND(USER, "There is no Delta table at the place."),
    TABLE_EXISTS(USER, "The table exists already."),
    VERSION_NOT_FOUND(USER, "The table has no such version, or its log no longer holds it."),
    TIMESTAMP_OUT_OF_RANGE(USER, "The timestamp lies before the first or after the last version."),
    CHANGE_RANGE_INVALID(USER, "A range of changes ends before its start or beyond the latest version."),
    CHANGE_FEED_OFF(USER, "The change data feed was off at a version of the range."),
    CHANGE_SCHEMA_CHANGED(USER, "The schema changed within a range of changes so that older rows do not fit."),
    CHANGE_LOG_GONE(DATA, "The log no longer holds the start of a range of changes."),
    CHANGE_FILE_GONE(DATA, "A file with changes of rows is not there any more, as after a VACUUM."),
    LOG_CORRUPT(DATA, "A log entry, checkpoint or deletion vector is broken or missing."),
    DATA_FILE_MISSING(DATA, "A data file that the log names is not there."),
    TABLE_FEATURE_UNSUPPORTED(USER, "The table uses a feature that cannot be read, or cannot be written."),
    TABLE_SCHEMA_INVALID(DATA, "The table's schema or metadata is not valid."),
    VACUUM_RETENTION_TOO_SHORT(USER, "A VACUUM would delete files earlier than the table's retention allows."),
    CONCURRENT_APPEND(CONFLICT, "Another writer added rows that this one should have seen."),
    CONCURRENT_DELETE_READ(CONFLICT, "Another writer removed rows that this one read."),
    CONCURRENT_DELETE_DELETE(CONFLICT, "Another writer removed rows that this one removes."),
    CONCURRENT_TRANSACTION(CONFLICT, "Another writer used the same transaction identifier or state."),
    METADATA_CHANGED(CONFLICT, "Another writer changed the table's schema or properties."),
    PROTOCOL_CHANGED(CONFLICT, "Another writer changed the table's protocol."),
    COMMIT_STATE_UNKNOWN(EXTERNAL, "It is not known whether the commit took place."),

    // ---- catalogs
    CATALOG_INVALID(DATA, "What a table says of its catalog cannot be read, or is of another table or release."),
    CATALOG_VERSION_NOT_FOUND(USER, "The catalog has no such version, or no longer keeps it."),
    CHANGES_UNAVAILABLE(DATA, "The log no longer tells what changed between two versions of a catalog."),
    LAYER_INVALID(USER, "The definition of a layer is wrong, or its id is reserved."),
    UNKNOWN_LAYER(USER, "A layer is named that the catalog does not have."),
    UNKNOWN_PARTITION(USER, "A partition is named that the catalog does not have."),
    INVALID_PARTITION_NAME(DATA, "A partition's name is not allowed by the layer's partitioning."),
    DUPLICATE_PARTITION(DATA, "A partition is to be published twice in one version."),
    EMPTY_PAYLOAD(DATA, "A payload has no bytes, which the layer does not allow."),
    CORRUPT_PAYLOAD(DATA, "A payload is not what was published."),
    BASE_VERSION_CONFLICT(CONFLICT, "Another version of the catalog was published meanwhile."),

    // ---- compilers
    TASK_INVALID(USER, "A task or driver of a compiler is not complete, or a part of it is wrong."),
    TASK_CYCLE(USER, "Tasks of a driver read each other's output in a circle."),
    UNKNOWN_INPUT(USER, "A task reads a catalog that the driver does not bind."),
    DUPLICATE_OUTPUT_LAYER(USER, "Two tasks of a driver write one layer."),
    RESERVED_LAYER(USER, "A task names the layer that is reserved for the state."),
    INTERMEDIATE_TYPE(USER, "No canonical bytes can be derived for the type of a task's intermediate values."),
    UNDECLARED_READ(USER, "A task reads a partition that it has not declared."),
    UNDECLARED_REFERENCE(USER, "A task resolves a reference that it has not declared."),
    UNDECLARED_OUTPUT(USER, "A task makes a partition of a layer that is no output of it."),
    ONE_TO_N_VIOLATION(DATA, "Two input partitions give one output partition in a task that allows one."),
    COMPILE_FAILED(DATA, "A function of a task failed."),
    NONDETERMINISTIC(DATA, "A function of a task gave two results for one input."),
    VERIFY_FAILED(DATA, "An incremental run gave another result than a full run."),

    // ---- dbt projects
    PROJECT_INVALID(USER, "A file of a dbt project is wrong or missing."),
    TEMPLATE_FAILED(USER, "A template of a dbt project cannot be rendered."),
    UNKNOWN_NODE(USER, "A model, source or snapshot is named that the dbt project does not have."),
    ADAPTER_UNSUPPORTED(USER, "The adapter of a dbt profile is not supported."),
    SNAPSHOT_CONFIG_INVALID(USER, "The options of a dbt snapshot are wrong."),
    NULL_UPDATED_AT(DATA, "A row of a dbt snapshot's source has no time, or one outside of the years 1 to 9999."),
    EMPTY_SNAPSHOT(DATA, "The source of a dbt snapshot has no rows, which would close all current ones."),
    DATABASE_FAILED(EXTERNAL, "A source database cannot be reached or refuses a query."),

    // ---- use of the program
    USAGE(USER, "The command line is wrong."),
    INTERNAL(BUG, "A defect of Tidemark.");

    private final ErrorCategory category;
    private final String meaning;

    ErrorCode(ErrorCategory category, String meaning) {
        this.category = category;
        this.meaning = meaning;
    }

    /** Who can mend it. */
    public ErrorCategory category() {
        return category;
    }

    /** One sentence for the list of errors in the documentation. */
    public String meaning() {
        return meaning;
    }
}
