package io.tidemark.app;

import io.tidemark.sql.warehouse.Warehouse;
import picocli.CommandLine.Option;

/** Options of commands on a warehouse: where its tables are, and what the engine may use. */
final class EngineOptions extends EngineLimits {
    @Option(
            names = "--warehouse",
            paramLabel = "DIR",
            defaultValue = "warehouse",
            description = "Folder of the tables: DIR/<schema>/<table>; a local folder, s3://bucket/folder or"
                    + " hdfs://host/folder (default: ${DEFAULT-VALUE}).")
    private String warehouse = "warehouse";

    /** The warehouse. */
    Warehouse openWarehouse() {
        return Warehouse.at(storage(warehouse), warehouse);
    }

    /** Whether the warehouse's folder exists. */
    boolean warehouseExists() {
        Warehouse open = openWarehouse();
        return open.storage().isFolder(open.root());
    }
}
