package io.tidemark.dbt.run;

import io.tidemark.core.error.TextLocation;
import java.util.List;

/** SQL as a project's adapter spells it, for the engine. */
public interface ProjectSql {
    /**
     * Engine SQL of a query of the project.
     *
     * @param sql the query, whose relations are known to the implementation
     * @param location where it stands, for errors
     * @throws io.tidemark.core.error.TidemarkException {@code QUERY_INVALID} and others
     */
    String query(String sql, TextLocation location);

    /**
     * Engine SQL of a relation's columns and further ones.
     *
     * @param relation a relation of the engine, of any name
     * @param expressions expressions of the project over its columns
     * @param names a name for each of them
     * @param location where they stand, for errors
     */
    String with(String relation, List<String> expressions, List<String> names, TextLocation location);

    /** Engine SQL of an expression without columns. */
    String constant(String expression, TextLocation location);
}
