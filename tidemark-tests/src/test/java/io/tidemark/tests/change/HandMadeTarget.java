package io.tidemark.tests.change;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A target whose rows can be changed by hand. Conditions and values are texts of SQL. */
interface HandMadeTarget {
    /** Sets one column of the rows that meet a condition. */
    void update(String column, String value, String condition);

    /** Deletes the rows that meet a condition. */
    void delete(String condition);

    /** Inserts one row, a value for each column. */
    void insertRow(List<String> values);

    /** Is told of a row that would overlap another one, and need not try it. */
    default void overlapping(List<String> values) {}

    /** Reads the rows as lists of Java values in the order of the columns. */
    List<List<@Nullable Object>> rows();
}
