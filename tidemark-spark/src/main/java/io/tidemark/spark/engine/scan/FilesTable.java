package io.tidemark.spark.engine.scan;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.type.StructField;
import io.tidemark.spark.engine.value.SparkTypes;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Option;

/**
 * The data files of a table's version as a table of Spark. Rows come in the order of the files and of their positions, and
 * partitions of the result too, so that a numbering of the rows follows that order.
 */
public final class FilesTable implements SupportsRead {
    private final SparkSession session;
    private final String name;
    private final FileScan scan;
    private final StructType schema;

    private FilesTable(SparkSession session, String name, FileScan scan) {
        this.session = session;
        this.name = name;
        this.scan = scan;
        this.schema = schema(scan);
    }

    /** Files as a table of that name. */
    public static FilesTable of(SparkSession session, String name, FileScan scan) {
        return new FilesTable(session, name, scan);
    }

    /** The rows of files. Nothing is read before a query needs it. */
    public static Dataset<Row> rows(SparkSession session, FileScan scan) {
        FilesTable table = of(session, scan.files().size() + " data files", scan);
        DataSourceV2Relation relation = DataSourceV2Relation.create(
                table, Option.empty(), Option.empty(), CaseInsensitiveStringMap.empty(), Option.empty());
        return org.apache.spark.sql.classic.Dataset.ofRows(session, relation);
    }

    private static StructType schema(FileScan scan) {
        StructType schema = new StructType();
        for (StructField field : scan.schema().fields()) {
            schema = schema.add(field.name(), SparkTypes.spark(field.type()), true);
        }
        if (scan.fileColumn().isPresent()) {
            schema = schema.add(scan.fileColumn().get(), DataTypes.LongType, true);
        }
        if (scan.positionColumn().isPresent()) {
            schema = schema.add(scan.positionColumn().get(), DataTypes.LongType, true);
        }
        return schema;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Column[] columns() {
        Column[] columns = new Column[schema.fields().length];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = Column.create(schema.fields()[i].name(), schema.fields()[i].dataType(), true);
        }
        return columns;
    }

    @Override
    public Set<TableCapability> capabilities() {
        return Set.of(TableCapability.BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        return new FilesScanBuilder(session, scan, schema);
    }
}
