package io.tidemark.sql.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.sql.warehouse.Relations;
import io.tidemark.sql.warehouse.Warehouse;
import io.tidemark.sql.warehouse.WarehouseObject;
import java.util.Optional;

/**
 * What a statement works with.
 *
 * @param warehouse the tables
 * @param engine the engine
 * @param relations what names in queries mean, for this statement alone
 * @param own relations that the statement adds
 * @param beforeCommit called when all files are written and nothing is committed yet
 */
record StatementContext(
        Warehouse warehouse, Engine engine, Relations relations, OwnRelations own, Runnable beforeCommit) {
    /** The latest version of a table that a statement is to change. */
    Snapshot table(TableName name, TextLocation location) {
        WarehouseObject object = warehouse.lookup(name);
        if (object instanceof WarehouseObject.StoredView) {
            throw TidemarkException.of(ErrorCode.UNSUPPORTED_STATEMENT, name + " is a view, rows go into tables")
                    .at(location)
                    .build();
        }
        Snapshot table = relations.snapshot(name, location);
        table.checkWritable();
        return table;
    }

    /**
     * Commits.
     *
     * @return the new version
     * @throws LostRace if another commit came first; then nothing was done
     */
    long commit(Transaction transaction) {
        CommitOutcome outcome = tryCommit(transaction);
        if (outcome instanceof CommitOutcome.Rejected rejected) {
            throw new LostRace(rejected);
        }
        return outcome.version();
    }

    /** Commits and says what became of it. */
    CommitOutcome tryCommit(Transaction transaction) {
        beforeCommit.run();
        return transaction.commit();
    }

    /** Keeps the rows of engine SQL under a name that the statement's own queries may use. */
    void materialize(String relation, String sql) {
        engine.materialize(relation, sql, Optional.empty());
        own.add(relation);
    }

    /** Gives engine SQL a name that the statement's own queries may use. */
    void view(String relation, String sql) {
        engine.createView(relation, sql);
        own.add(relation);
    }

    /** The only number that engine SQL gives. */
    long number(String sql) {
        long[] result = new long[1];
        engine.stream(sql, row -> {
            result[0] = row.get(0) instanceof Number number ? number.longValue() : 0;
            return false;
        });
        return result[0];
    }

    /** The number of rows of a relation. */
    long count(String relation) {
        return number("SELECT count(*) FROM " + name(relation));
    }

    /** The engine's spelling of a name. */
    String name(String name) {
        return engine.dialect().name(name);
    }
}
