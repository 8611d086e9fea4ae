package io.tidemark.pipeline.update;

import io.tidemark.core.change.Assignment;
import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.Faults;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Fits the columns of a query to those of a table. */
final class Projection {
    /** The hidden column with facts about the file that a row was read from. */
    private static final String FILE_METADATA = "_metadata";

    private Projection() {}

    /** The columns that a query gives a table: all but the hidden one, each with a name of its own and a type. */
    static StructType columns(PreparedQuery query, TextLocation location) {
        Faults faults = new Faults();
        List<StructField> fields = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (StructField field : query.schema().fields()) {
            if (field.name().equalsIgnoreCase(FILE_METADATA)) {
                continue;
            }
            if (!names.add(field.name().toLowerCase(Locale.ROOT))) {
                faults.add(TidemarkException.of(
                                ErrorCode.SCHEMA_MISMATCH, "the query gives column " + field.name() + " twice")
                        .at(location)
                        .hint("give each column a name of its own: … AS other_name")
                        .build());
                continue;
            }
            if (field.type() == ScalarType.VOID) {
                faults.add(TidemarkException.of(
                                ErrorCode.SCHEMA_MISMATCH, "column " + field.name() + " is always NULL and has no type")
                        .at(location)
                        .hint("give it one: CAST(NULL AS STRING) AS " + field.name())
                        .build());
            }
            fields.add(new StructField(field.name(), field.type(), true, field.metadata()));
        }
        faults.throwAny();
        return new StructType(fields);
    }

    /**
     * Engine SQL with exactly the columns of a table.
     *
     * @param query the query
     * @param target the table's columns
     * @param byName whether columns are matched by name; otherwise by position
     * @param table the table, for errors
     * @param location where the query stands
     */
    static String onto(
            PreparedQuery query,
            StructType target,
            boolean byName,
            TableName table,
            TextLocation location,
            Dialect dialect) {
        StructType given = columns(query, location);
        Faults faults = new Faults();
        List<String> columns = new ArrayList<>();
        if (!byName && given.fields().size() != target.fields().size()) {
            throw TidemarkException.of(
                            ErrorCode.SCHEMA_MISMATCH,
                            "the query gives " + given.fields().size() + " columns, table " + table + " has "
                                    + target.fields().size())
                    .at(location)
                    .hint("write INSERT INTO " + table + " BY NAME to match columns by name")
                    .build();
        }
        for (int i = 0; i < target.fields().size(); i++) {
            StructField field = target.fields().get(i);
            Optional<StructField> source = byName
                    ? given.field(field.name())
                    : Optional.of(given.fields().get(i));
            String value =
                    source.map(found -> "q." + dialect.name(found.name())).orElse("NULL");
            source.ifPresent(found -> faults.check(() -> checkType(found, field, table, location)));
            columns.add("CAST(" + value + " AS " + dialect.type(field.type()) + ") AS " + dialect.name(field.name()));
        }
        for (StructField field : given.fields()) {
            if (byName && !target.has(field.name())) {
                faults.add(TidemarkException.of(
                                ErrorCode.SCHEMA_MISMATCH,
                                "the query gives column " + field.name() + ", which table " + table + " does not have")
                        .at(location)
                        .detail("Columns of the table: " + String.join(", ", target.names()) + ".")
                        .hint("leave the column out, or declare it")
                        .build());
            }
        }
        faults.throwAny();
        return "SELECT " + String.join(", ", columns) + " FROM (" + query.sql() + ") AS q";
    }

    private static void checkType(StructField source, StructField target, TableName table, TextLocation location) {
        if (!Assignment.isAllowed(source.type(), target.type())) {
            throw TidemarkException.of(
                            ErrorCode.SCHEMA_MISMATCH,
                            "column " + source.name() + " of the query is "
                                    + source.type().sql() + ", but table " + table + " has "
                                    + target.type().sql())
                    .at(location)
                    .hint("cast it in the query: CAST(" + source.name() + " AS "
                            + target.type().sql() + ")")
                    .build();
        }
    }
}
