package io.tidemark.delta;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What every Delta table's schema must keep. */
final class SchemaRules {
    private SchemaRules() {}

    static void check(StructType schema, List<String> partitionColumns, List<String> clusteringColumns) {
        if (schema.fields().isEmpty()) {
            throw invalid("a table needs at least one column");
        }
        checkNames(schema);
        TableFeatures.forEachField(schema, field -> {
            if (field.type() == ScalarType.VOID) {
                throw invalid("column " + field.name() + " has no type");
            }
            if (field.type() instanceof StructType struct) {
                checkNames(struct);
            }
        });
        for (String name : partitionColumns) {
            StructField field = exact(schema, name, "partition");
            if (field.type().kind() != DataType.Kind.SCALAR && field.type().kind() != DataType.Kind.DECIMAL) {
                throw invalid("partition column " + name + " cannot be of type "
                        + field.type().sql());
            }
            if (field.type() == ScalarType.BINARY || field.type() == ScalarType.VARIANT) {
                throw invalid("partition column " + name + " cannot be of type "
                        + field.type().sql());
            }
        }
        if (!partitionColumns.isEmpty()
                && partitionColumns.size() == schema.fields().size()) {
            throw invalid("a table cannot be partitioned by all of its columns");
        }
        clusteringColumns.forEach(name -> exact(schema, name, "clustering"));
        if (!partitionColumns.isEmpty() && !clusteringColumns.isEmpty()) {
            throw invalid("a table cannot be both partitioned and clustered");
        }
    }

    /** The columns of a change data feed would be told apart from the table's no longer. */
    static void checkFeedColumns(StructType schema) {
        for (StructField field : schema.fields()) {
            if (ChangeColumns.isReserved(field.name())) {
                throw TidemarkException.of(
                                ErrorCode.RESERVED_COLUMN,
                                "column " + field.name() + " cannot be part of a table with a change data feed")
                        .detail("The feed adds a column of that name.")
                        .hint("give the column another name or leave it out, or do not set delta.enableChangeDataFeed")
                        .build();
            }
        }
    }

    private static StructField exact(StructType schema, String name, String role) {
        return schema.fields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseThrow(() -> invalid("the " + role + " column " + name + " is not a column of the table"));
    }

    private static void checkNames(StructType struct) {
        Set<String> names = new HashSet<>();
        for (StructField field : struct.fields()) {
            if (field.name().isEmpty()) {
                throw invalid("a column has no name");
            }
            if (!names.add(field.name().toLowerCase(Locale.ROOT))) {
                throw invalid("two columns bear the name " + field.name());
            }
        }
    }

    private static TidemarkException invalid(String text) {
        return TidemarkException.of(ErrorCode.TABLE_SCHEMA_INVALID, text).build();
    }
}
