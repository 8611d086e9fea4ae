package io.tidemark.dbt.source;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.sql.warehouse.Warehouse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Tables of the warehouse that a snapshot reads, each at one version. */
final class WarehouseTables {
    private final Engine engine;
    private final Warehouse warehouse;
    private final Map<String, String> versions = new LinkedHashMap<>();

    WarehouseTables(Engine engine, Warehouse warehouse) {
        this.engine = engine;
        this.warehouse = warehouse;
    }

    /**
     * Registers a table under a name of the engine.
     *
     * @return false if there is no such table
     */
    boolean register(String schema, String name, String relation) {
        Optional<Snapshot> latest = warehouse.table(new TableName(schema, name)).latest();
        if (latest.isEmpty()) {
            return false;
        }
        engine.registerFiles(relation, EngineFiles.scan(latest.get()));
        versions.put(
                schema + "." + name, latest.get().tableId() + "@" + latest.get().version());
        return true;
    }

    /** Versions of what was registered, by name. */
    Map<String, String> versions() {
        return versions;
    }
}
