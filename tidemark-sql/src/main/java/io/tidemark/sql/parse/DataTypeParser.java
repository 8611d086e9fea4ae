package io.tidemark.sql.parse;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ColumnDefinition;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.sql.grammar.StatementTrees;
import io.tidemark.sql.text.LocatedText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Reads types and column lists in the spelling of Spark SQL. */
public final class DataTypeParser {
    private DataTypeParser() {}

    /**
     * Reads one type, for example {@code DECIMAL(10,2)} or {@code STRUCT<a: INT, b: ARRAY<STRING>>}.
     *
     * @param text the type
     * @param location where it stands, for errors
     */
    public static DataType parse(String text, TextLocation location) {
        LocatedText located = new LocatedText(text, location);
        return asTypeError(
                located,
                () -> new TypeReader(located).read(StatementTrees.type(located).dataType()));
    }

    /**
     * Reads a column list without parentheses, for example {@code id BIGINT NOT NULL, name STRING COMMENT 'x'}.
     *
     * @param text the list
     * @param location where it stands, for errors
     */
    public static StructType parseSchema(String text, TextLocation location) {
        LocatedText located = new LocatedText(text, location);
        return asTypeError(located, () -> {
            List<TidemarkException> faults = new ArrayList<>();
            var elements = StatementTrees.schema(located).columnElements().tableElement();
            StructType schema = schemaOf(new ColumnListReader(located, faults).read(elements));
            if (!faults.isEmpty()) {
                throw faults.get(0);
            }
            return schema;
        });
    }

    /** Declared columns as a schema. */
    public static StructType schemaOf(List<ColumnDefinition> columns) {
        return new StructType(columns.stream()
                .map(column -> new StructField(
                        column.name(),
                        column.type(),
                        column.nullable(),
                        column.comment()
                                .map(comment -> Map.<String, Object>of("comment", comment))
                                .orElse(Map.of())))
                .toList());
    }

    private static <T> T asTypeError(LocatedText located, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (TidemarkException fault) {
            if (fault.code() != ErrorCode.SYNTAX_ERROR) {
                throw located.explain(fault);
            }
            TidemarkException.Builder error = TidemarkException.of(ErrorCode.INVALID_TYPE, fault.primary())
                    .cause(fault);
            fault.location().ifPresent(error::at);
            fault.hint().ifPresent(error::hint);
            throw located.explain(error.build());
        }
    }
}
