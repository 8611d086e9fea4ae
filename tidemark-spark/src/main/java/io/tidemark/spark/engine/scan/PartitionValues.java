package io.tidemark.spark.engine.scan;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.FileScan.DataFile;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.spark.engine.value.SparkTypes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import scala.Option;

/** Values of partition columns as Spark holds them. */
final class PartitionValues {
    private final FileScan scan;
    private final List<StructField> fields = new ArrayList<>();

    PartitionValues(FileScan scan) {
        this.scan = scan;
        for (String column : scan.partitionColumns()) {
            fields.add(scan.schema()
                    .field(column)
                    .orElseThrow(() -> TidemarkException.of(
                                    ErrorCode.TABLE_SCHEMA_INVALID, "partition column " + column + " is no column")
                            .build()));
        }
    }

    /** The values of a file, in the order of the scan's partition columns. */
    InternalRow of(DataFile file) {
        @Nullable Object[] values = new Object[fields.size()];
        for (int i = 0; i < values.length; i++) {
            StructField field = fields.get(i);
            values[i] = file.partitionValues()
                    .getOrDefault(ReadColumns.physicalName(field, scan.columnMapping()), Optional.empty())
                    .filter(text -> !text.isEmpty())
                    .map(text -> value(text, field, file))
                    .orElse(null);
        }
        return new GenericInternalRow(values);
    }

    private static Object value(String text, StructField field, DataFile file) {
        if (field.type() == ScalarType.BINARY) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        UTF8String bytes = UTF8String.fromString(text);
        if (field.type() == ScalarType.STRING) {
            return bytes;
        }
        Object value = new Cast(
                        Literal.create(bytes, DataTypes.StringType),
                        SparkTypes.spark(field.type()),
                        Option.apply("UTC"))
                .eval(InternalRow.empty());
        if (value == null) {
            throw TidemarkException.of(
                            ErrorCode.LOG_CORRUPT,
                            "the log gives column " + field.name() + " of file " + file.location() + " the value "
                                    + text + ", which is no " + field.type().sql())
                    .build();
        }
        return value;
    }
}
