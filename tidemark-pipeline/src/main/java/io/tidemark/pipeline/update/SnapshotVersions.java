package io.tidemark.pipeline.update;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.AutoCdcFlow.Clause;
import io.tidemark.core.flow.CdcProperties;
import io.tidemark.core.flow.SnapshotSource;
import io.tidemark.core.snapshot.SnapshotVersion;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.pipeline.source.FlowSources;
import io.tidemark.pipeline.state.FlowEntry;
import io.tidemark.sql.parse.DataTypeParser;
import io.tidemark.sql.query.SnapshotFunctions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the next snapshot of a flow and its version: by the clock, by a query, or by a Java function. */
final class SnapshotVersions {
    private final UpdateContext context;
    private final AutoCdcFlow flow;

    SnapshotVersions(UpdateContext context, AutoCdcFlow flow) {
        this.context = context;
        this.flow = flow;
    }

    /**
     * A snapshot that was found.
     *
     * @param said the query as the user wrote it
     * @param query the query with its version in it
     * @param type type of the version
     * @param version the version; absent if the query is only bound
     */
    record Found(QueryText said, QueryText query, DataType type, Optional<SnapshotVersion> version) {
        /** The version of a snapshot that is there. */
        SnapshotVersion at() {
            return version.orElseThrow();
        }
    }

    /**
     * The next snapshot.
     *
     * @param last version of the last one
     * @param startMicros when the update began, in microseconds since 1970-01-01 UTC
     * @return nothing if there is none
     * @throws TidemarkException {@code NULL_SEQUENCE}, {@code SEQUENCE_TYPE}, {@code SNAPSHOT_VERSION_COLUMNS},
     *     {@code SNAPSHOT_VERSION_ROWS} or {@code SOURCE_NOT_BATCH}
     */
    Optional<Found> next(Optional<SnapshotVersion> last, long startMicros) {
        SnapshotSource source = flow.snapshot().orElseThrow();
        if (source instanceof SnapshotSource.Periodic) {
            return Optional.of(found(flow.query(), atTime(last, startMicros)));
        }
        if (source instanceof SnapshotSource.Versioned versioned) {
            return queried(versioned.version(), last).map(version -> found(flow.query(), version));
        }
        return provided(last).map(snapshot -> found(text(snapshot), SnapshotVersion.of(snapshot.version())));
    }

    /**
     * A snapshot of which nothing is known but the type of its version, to bind the flow's query.
     *
     * @return nothing if a Java function has no snapshot yet
     */
    Optional<Found> unknown(Optional<SnapshotVersion> last) {
        SnapshotSource source = flow.snapshot().orElseThrow();
        if (source instanceof SnapshotSource.Provided) {
            return provided(last)
                    .map(snapshot -> bound(
                            text(snapshot),
                            SnapshotVersion.of(snapshot.version()).type()));
        }
        DataType type = ScalarType.TIMESTAMP;
        if (source instanceof SnapshotSource.Versioned versioned) {
            try (FlowSources sources = sources()) {
                type = type(prepare(sources, versioned.version(), last));
            }
        }
        return Optional.of(bound(flow.query(), type));
    }

    /** The version of the last snapshot that a flow applied. */
    static Optional<SnapshotVersion> last(Optional<FlowEntry> entry) {
        return entry.flatMap(FlowEntry::snapshot)
                .map(last -> new SnapshotVersion(DataTypeParser.parse(last.type(), TextLocation.NONE), last.version()));
    }

    private static Found found(QueryText query, SnapshotVersion version) {
        QueryText with = SnapshotFunctions.withCurrent(query, version.literal());
        return new Found(query, with, version.type(), Optional.of(version));
    }

    private static Found bound(QueryText query, DataType type) {
        QueryText without = SnapshotFunctions.withoutCurrent(query, SnapshotVersion.unknown(type));
        return new Found(query, without, type, Optional.empty());
    }

    private static QueryText text(SnapshotSource.Snapshot snapshot) {
        return new QueryText(snapshot.query(), TextLocation.NONE);
    }

    private Optional<SnapshotSource.Snapshot> provided(Optional<SnapshotVersion> last) {
        SnapshotSource.Provided provided =
                (SnapshotSource.Provided) flow.snapshot().orElseThrow();
        return provided.next().after(last.map(SnapshotVersion::value));
    }

    private static SnapshotVersion atTime(Optional<SnapshotVersion> last, long startMicros) {
        SnapshotVersion start = SnapshotVersion.of(Instant.EPOCH.plus(startMicros, ChronoUnit.MICROS));
        boolean after = last.isEmpty() || !last.get().type().equals(start.type()) || start.isAbove(last.get());
        return after ? start : SnapshotVersion.of(((Instant) last.get().value()).plus(1, ChronoUnit.MICROS));
    }

    private FlowSources sources() {
        return new FlowSources(context.sources(), FlowSources.Progress.START, context.freshPrefix() + "version_");
    }

    private PreparedQuery prepare(FlowSources sources, QueryText query, Optional<SnapshotVersion> last) {
        String literal = last.map(SnapshotVersion::literal).orElse("NULL");
        PreparedQuery prepared = sources.prepare(SnapshotFunctions.withLast(query, literal));
        if (sources.isStreaming()) {
            throw TidemarkException.of(
                            ErrorCode.SOURCE_NOT_BATCH, "the version query of flow " + flow.name() + " reads a stream")
                    .at(flow.place(Clause.VERSION))
                    .hint("leave out STREAM")
                    .build();
        }
        if (prepared.schema().fields().size() != 1) {
            throw TidemarkException.of(
                            ErrorCode.SNAPSHOT_VERSION_COLUMNS,
                            "the version query of flow " + flow.name() + " has "
                                    + prepared.schema().fields().size() + " columns")
                    .at(flow.place(Clause.VERSION))
                    .hint("select the version and nothing else")
                    .build();
        }
        return prepared;
    }

    private DataType type(PreparedQuery prepared) {
        DataType type = prepared.schema().fields().get(0).type();
        if (!SnapshotVersion.isPossible(type)) {
            throw TidemarkException.of(
                            ErrorCode.SEQUENCE_TYPE,
                            "the version of the snapshots of flow " + flow.name() + " is " + type.sql())
                    .at(flow.place(Clause.VERSION))
                    .hint(
                            type == ScalarType.VOID
                                    ? "give it a type, for example CAST(… AS BIGINT)"
                                    : "use a number, a string, a date or a timestamp")
                    .build();
        }
        return type;
    }

    private Optional<SnapshotVersion> queried(QueryText query, Optional<SnapshotVersion> last) {
        try (FlowSources sources = sources()) {
            PreparedQuery prepared = prepare(sources, query, last);
            DataType type = type(prepared);
            Engine engine = context.engine();
            List<@Nullable Object> values = new ArrayList<>();
            engine.stream(prepared.sql(), row -> {
                values.add(row.get(0));
                return values.size() < 2;
            });
            if (values.isEmpty()) {
                return Optional.empty();
            }
            if (values.size() > 1) {
                throw fault(
                        ErrorCode.SNAPSHOT_VERSION_ROWS,
                        "the version query of flow " + flow.name() + " gave several rows",
                        "let it give the next version only: … ORDER BY version LIMIT 1");
            }
            Object value = values.get(0);
            if (value == null) {
                throw fault(
                        ErrorCode.NULL_SEQUENCE,
                        "the version of the next snapshot of flow " + flow.name() + " is NULL",
                        "without a next snapshot the query must give no row: an aggregate like min(version) needs"
                                + " HAVING min(version) IS NOT NULL");
            }
            return Optional.of(SnapshotVersion.of(type, value));
        }
    }

    /** The error for a snapshot that comes too late. */
    static TidemarkException outOfOrder(AutoCdcFlow flow, SnapshotVersion version, SnapshotVersion last) {
        return TidemarkException.of(
                        ErrorCode.SNAPSHOT_OUT_OF_ORDER,
                        "the next snapshot of flow " + flow.name() + " into table " + flow.target() + " has version "
                                + version.text() + ", which is not above the last one, " + last.text())
                .at(flow.place(Clause.VERSION))
                .detail("Nothing was committed.")
                .hint("let the version query give greater versions only: WHERE version > last_snapshot_version(), or"
                        + " set the table property " + CdcProperties.ON_OLD_VERSION + " to skip")
                .build();
    }

    private TidemarkException fault(ErrorCode code, String primary, String hint) {
        return TidemarkException.of(code, primary)
                .at(flow.place(Clause.VERSION))
                .detail("Nothing was committed.")
                .hint(hint)
                .build();
    }
}
