package io.tidemark.delta.feed;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.SchemaJson;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The schema under which all rows of a range are read: that of its end. Rows of older versions fit if columns were only
 * added or widened since; a column that was renamed or dropped would silently lose its values.
 */
final class FeedSchema {
    private static final String PHYSICAL_NAME = "delta.columnMapping.physicalName";

    /** Types whose values other types hold, as Delta's type widening has them. */
    private static final Map<ScalarType, Set<ScalarType>> WIDER = Map.of(
            ScalarType.BYTE, Set.of(ScalarType.SHORT, ScalarType.INTEGER, ScalarType.LONG, ScalarType.DOUBLE),
            ScalarType.SHORT, Set.of(ScalarType.INTEGER, ScalarType.LONG, ScalarType.DOUBLE),
            ScalarType.INTEGER, Set.of(ScalarType.LONG, ScalarType.DOUBLE),
            ScalarType.FLOAT, Set.of(ScalarType.DOUBLE),
            ScalarType.DATE, Set.of(ScalarType.TIMESTAMP_NTZ));

    /** Digits before the point that values of whole numbers need as decimals. */
    private static final Map<ScalarType, Integer> DIGITS =
            Map.of(ScalarType.BYTE, 10, ScalarType.SHORT, 10, ScalarType.INTEGER, 10, ScalarType.LONG, 20);

    private final String table;
    private final StructType end;
    private final List<String> partitionColumns;
    private final long endVersion;

    FeedSchema(String table, Metadata end, long endVersion) {
        this.table = table;
        this.end = SchemaJson.parse(end.schemaString());
        this.partitionColumns = end.partitionColumns();
        this.endVersion = endVersion;
    }

    /**
     * Checks that rows of a version can be read under the schema of the end.
     *
     * @throws TidemarkException {@code CHANGE_SCHEMA_CHANGED}
     */
    void check(Metadata metadata, long version) {
        if (!metadata.partitionColumns().equals(partitionColumns)) {
            throw changed(version, "The table was partitioned by " + metadata.partitionColumns() + ".");
        }
        misfit(SchemaJson.parse(metadata.schemaString()), end, "").ifPresent(detail -> {
            throw changed(version, detail);
        });
    }

    private TidemarkException changed(long version, String detail) {
        return TidemarkException.of(
                        ErrorCode.CHANGE_SCHEMA_CHANGED,
                        "changes of version " + version + " of table " + table
                                + " cannot be read with the schema of version " + endVersion)
                .detail(detail)
                .hint("read the versions before and after the change of the schema apart")
                .build();
    }

    private static Optional<String> misfit(StructType old, StructType now, String parent) {
        for (StructField field : old.fields()) {
            String name = parent + field.name();
            Optional<StructField> same = now.field(field.name());
            if (same.isEmpty()) {
                return Optional.of("Column " + name + " was dropped or renamed since.");
            }
            if (!physicalName(field).equals(physicalName(same.get()))) {
                return Optional.of("Column " + name + " is another one now.");
            }
            Optional<String> inner = misfit(field.type(), same.get().type(), name);
            if (inner.isPresent()) {
                return inner;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> misfit(DataType old, DataType now, String name) {
        if (old.equals(now)) {
            return Optional.empty();
        }
        if (old instanceof StructType from && now instanceof StructType to) {
            return misfit(from, to, name + ".");
        }
        if (old instanceof ArrayType from && now instanceof ArrayType to) {
            return misfit(from.element(), to.element(), name + ".element");
        }
        if (old instanceof MapType from && now instanceof MapType to) {
            Optional<String> key = misfit(from.key(), to.key(), name + ".key");
            return key.isPresent() ? key : misfit(from.value(), to.value(), name + ".value");
        }
        return isWidened(old, now)
                ? Optional.empty()
                : Optional.of("Column " + name + " was " + old.sql() + " and is " + now.sql() + ".");
    }

    private static boolean isWidened(DataType old, DataType now) {
        if (now instanceof DecimalType to) {
            int digits = to.precision() - to.scale();
            return old instanceof DecimalType from
                    ? to.scale() >= from.scale() && digits >= from.precision() - from.scale()
                    : old instanceof ScalarType scalar && DIGITS.getOrDefault(scalar, Integer.MAX_VALUE) <= digits;
        }
        return old instanceof ScalarType from
                && now instanceof ScalarType to
                && WIDER.getOrDefault(from, Set.of()).contains(to);
    }

    private static String physicalName(StructField field) {
        return field.metadata().getOrDefault(PHYSICAL_NAME, field.name()).toString();
    }
}
