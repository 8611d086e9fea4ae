package io.tidemark.core.snapshot;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import java.util.ArrayList;
import java.util.List;

/**
 * What stands for the values of a row when it is compared with another row of the same key and the same types: two
 * numbers of 64 bits, so that few bytes go through a join. Equal values give equal numbers. The two numbers share as
 * little as they can: the second takes the values in the other order, texts with a letter before them, which moves each
 * of their blocks, and tells in bits which values are NULL. Numbers and times of up to 64 bits cannot collide by
 * themselves. Other values, such as structs and lists, are compared as they are.
 */
public final class RowHash {
    private static final int LONG_DECIMAL_DIGITS = 18;
    private static final int BITS = 62;
    private static final String MOVES_BLOCKS = "x";

    private final Dialect dialect;

    /** Hashes in the spelling of an engine. */
    public RowHash(Dialect dialect) {
        this.dialect = dialect;
    }

    /**
     * What is compared in place of values.
     *
     * @param values engine SQL, in {@link Dialect#comparable} form
     * @param types their types, in the same order
     */
    public List<String> of(List<String> values, List<DataType> types) {
        List<String> hashed = new ArrayList<>();
        List<String> second = new ArrayList<>();
        List<String> kept = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            String value = values.get(i);
            if (!isHashed(types.get(i))) {
                kept.add(value);
                continue;
            }
            hashed.add(value);
            second.add(0, types.get(i) == ScalarType.STRING ? dialect.string(MOVES_BLOCKS) + " || " + value : value);
        }
        if (hashed.isEmpty()) {
            return kept;
        }
        for (int from = 0; from < hashed.size(); from += BITS) {
            second.add(nulls(hashed.subList(from, Math.min(hashed.size(), from + BITS))));
        }
        List<String> compared = new ArrayList<>(List.of(dialect.hash(hashed), dialect.hash(second)));
        compared.addAll(kept);
        return compared;
    }

    private static boolean isHashed(DataType type) {
        if (type instanceof DecimalType decimal) {
            return decimal.precision() <= LONG_DECIMAL_DIGITS;
        }
        return type instanceof ScalarType scalar
                && switch (scalar) {
                    case BINARY, VARIANT, VOID -> false;
                    default -> true;
                };
    }

    private String nulls(List<String> values) {
        List<String> bits = new ArrayList<>();
        String type = dialect.type(ScalarType.LONG);
        for (int i = 0; i < values.size(); i++) {
            bits.add("CASE WHEN " + values.get(i) + " IS NULL THEN CAST(" + (1L << i) + " AS " + type
                    + ") ELSE CAST(0 AS " + type + ") END");
        }
        return String.join(" + ", bits);
    }
}
