package io.tidemark.spark.engine.scan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.util.HadoopInputFile;

/** Finds the row groups of a file in which there are wanted rows. */
final class RowGroups {
    private RowGroups() {}

    /** The row groups of a part of a file that hold rows which the part keeps, the last one first. */
    static List<FileSlice> needed(FileSlice file, Configuration hadoop) throws IOException {
        Positions kept = file.kept();
        List<FileSlice> needed = new ArrayList<>();
        if (kept == null) {
            return List.of(file);
        }
        HadoopInputFile input = HadoopInputFile.fromPath(new Path(file.location()), hadoop);
        try (ParquetFileReader reader = ParquetFileReader.open(input)) {
            long first = 0;
            for (BlockMetaData group : reader.getRowGroups()) {
                long middle = group.getStartingPos() + group.getCompressedSize() / 2;
                boolean isOfPart = middle >= file.start() && middle < file.start() + file.length();
                if (isOfPart && kept.meets(first, first + group.getRowCount())) {
                    needed.add(0, file.part(group.getStartingPos(), group.getCompressedSize(), true));
                }
                first += group.getRowCount();
            }
        }
        return needed;
    }
}
