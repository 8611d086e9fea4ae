package io.tidemark.core.engine;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.Collection;

/**
 * Names of columns that are added to relations beside those of a user. A user's column of such a name would be taken for
 * the added one, and rows would be lost; so it is refused wherever such a column is added.
 */
public final class InternalColumns {
    private InternalColumns() {}

    /**
     * Checks that no column bears a name that is about to be added.
     *
     * @param columns names of the columns that are there
     * @param added the name of the column to add
     * @throws TidemarkException with {@link ErrorCode#RESERVED_COLUMN}
     */
    public static void checkFree(Collection<String> columns, String added) {
        for (String column : columns) {
            if (column.equalsIgnoreCase(added)) {
                throw TidemarkException.of(
                                ErrorCode.RESERVED_COLUMN,
                                "a column is called " + column + ", which Tidemark uses itself")
                        .detail("The statement needs a column of that name beside those of the table or query.")
                        .hint("give the column another name")
                        .build();
            }
        }
    }
}
