package io.tidemark.spark.engine.input;

import io.tidemark.files.FileRows;
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
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Option;

/** Source files of text as a table of Spark. */
final class TextFilesTable implements SupportsRead {
    private final SparkSession session;
    private final FileRows rows;

    private TextFilesTable(SparkSession session, FileRows rows) {
        this.session = session;
        this.rows = rows;
    }

    /** The rows of files. Nothing is read before a query needs it. */
    static Dataset<Row> rows(SparkSession session, FileRows rows) {
        DataSourceV2Relation relation = DataSourceV2Relation.create(
                new TextFilesTable(session, rows),
                Option.empty(),
                Option.empty(),
                CaseInsensitiveStringMap.empty(),
                Option.empty());
        return org.apache.spark.sql.classic.Dataset.ofRows(session, relation);
    }

    @Override
    public String name() {
        return rows.files().size() + " source files";
    }

    @Override
    public Column[] columns() {
        StructField[] fields =
                SparkTypes.spark(FileRows.withMetadata(rows.columns())).fields();
        Column[] columns = new Column[fields.length];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = Column.create(fields[i].name(), fields[i].dataType(), true);
        }
        return columns;
    }

    @Override
    public Set<TableCapability> capabilities() {
        return Set.of(TableCapability.BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        return new TextFilesScan(session, rows);
    }
}
