package io.tidemark.sql.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;

/** The column with facts about source files, which a star brings along and no table wants. */
final class HiddenColumns {
    private static final String FILE_METADATA = "_metadata";

    private HiddenColumns() {}

    /** The query without the column of that name; to store it, give it another name. */
    static PreparedQuery drop(Engine engine, PreparedQuery query) {
        if (!query.schema().has(FILE_METADATA)) {
            return query;
        }
        List<StructField> kept = new ArrayList<>();
        List<String> numbered = new ArrayList<>();
        List<String> columns = new ArrayList<>();
        for (StructField field : query.schema().fields()) {
            String column = "c" + numbered.size();
            numbered.add(column);
            if (!field.name().equalsIgnoreCase(FILE_METADATA)) {
                kept.add(field);
                columns.add(column + " AS " + engine.dialect().name(field.name()));
            }
        }
        String sql = "SELECT " + String.join(", ", columns) + " FROM (" + query.sql() + ") AS hidden ("
                + String.join(", ", numbered) + ")";
        return new PreparedQuery(sql, new StructType(kept));
    }
}
