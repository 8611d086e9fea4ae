package io.tidemark.spark.engine.scan;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.FileScan.ColumnMapping;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownFilters;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;

/** Learns which columns and rows a query needs. */
final class FilesScanBuilder implements SupportsPushDownRequiredColumns, SupportsPushDownFilters {
    private final SparkSession session;
    private final FileScan scan;
    private final Set<String> inFiles;
    private StructType required;
    private Filter[] pushed = new Filter[0];

    FilesScanBuilder(SparkSession session, FileScan scan, StructType schema) {
        this.session = session;
        this.scan = scan;
        this.required = schema;
        this.inFiles = inFiles(scan);
    }

    /** Columns that files hold under the names by which queries know them. */
    private static Set<String> inFiles(FileScan scan) {
        if (scan.columnMapping() != ColumnMapping.NONE) {
            return Set.of();
        }
        Set<String> partitions = folded(scan.partitionColumns().stream());
        Set<String> names = folded(scan.schema().names().stream());
        names.removeAll(partitions);
        return names;
    }

    private static Set<String> folded(Stream<String> names) {
        return names.map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
    }

    @Override
    public void pruneColumns(StructType requiredSchema) {
        required = requiredSchema;
    }

    /** Row groups are skipped by the filters; as these do not look at single rows, Spark applies all of them again. */
    @Override
    public Filter[] pushFilters(Filter[] filters) {
        List<Filter> known = new ArrayList<>();
        for (Filter filter : filters) {
            boolean plain = Stream.of(filter.references())
                    .allMatch(name -> inFiles.contains(name.replace("`", "").toLowerCase(Locale.ROOT)));
            if (plain && filter.references().length > 0) {
                known.add(filter);
            }
        }
        pushed = known.toArray(new Filter[0]);
        return filters;
    }

    @Override
    public Filter[] pushedFilters() {
        return pushed.clone();
    }

    @Override
    public Scan build() {
        return new FilesScan(session, scan, required, pushed);
    }
}
