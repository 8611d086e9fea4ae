package io.tidemark.core.flow;

/** How a change flow stores history ({@code STORED AS}). */
public enum ScdType {
    /** Only the latest version of each key. */
    SCD1("SCD TYPE 1"),
    /** All versions of each key along the sequence. */
    SCD2("SCD TYPE 2"),
    /** All versions along business time, as believed along system time. */
    BITEMPORAL("BITEMPORAL");

    private final String sql;

    ScdType(String sql) {
        this.sql = sql;
    }

    /** The spelling behind {@code STORED AS}. */
    public String sql() {
        return sql;
    }
}
