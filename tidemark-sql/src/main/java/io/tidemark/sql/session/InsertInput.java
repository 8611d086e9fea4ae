package io.tidemark.sql.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.StructField;
import io.tidemark.sql.text.Literals;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives the rows that an INSERT brings the types of the table. The conversions are written in Spark SQL, so they mean
 * the same on every engine.
 */
final class InsertInput {
    private static final int SAMPLE_ROWS_MAX = 3;

    private final Engine engine;
    private final String relation;
    private final TextLocation location;

    /**
     * Prepares the conversion.
     *
     * @param relation the rows, whose columns are called by {@link #column}
     * @param location the statement's place
     */
    InsertInput(Engine engine, String relation, TextLocation location) {
        this.engine = engine;
        this.relation = relation;
        this.location = location;
    }

    /** The name of a column by its number. */
    static String column(int number) {
        return "c" + number;
    }

    /** Engine SQL of rows with their columns numbered, as their names need not be distinct. */
    static String numbered(String sql, int columns) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
            names.add(column(i));
        }
        return "SELECT * FROM (" + sql + ") AS source (" + String.join(", ", names) + ")";
    }

    /**
     * Engine SQL of the rows with the table's columns.
     *
     * @param fields the table's columns
     * @param stored what goes into them
     * @param source the columns of the rows
     * @param more expressions in Spark SQL for further columns, with their names
     * @throws TidemarkException with {@link ErrorCode#QUERY_FAILED} if a value would be changed
     */
    String rows(List<StructField> fields, StoredValues stored, List<StructField> source, List<String> more) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            StructField field = fields.get(i);
            Integer number = stored.sources().get(i);
            DataType from = number == null ? field.type() : source.get(number).type();
            String value = number == null ? "NULL" : column(number);
            boolean asIs = number != null && TypeShapes.same(from, field.type());
            String typed = asIs ? value : cast(value, field.type());
            if (stored.assignments().get(i) == StoreAssignment.CHECKED) {
                checkLossless(value, typed, from, field);
            }
            values.add(typed + " AS " + Literals.quote(field.name()));
        }
        values.addAll(more);
        return prepared("SELECT " + String.join(", ", values));
    }

    private void checkLossless(String value, String typed, DataType from, StructField target) {
        List<String> samples = new ArrayList<>();
        String changed = "SELECT " + value;
        String condition = " WHERE NOT (" + cast(typed, from) + " <=> " + value + ")";
        engine.stream(prepared(changed, condition), row -> {
            samples.add(Texts.shown(row.get(0)));
            return samples.size() < SAMPLE_ROWS_MAX;
        });
        if (!samples.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.QUERY_FAILED,
                            "values do not fit column " + target.name() + " of type "
                                    + target.type().sql() + " without loss: " + String.join(", ", samples))
                    .hint("write a CAST or round() in the query if the loss is meant")
                    .build();
        }
    }

    private static String cast(String value, DataType type) {
        return "CAST(" + value + " AS " + TypeShapes.relaxed(type).sql() + ")";
    }

    private String prepared(String select) {
        return prepared(select, "");
    }

    private String prepared(String select, String condition) {
        QueryText query = new QueryText(select + " FROM " + Literals.quote(relation) + condition, location);
        return engine.prepare(query, (parts, place) -> relation).sql();
    }
}
