package org.apache.iceberg.spark.source;

/**
 * Stands in for a class of Iceberg's runtime for Spark 4.1 that does not link with Spark 4.2, where views of catalogs are
 * a class and no interface. The benchmark has no views; the catalog only wants to find the name.
 */
public class SparkView extends org.apache.spark.sql.connector.catalog.View {
    /** Never called. */
    public SparkView(String catalog, org.apache.iceberg.view.View view) {
        super(null);
        throw new UnsupportedOperationException("there are no views in " + catalog + ": " + view);
    }
}
