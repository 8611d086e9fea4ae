package io.tidemark.core.type;

/** Types without parameters. */
public enum ScalarType implements DataType {
    BOOLEAN("BOOLEAN", "boolean"),
    BYTE("TINYINT", "byte"),
    SHORT("SMALLINT", "short"),
    INTEGER("INT", "integer"),
    LONG("BIGINT", "long"),
    FLOAT("FLOAT", "float"),
    DOUBLE("DOUBLE", "double"),
    STRING("STRING", "string"),
    BINARY("BINARY", "binary"),
    DATE("DATE", "date"),
    /** An instant with microseconds. */
    TIMESTAMP("TIMESTAMP", "timestamp"),
    /** A local date and time with microseconds, without zone. */
    TIMESTAMP_NTZ("TIMESTAMP_NTZ", "timestamp_ntz"),
    VARIANT("VARIANT", "variant"),
    /** The type of a bare NULL; no column of a table has it. */
    VOID("VOID", "void");

    private final String sql;
    private final String deltaName;

    ScalarType(String sql, String deltaName) {
        this.sql = sql;
        this.deltaName = deltaName;
    }

    @Override
    public String sql() {
        return sql;
    }

    @Override
    public Kind kind() {
        return Kind.SCALAR;
    }

    /** The name in a Delta log's schema string. */
    public String deltaName() {
        return deltaName;
    }
}
