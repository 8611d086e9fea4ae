package io.tidemark.sql.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.sql.grammar.Words;
import io.tidemark.sql.parse.SessionStatement.Insert;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds for each column of a table the column of the query that an INSERT puts there. */
final class ColumnMatching {
    private final Insert statement;
    private final StructType table;

    ColumnMatching(Insert statement, StructType table) {
        this.statement = statement;
        this.table = table;
    }

    /** For each column of the table the number of its source, null for none. */
    List<@Nullable Integer> match(List<StructField> source) {
        List<String> names = targets(source);
        if (names.size() != source.size()) {
            throw fault(
                    ErrorCode.SCHEMA_MISMATCH,
                    statement.query().location(),
                    "the rows have " + source.size() + " columns, expected " + names.size() + ": "
                            + String.join(", ", names),
                    "name the columns: INSERT INTO t (a, b) ..., the others become NULL");
        }
        List<@Nullable Integer> sources = new ArrayList<>();
        for (StructField field : table.fields()) {
            List<Integer> found = IntStream.range(0, names.size())
                    .filter(i -> names.get(i).equalsIgnoreCase(field.name()))
                    .boxed()
                    .toList();
            if (found.size() > 1) {
                throw fault(
                        ErrorCode.DUPLICATE_NAME,
                        statement.query().location(),
                        "the rows have two columns called " + field.name(),
                        "give each column its own name");
            }
            sources.add(found.isEmpty() ? null : found.get(0));
        }
        return sources;
    }

    /** The names of the table's columns to which the query's columns go, in order. */
    private List<String> targets(List<StructField> source) {
        if (statement.byName()) {
            source.forEach(field -> known(field.name(), statement.query().location()));
            return source.stream().map(StructField::name).toList();
        }
        if (statement.columns().isEmpty()) {
            return table.names();
        }
        statement.columns().forEach(column -> known(column.name(), column.location()));
        return statement.columns().stream().map(ColumnReference::name).toList();
    }

    private void known(String name, TextLocation place) {
        if (!table.has(name)) {
            String hint = Words.nearest(name, table.names())
                    .map(near -> "did you mean " + near + "?")
                    .orElse("the table has " + String.join(", ", table.names()));
            throw fault(
                    ErrorCode.UNKNOWN_COLUMN,
                    place,
                    "the table " + statement.target() + " has no column " + name,
                    hint);
        }
    }

    private static TidemarkException fault(ErrorCode code, TextLocation place, String primary, String hint) {
        return TidemarkException.of(code, primary).at(place).hint(hint).build();
    }
}
