package io.tidemark.spark;

import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.spark.engine.SparkEngine;
import io.tidemark.spark.session.CatalogSettings;
import io.tidemark.sql.warehouse.Warehouse;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a warehouse for queries of Spark, at their latest version, {@code VERSION AS OF n} or {@code TIMESTAMP AS
 * OF t}. Statements that change tables are executed by {@link TidemarkExtensions}.
 */
public final class TidemarkCatalog implements TableCatalog, SupportsNamespaces {
    private String name = "";
    private @Nullable Warehouse warehouse;

    /** Called by Spark. */
    public TidemarkCatalog() {}

    @Override
    public void initialize(String catalogName, CaseInsensitiveStringMap options) {
        this.name = catalogName;
        this.warehouse = CatalogSettings.warehouse(catalogName, options.get("warehouse"));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String[] defaultNamespace() {
        return new String[] {TableName.DEFAULT_SCHEMA};
    }

    private Warehouse warehouse() {
        Warehouse known = warehouse;
        if (known == null) {
            throw new IllegalStateException("the catalog was not initialized");
        }
        return known;
    }

    private DeltaTable table(Identifier identifier) throws NoSuchTableException {
        if (identifier.namespace().length != 1) {
            throw new NoSuchTableException(identifier);
        }
        DeltaTable table = warehouse().table(new TableName(identifier.namespace()[0], identifier.name()));
        if (!table.exists()) {
            throw new NoSuchTableException(identifier);
        }
        return table;
    }

    private static Table rows(Identifier identifier, Snapshot snapshot) {
        return SparkEngine.table(SparkSession.active(), identifier.toString(), EngineFiles.scan(snapshot));
    }

    @Override
    public Table loadTable(Identifier identifier) throws NoSuchTableException {
        Optional<Snapshot> latest = table(identifier).latest();
        return rows(identifier, latest.orElseThrow(() -> new NoSuchTableException(identifier)));
    }

    @Override
    public Table loadTable(Identifier identifier, String version) throws NoSuchTableException {
        return rows(identifier, table(identifier).at(Long.parseLong(version)));
    }

    @Override
    public Table loadTable(Identifier identifier, long timestampMicros) throws NoSuchTableException {
        Instant time = Instant.EPOCH.plus(timestampMicros, ChronoUnit.MICROS);
        return rows(identifier, table(identifier).asOf(time));
    }

    @Override
    public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
        if (!namespaceExists(namespace)) {
            throw new NoSuchNamespaceException(namespace);
        }
        return warehouse().tables(namespace[0]).stream()
                .map(table -> Identifier.of(namespace, table.name()))
                .toArray(Identifier[]::new);
    }

    @Override
    public String[][] listNamespaces() {
        return warehouse().schemas().stream()
                .map(schema -> new String[] {schema})
                .toArray(String[][]::new);
    }

    @Override
    public String[][] listNamespaces(String[] namespace) {
        return namespace.length == 0 ? listNamespaces() : new String[0][];
    }

    @Override
    public boolean namespaceExists(String[] namespace) {
        return namespace.length == 1
                && (namespace[0].equalsIgnoreCase(TableName.DEFAULT_SCHEMA)
                        || warehouse().schemas().stream().anyMatch(namespace[0]::equalsIgnoreCase));
    }

    @Override
    public Map<String, String> loadNamespaceMetadata(String[] namespace) throws NoSuchNamespaceException {
        if (!namespaceExists(namespace)) {
            throw new NoSuchNamespaceException(namespace);
        }
        return Map.of();
    }

    private UnsupportedOperationException refused(String what) {
        return new UnsupportedOperationException("the catalog " + name + " does not " + what
                + ": set spark.sql.extensions to io.tidemark.spark.TidemarkExtensions and name the table with the"
                + " catalog, so that Tidemark executes the statement");
    }

    @Override
    public Table alterTable(Identifier identifier, TableChange... changes) {
        throw refused("change tables");
    }

    @Override
    public boolean dropTable(Identifier identifier) {
        throw refused("drop tables");
    }

    @Override
    public void renameTable(Identifier from, Identifier to) {
        throw refused("rename tables");
    }

    @Override
    public void createNamespace(String[] namespace, Map<String, String> metadata) {
        throw refused("make schemas, which appear with their first table");
    }

    @Override
    public void alterNamespace(String[] namespace, NamespaceChange... changes) {
        throw refused("change schemas");
    }

    @Override
    public boolean dropNamespace(String[] namespace, boolean cascade) {
        throw refused("drop schemas " + Arrays.toString(namespace));
    }
}
