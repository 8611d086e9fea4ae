package io.tidemark.sql.session;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.skipping.FileCondition;
import io.tidemark.delta.skipping.FileCondition.Operator;
import io.tidemark.sql.parse.SessionStatement.Merge;
import io.tidemark.sql.query.ConditionReader;
import io.tidemark.sql.query.KeyPairs;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which rows of the target can belong to a source row at all: those whose keys lie between the least and the greatest
 * key of the source.
 */
final class MergeKeys {
    private static final Set<DataType> NUMBERS =
            Set.of(ScalarType.BYTE, ScalarType.SHORT, ScalarType.INTEGER, ScalarType.LONG);

    private final StatementContext context;
    private final Merge statement;
    private final StructType target;
    private final StructType source;

    MergeKeys(StatementContext context, Merge statement, StructType target, StructType source) {
        this.context = context;
        this.statement = statement;
        this.target = target;
        this.source = source;
    }

    FileCondition condition() {
        QueryText on = statement.on();
        String qualifier = statement.target().qualifier();
        List<FileCondition> conditions = new ArrayList<>();
        conditions.add(ConditionReader.readQualified(on, target, qualifier));
        List<KeyPairs.Pair> pairs =
                KeyPairs.of(
                                on,
                                target,
                                qualifier,
                                source,
                                statement.sourceAlias().orElse(""))
                        .stream()
                        .filter(pair ->
                                comparable(pair.target().type(), pair.source().type()))
                        .toList();
        if (!pairs.isEmpty()) {
            conditions.addAll(ranges(pairs));
        }
        return new FileCondition.And(conditions);
    }

    private List<FileCondition> ranges(List<KeyPairs.Pair> pairs) {
        List<String> bounds = new ArrayList<>();
        for (KeyPairs.Pair pair : pairs) {
            String column = context.name(pair.source().name());
            bounds.add("min(" + column + ")");
            bounds.add("max(" + column + ")");
        }
        List<FileCondition> ranges = new ArrayList<>();
        String columns = String.join(", ", bounds);
        context.engine().stream("SELECT " + columns + " FROM " + context.name(MergeRows.SOURCE), row -> {
            for (int i = 0; i < pairs.size(); i++) {
                StructField field = pairs.get(i).target();
                Optional<Object> low = value(row.get(2 * i));
                Optional<Object> high = value(row.get(2 * i + 1));
                if (low.isEmpty() || high.isEmpty()) {
                    // no key at all, and NULL belongs to nothing
                    ranges.add(new FileCondition.Or(List.of()));
                } else {
                    ranges.add(new FileCondition.Comparison(field.name(), Operator.GREATER_OR_EQUAL, low.get()));
                    ranges.add(new FileCondition.Comparison(field.name(), Operator.LESS_OR_EQUAL, high.get()));
                }
            }
            return false;
        });
        return ranges;
    }

    /** Whether the engine compares values of the types as they are. */
    private static boolean comparable(DataType left, DataType right) {
        if (NUMBERS.contains(left) || left instanceof DecimalType) {
            return NUMBERS.contains(right) || right.equals(left);
        }
        Set<DataType> plain =
                Set.of(ScalarType.STRING, ScalarType.DATE, ScalarType.TIMESTAMP, ScalarType.TIMESTAMP_NTZ);
        return plain.contains(left) && left.equals(right);
    }

    private static Optional<Object> value(@Nullable Object value) {
        if (value instanceof BigDecimal) {
            return Optional.of(value);
        }
        return value instanceof Number number
                ? Optional.of(BigDecimal.valueOf(number.longValue()))
                : Optional.ofNullable(value);
    }
}
