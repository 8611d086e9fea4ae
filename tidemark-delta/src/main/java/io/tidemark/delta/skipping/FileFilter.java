package io.tidemark.delta.skipping;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.FileStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Says of a file whether rows of it may meet a condition. In doubt they may. */
public final class FileFilter implements Predicate<AddFile> {
    private static final String PHYSICAL_NAME = "delta.columnMapping.physicalName";

    private final StructType schema;
    private final Set<String> partitionColumns;
    private final boolean mapped;
    private final FileCondition condition;

    /**
     * A filter of a table's files.
     *
     * @param schema the table's schema with the metadata of its fields
     * @param partitionColumns names of its partition columns
     * @param mapped whether the log knows columns by the physical names of column mapping
     * @param condition which rows are looked for
     */
    public FileFilter(StructType schema, List<String> partitionColumns, boolean mapped, FileCondition condition) {
        this.schema = schema;
        this.partitionColumns = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        this.partitionColumns.addAll(partitionColumns);
        this.mapped = mapped;
        this.condition = condition;
    }

    /** The condition. */
    public FileCondition condition() {
        return condition;
    }

    @Override
    public boolean test(AddFile file) {
        return mayMatch(condition, file, FileStatistics.parse(file.stats()));
    }

    private boolean mayMatch(FileCondition part, AddFile file, FileStatistics statistics) {
        if (part instanceof FileCondition.And and) {
            return and.conditions().stream().allMatch(each -> mayMatch(each, file, statistics));
        }
        if (part instanceof FileCondition.Or or) {
            return or.conditions().stream().anyMatch(each -> mayMatch(each, file, statistics));
        }
        if (part instanceof FileCondition.NullTest test) {
            return column(test.column(), file, statistics)
                    .map(range -> test.isNull() ? range.mayBeNull() : range.mayBeValue())
                    .orElse(true);
        }
        if (part instanceof FileCondition.Comparison comparison) {
            return column(comparison.column(), file, statistics)
                    .map(range -> range.mayBeValue()
                            && Bounds.mayCompare(range.min(), range.max(), comparison.operator(), comparison.value()))
                    .orElse(true);
        }
        return true;
    }

    /** What is known of a column in a file. */
    private record Range(
            @Nullable Comparable<?> min, @Nullable Comparable<?> max, boolean mayBeNull, boolean mayBeValue) {}

    private Optional<Range> column(String name, AddFile file, FileStatistics statistics) {
        Optional<StructField> field = schema.field(name);
        return field.map(
                known -> partitionColumns.contains(known.name()) ? partition(known, file) : values(known, statistics));
    }

    private Range partition(StructField field, AddFile file) {
        String physical = physicalName(field);
        if (!file.partitionValues().containsKey(physical)) {
            return new Range(null, null, true, true);
        }
        String text = file.partitionValues().get(physical);
        if (text == null || text.isEmpty()) {
            return new Range(null, null, true, false);
        }
        Comparable<?> value = Bounds.partition(text, field.type());
        return new Range(value, value, false, true);
    }

    private Range values(StructField field, FileStatistics statistics) {
        String physical = physicalName(field);
        DataType type = field.type();
        OptionalLong nulls = statistics.nullCount(physical);
        OptionalLong records = statistics.numRecords();
        boolean mayBeNull = nulls.isEmpty() || nulls.getAsLong() > 0;
        boolean allNull = nulls.isPresent() && records.isPresent() && nulls.getAsLong() == records.getAsLong();
        return new Range(
                Bounds.minimum(statistics.min(physical).orElse(null), type),
                Bounds.maximum(statistics.max(physical).orElse(null), type),
                mayBeNull,
                !allNull);
    }

    private String physicalName(StructField field) {
        Object physical = mapped ? field.metadata().get(PHYSICAL_NAME) : null;
        return physical == null ? field.name() : physical.toString();
    }

    @Override
    public String toString() {
        return "files with rows of " + condition.toString().toLowerCase(Locale.ROOT);
    }
}
