package io.tidemark.dbt.project;

import java.util.function.Supplier;

/** A relation as templates see it: it prints as SQL, and its parts can be asked for, as {@code this.schema}. */
public final class RelationName {
    private final String database;
    private final String schema;
    private final String identifier;
    private final Supplier<String> sql;

    /**
     * A relation.
     *
     * @param sql what stands for it in SQL
     */
    public RelationName(String database, String schema, String identifier, String sql) {
        this(database, schema, identifier, () -> sql);
    }

    /**
     * A relation that is made when it is printed.
     *
     * @param sql what stands for it in SQL
     */
    public RelationName(String database, String schema, String identifier, Supplier<String> sql) {
        this.database = database;
        this.schema = schema;
        this.identifier = identifier;
        this.sql = sql;
    }

    /** The database; templates ask for it by this name. */
    public String getDatabase() {
        return database;
    }

    /** The schema; templates ask for it by this name. */
    public String getSchema() {
        return schema;
    }

    /** The table's name; templates ask for it by this name. */
    public String getIdentifier() {
        return identifier;
    }

    /** The table's name; templates ask for it by this name. */
    public String getName() {
        return identifier;
    }

    /** The SQL. */
    @Override
    public String toString() {
        return sql.get();
    }
}
