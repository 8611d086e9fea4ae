package io.tidemark.pipeline.source;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.ChangeColumns;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.feed.Bound;
import io.tidemark.delta.feed.ChangeFeed;
import io.tidemark.delta.rows.ChangeImages;
import io.tidemark.pipeline.state.FlowEntry.Position;
import io.tidemark.sql.query.VersionSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The change data feed of a Delta table as a stream: first all of its rows as inserts of the version that is read first,
 * or the changes from a given version on; then the changes of later commits.
 */
final class ChangeStream {
    private final Engine engine;
    private final DeltaTable table;
    private final String name;
    private final Snapshot snapshot;
    private final TextLocation location;

    /**
     * A stream up to a version.
     *
     * @param snapshot the table at that version
     * @param name the table's name for the user
     */
    ChangeStream(Engine engine, DeltaTable table, String name, Snapshot snapshot, TextLocation location) {
        this.engine = engine;
        this.table = table;
        this.name = name;
        this.snapshot = snapshot;
        this.location = location;
    }

    /** Whether the stream begins with the rows of the table and not with changes. */
    boolean isInitial(Optional<Position> position, Optional<VersionSpec> from) {
        if (position.isPresent() || from.isPresent()) {
            return false;
        }
        try {
            ChangeFeed.checkOn(snapshot);
        } catch (TidemarkException fault) {
            throw fault.at(location);
        }
        return true;
    }

    /** Engine SQL of the rows of a relation with the table's columns, as inserts. */
    String inserts(String relation) {
        Dialect dialect = engine.dialect();
        List<String> columns = new ArrayList<>();
        snapshot.schema().names().forEach(column -> columns.add(dialect.name(column)));
        columns.add(dialect.string(ChangeImages.INSERT) + " AS " + dialect.name(ChangeColumns.CHANGE_TYPE));
        columns.add("CAST(" + snapshot.version() + " AS " + dialect.type(ScalarType.LONG) + ") AS "
                + dialect.name(ChangeColumns.COMMIT_VERSION));
        columns.add("CAST(" + dialect.string(snapshot.timestamp().toString()) + " AS "
                + dialect.type(ScalarType.TIMESTAMP) + ") AS " + dialect.name(ChangeColumns.COMMIT_TIMESTAMP));
        return "SELECT " + String.join(", ", columns) + " FROM " + dialect.name(relation);
    }

    /**
     * Registers what is new since a position, or since a bound if nothing was read before.
     *
     * @return whether there is anything
     */
    boolean register(Optional<Position> position, Optional<VersionSpec> from, String relation) {
        if (position.isPresent() && position.get().at() == snapshot.version()) {
            List<StructField> columns = new ArrayList<>(snapshot.schema().fields());
            columns.addAll(ChangeColumns.fields());
            engine.createView(relation, engine.dialect().emptySelect(new StructType(columns)));
            return false;
        }
        Bound first = position.isPresent()
                ? Bound.version(position.get().at() + 1)
                : from.map(VersionSpec::bound).orElse(Bound.beginning());
        try {
            ChangeFeed feed = ChangeFeed.upTo(table, first, snapshot);
            feed.registerInOrder(engine, relation);
            return !feed.isEmpty();
        } catch (TidemarkException fault) {
            throw position.isPresent() ? broken(fault) : fault.at(location);
        }
    }

    /** A gap in what a flow follows is mended by starting over, not by another range. */
    private TidemarkException broken(TidemarkException fault) {
        boolean gone = fault.code() == ErrorCode.CHANGE_LOG_GONE || fault.code() == ErrorCode.CHANGE_FILE_GONE;
        boolean gap = fault.code() == ErrorCode.CHANGE_FEED_OFF || fault.code() == ErrorCode.CHANGE_SCHEMA_CHANGED;
        if (!gone && !gap) {
            return fault.at(location);
        }
        TidemarkException.Builder error = TidemarkException.of(
                        gone ? ErrorCode.SOURCE_START_GONE : fault.code(),
                        "the flow cannot follow the changes of table " + name + ": " + fault.primary())
                .at(location)
                .hint("rebuild the target with --full-refresh, which begins with the rows that the table has now")
                .cause(fault);
        fault.detail().ifPresent(error::detail);
        return error.build();
    }
}
