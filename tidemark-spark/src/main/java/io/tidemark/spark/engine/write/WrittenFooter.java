package io.tidemark.spark.engine.write;

import io.tidemark.core.engine.WrittenFile.ColumnStatistics;
import io.tidemark.core.type.StructType;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.util.HadoopInputFile;

/**
 * What the log must know of a written file, as the task that wrote it tells the driver.
 *
 * @param name path of the file in the written folder
 * @param sizeBytes size
 * @param rows rows
 * @param statistics per leaf column
 */
record WrittenFooter(String name, long sizeBytes, long rows, List<ColumnStatistics> statistics)
        implements Serializable {
    /**
     * Looks into a closed file.
     *
     * @param columns its columns
     * @param statisticsColumnsMax how many leading leaf columns get statistics
     */
    static WrittenFooter read(
            Path file, String name, StructType columns, int statisticsColumnsMax, Configuration hadoop)
            throws IOException {
        HadoopInputFile input = HadoopInputFile.fromPath(file, hadoop);
        try (ParquetFileReader reader = ParquetFileReader.open(input)) {
            List<BlockMetaData> groups = reader.getRowGroups();
            return new WrittenFooter(
                    name,
                    input.getLength(),
                    groups.stream().mapToLong(BlockMetaData::getRowCount).sum(),
                    FooterStatistics.read(columns, statisticsColumnsMax, groups));
        }
    }
}
