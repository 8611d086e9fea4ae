package io.tidemark.spark.engine.input;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.files.SourceFile;
import io.tidemark.spark.engine.value.SparkTypes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.catalyst.analysis.TypeCoercion;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFooterReader;
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter;

/** The columns of Parquet files. */
final class ParquetColumns {
    private ParquetColumns() {}

    /**
     * The columns of each file, from its footer.
     *
     * @throws TidemarkException {@code FILE_UNREADABLE} or {@code IO_FAILED}
     */
    static List<StructType> read(SparkSession session, List<SourceFile> files) {
        Configuration hadoop = session.sessionState().newHadoopConf();
        ParquetToSparkSchemaConverter converter =
                new ParquetToSparkSchemaConverter(session.sessionState().conf());
        List<StructType> columns = new ArrayList<>();
        for (SourceFile file : files) {
            MessageType footer = footer(file, hadoop);
            try {
                columns.add(SparkTypes.schema(converter.convert(footer)));
            } catch (TidemarkException e) {
                throw e;
            } catch (Exception e) {
                // Spark's exceptions are checked ones that it does not declare.
                throw unreadable(file, e);
            }
        }
        return columns;
    }

    private static MessageType footer(SourceFile file, Configuration hadoop) {
        Path path = new Path(java.nio.file.Path.of(file.path()).toUri());
        try {
            return ParquetFooterReader.readFooter(
                            HadoopInputFile.fromPath(path, hadoop), ParquetMetadataConverter.SKIP_ROW_GROUPS)
                    .getFileMetaData()
                    .getSchema();
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "file " + file.path() + " cannot be read")
                    .detail(String.valueOf(e.getMessage()))
                    .cause(e)
                    .build();
        } catch (RuntimeException e) {
            throw unreadable(file, e);
        }
    }

    private static TidemarkException unreadable(SourceFile file, Exception failure) {
        return TidemarkException.of(ErrorCode.FILE_UNREADABLE, "file " + file.path() + " is no readable Parquet file")
                .detail(String.valueOf(failure.getMessage()))
                .hint("the file is damaged, was not written to its end, or has another format")
                .cause(failure)
                .build();
    }

    /** All columns by name, in the order in which they first stand; types that differ become the one that holds both. */
    static StructType united(List<StructType> files) {
        Map<String, StructField> fields = new LinkedHashMap<>();
        for (StructType file : files.stream().distinct().toList()) {
            for (StructField field : file.fields()) {
                fields.merge(
                        field.name().toLowerCase(Locale.ROOT),
                        StructField.of(field.name(), field.type()),
                        (a, b) -> StructField.of(a.name(), wider(a.type(), b.type())));
            }
        }
        return new StructType(List.copyOf(fields.values()));
    }

    private static DataType wider(DataType a, DataType b) {
        if (a.equals(b)) {
            return a;
        }
        if (a instanceof StructType left && b instanceof StructType right) {
            return united(List.of(left, right));
        }
        if (a instanceof ArrayType left && b instanceof ArrayType right) {
            return new ArrayType(wider(left.element(), right.element()), true);
        }
        if (a instanceof MapType left && b instanceof MapType right) {
            return new MapType(wider(left.key(), right.key()), wider(left.value(), right.value()), true);
        }
        var wider = TypeCoercion.findWiderTypeForTwo(SparkTypes.spark(a), SparkTypes.spark(b));
        if (wider.isEmpty()) {
            return ScalarType.STRING;
        }
        return SparkTypes.schema(new org.apache.spark.sql.types.StructType().add("wider", wider.get()))
                .fields()
                .get(0)
                .type();
    }
}
