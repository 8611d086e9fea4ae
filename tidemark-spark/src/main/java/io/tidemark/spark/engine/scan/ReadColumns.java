package io.tidemark.spark.engine.scan;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.FileScan.ColumnMapping;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.spark.engine.value.SparkTypes;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructType;

/**
 * Where the columns of a scan's rows come from.
 *
 * @param sources per column of the rows, where it comes from
 * @param inFiles what is read of the files, under the names that it has there; parts of structs that no query needs are
 *     left out
 * @param positionIndex index in {@code inFiles} of the rows' positions; -1 if they are not read
 */
record ReadColumns(List<Source> sources, StructType inFiles, int positionIndex) implements Serializable {
    /** Spark's Parquet reader fills a column of this name with the rows' positions. */
    private static final String POSITION = "_tmp_metadata_row_index";

    private static final String PHYSICAL_NAME = "delta.columnMapping.physicalName";
    private static final String MAPPING_ID = "delta.columnMapping.id";
    private static final String PARQUET_ID = "parquet.field.id";

    /** Kinds of columns. */
    enum Kind {
        FILE_COLUMN,
        PARTITION_VALUE,
        FILE_INDEX,
        POSITION,
        NULL
    }

    /**
     * Where a column comes from.
     *
     * @param kind the kind
     * @param index index in {@code inFiles}, or among the partition columns
     * @param type its type
     */
    record Source(Kind kind, int index, org.apache.spark.sql.types.DataType type) implements Serializable {}

    static ReadColumns of(FileScan scan, StructType required) {
        List<Source> sources = new ArrayList<>();
        StructType inFiles = new StructType();
        int position = -1;
        for (org.apache.spark.sql.types.StructField wanted : required.fields()) {
            String name = wanted.name();
            int partition = partitionIndex(scan, name);
            if (scan.fileColumn().filter(name::equals).isPresent()) {
                sources.add(new Source(Kind.FILE_INDEX, 0, wanted.dataType()));
            } else if (scan.positionColumn().filter(name::equals).isPresent()) {
                position = inFiles.length();
                inFiles = inFiles.add(POSITION, DataTypes.LongType, true);
                sources.add(new Source(Kind.POSITION, position, wanted.dataType()));
            } else if (partition >= 0) {
                sources.add(new Source(Kind.PARTITION_VALUE, partition, wanted.dataType()));
            } else {
                StructField field = scan.schema().field(name).orElseThrow();
                if (field.type() == ScalarType.VOID) {
                    sources.add(new Source(Kind.NULL, 0, wanted.dataType()));
                    continue;
                }
                sources.add(new Source(Kind.FILE_COLUMN, inFiles.length(), wanted.dataType()));
                inFiles = inFiles.add(physical(field, wanted.dataType(), scan.columnMapping()));
            }
        }
        return new ReadColumns(List.copyOf(sources), inFiles, position);
    }

    /** The same columns, with the positions of the rows read in any case. */
    ReadColumns withPositions() {
        return positionIndex >= 0
                ? this
                : new ReadColumns(sources, inFiles.add(POSITION, DataTypes.LongType, true), inFiles.length());
    }

    private static int partitionIndex(FileScan scan, String name) {
        for (int i = 0; i < scan.partitionColumns().size(); i++) {
            if (scan.partitionColumns().get(i).equalsIgnoreCase(name)) {
                return i;
            }
        }
        return -1;
    }

    /** The name of a field in the files. */
    static String physicalName(StructField field, ColumnMapping mapping) {
        Object physical =
                mapping == ColumnMapping.NONE ? null : field.metadata().get(PHYSICAL_NAME);
        return physical == null ? field.name() : physical.toString();
    }

    /** A field as the files have it, of which a query needs the given type's parts. */
    private static org.apache.spark.sql.types.StructField physical(
            StructField field, org.apache.spark.sql.types.DataType wanted, ColumnMapping mapping) {
        Metadata metadata = Metadata.empty();
        if (mapping == ColumnMapping.ID) {
            if (!(field.metadata().get(MAPPING_ID) instanceof Number id)) {
                throw TidemarkException.of(
                                ErrorCode.TABLE_SCHEMA_INVALID, "column " + field.name() + " has no field id")
                        .detail("The table maps columns by id, but the field's metadata lack " + MAPPING_ID + ".")
                        .build();
            }
            metadata = new MetadataBuilder().putLong(PARQUET_ID, id.longValue()).build();
        }
        return new org.apache.spark.sql.types.StructField(
                physicalName(field, mapping), physical(field.type(), wanted, mapping), true, metadata);
    }

    private static org.apache.spark.sql.types.DataType physical(
            DataType type, org.apache.spark.sql.types.DataType wanted, ColumnMapping mapping) {
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> SparkTypes.spark(type);
            case STRUCT -> {
                StructType fields = new StructType();
                for (org.apache.spark.sql.types.StructField part : ((StructType) wanted).fields()) {
                    StructField field = ((io.tidemark.core.type.StructType) type)
                            .field(part.name())
                            .orElseThrow();
                    fields = fields.add(physical(field, part.dataType(), mapping));
                }
                yield fields;
            }
            case ARRAY ->
                DataTypes.createArrayType(
                        physical(
                                ((io.tidemark.core.type.ArrayType) type).element(),
                                ((ArrayType) wanted).elementType(),
                                mapping),
                        true);
            case MAP -> {
                io.tidemark.core.type.MapType map = (io.tidemark.core.type.MapType) type;
                yield DataTypes.createMapType(
                        physical(map.key(), ((MapType) wanted).keyType(), mapping),
                        physical(map.value(), ((MapType) wanted).valueType(), mapping),
                        true);
            }
        };
    }
}
