package io.tidemark.sql.warehouse;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Gives the columns of a query the names that a view says. */
public final class ViewColumns {
    private ViewColumns() {}

    /**
     * The query of a view with the view's column names.
     *
     * @throws TidemarkException with {@link ErrorCode#SCHEMA_MISMATCH} if the numbers of columns differ
     */
    public static PreparedQuery rename(Engine engine, View view, PreparedQuery query) {
        List<String> names = view.columns();
        if (names.isEmpty()) {
            return query;
        }
        List<StructField> fields = query.schema().fields();
        if (fields.size() != names.size()) {
            throw TidemarkException.of(
                            ErrorCode.SCHEMA_MISMATCH,
                            "the view " + view.name() + " names " + names.size() + " columns, its query has "
                                    + fields.size())
                    .at(view.location())
                    .hint("name each column of the query")
                    .build();
        }
        List<StructField> renamed = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            renamed.add(fields.get(i).renamed(names.get(i)));
        }
        String list = names.stream().map(engine.dialect()::name).collect(Collectors.joining(", "));
        return new PreparedQuery(
                "SELECT * FROM (" + query.sql() + ") AS named (" + list + ")", new StructType(renamed));
    }
}
