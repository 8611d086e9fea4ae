package io.tidemark.dbt.run;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructType;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import java.time.LocalDateTime;

/**
 * What all parts of a run need.
 *
 * @param engine the engine
 * @param sql the project's SQL
 * @param settings the snapshot's options
 * @param snapshot the snapshot's name
 * @param name name of its table
 * @param table where its table is
 * @param runTime the run's time, in UTC
 * @param prefix start of the names of all relations of the run
 */
record RunContext(
        Engine engine,
        ProjectSql sql,
        SnapshotSettings settings,
        String snapshot,
        TableName name,
        DeltaTable table,
        LocalDateTime runTime,
        String prefix) {
    Dialect dialect() {
        return engine.dialect();
    }

    /** A quoted name. */
    String quoted(String identifier) {
        return dialect().name(identifier);
    }

    /** The number that a query gives. */
    long number(String query) {
        long[] number = {0};
        engine.stream("SELECT CAST((" + query + ") AS " + dialect().type(ScalarType.LONG) + ") AS n", row -> {
            number[0] = (Long) row.get(0);
            return true;
        });
        return number[0];
    }

    /** Whether a run of a snapshot made a version of the table, so that its rows are as runs leave them. */
    boolean isOwn(Snapshot version) {
        return table.commitInfo(version.version())
                .flatMap(info -> info.operation())
                .filter(SnapshotCommit.OPERATION::equals)
                .isPresent();
    }

    /** The columns of a relation. */
    StructType describe(String relation) {
        try {
            return engine.describe("SELECT * FROM " + quoted(relation));
        } catch (TidemarkException e) {
            throw e.at(settings.location());
        }
    }
}
