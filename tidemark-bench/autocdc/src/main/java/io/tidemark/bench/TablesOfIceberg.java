package io.tidemark.bench;

import java.util.Map;
import java.util.Set;
import org.apache.iceberg.spark.SparkCatalog;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.NonEmptyNamespaceException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.CatalogV2Util;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableCatalogCapability;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.TableInfo;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The tables of an Iceberg catalog for Spark 4.2, which refuses catalogs that hold tables and views at once, as Iceberg's
 * runtime for Spark 4.1 does. The pairing is nobody's product: figures that were measured with it must say so.
 */
public class TablesOfIceberg implements TableCatalog, SupportsNamespaces {
    private final SparkCatalog catalog = new SparkCatalog();

    /** A table whose columns are told as Spark 4.2 wants them: the method that Iceberg calls has got a parameter. */
    private static final class ToldColumns extends SparkTable {
        ToldColumns(org.apache.iceberg.Table table) {
            super(table);
        }

        @Override
        public Column[] columns() {
            return CatalogV2Util.structTypeToV2Columns(schema(), false);
        }
    }

    private static Table told(Table table) {
        return table instanceof SparkTable own && !(table instanceof ToldColumns)
                ? new ToldColumns(own.table())
                : table;
    }

    @Override
    public void initialize(String name, CaseInsensitiveStringMap options) {
        catalog.initialize(name, options);
    }

    @Override
    public String name() {
        return catalog.name();
    }

    @Override
    public Set<TableCatalogCapability> capabilities() {
        return catalog.capabilities();
    }

    @Override
    public Identifier[] listTables(String[] namespace) {
        return catalog.listTables(namespace);
    }

    @Override
    public Table loadTable(Identifier name) throws NoSuchTableException {
        return told(catalog.loadTable(name));
    }

    @Override
    public Table createTable(Identifier name, TableInfo info)
            throws TableAlreadyExistsException, NoSuchNamespaceException {
        return told(catalog.createTable(name, info));
    }

    @Override
    public Table createTable(
            Identifier name, Column[] columns, Transform[] partitions, Map<String, String> properties)
            throws TableAlreadyExistsException, NoSuchNamespaceException {
        return told(catalog.createTable(
                name, CatalogV2Util.v2ColumnsToStructType(columns), partitions, properties));
    }

    @Override
    public Table alterTable(Identifier name, TableChange... changes) throws NoSuchTableException {
        return told(catalog.alterTable(name, changes));
    }

    @Override
    public boolean dropTable(Identifier name) {
        return catalog.dropTable(name);
    }

    @Override
    public void renameTable(Identifier from, Identifier to)
            throws NoSuchTableException, TableAlreadyExistsException {
        catalog.renameTable(from, to);
    }

    @Override
    public String[][] listNamespaces() {
        return catalog.listNamespaces();
    }

    @Override
    public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
        return catalog.listNamespaces(namespace);
    }

    @Override
    public Map<String, String> loadNamespaceMetadata(String[] namespace) throws NoSuchNamespaceException {
        return catalog.loadNamespaceMetadata(namespace);
    }

    @Override
    public void createNamespace(String[] namespace, Map<String, String> metadata)
            throws NamespaceAlreadyExistsException {
        catalog.createNamespace(namespace, metadata);
    }

    @Override
    public void alterNamespace(String[] namespace, NamespaceChange... changes) throws NoSuchNamespaceException {
        catalog.alterNamespace(namespace, changes);
    }

    @Override
    public boolean dropNamespace(String[] namespace, boolean cascade)
            throws NoSuchNamespaceException, NonEmptyNamespaceException {
        return catalog.dropNamespace(namespace, cascade);
    }
}
