package io.tidemark.dbt.run;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import java.util.List;

/** A project's SQL that is the engine's own and runs as it is written. */
public final class EngineSql implements ProjectSql {
    private final Engine engine;

    /** SQL of an engine. */
    public EngineSql(Engine engine) {
        this.engine = engine;
    }

    @Override
    public String query(String sql, TextLocation location) {
        String text = withoutEnd(sql);
        check(text, location);
        return text;
    }

    @Override
    public String with(String relation, List<String> expressions, List<String> names, TextLocation location) {
        StringBuilder sql = new StringBuilder("SELECT r.*");
        for (int i = 0; i < names.size(); i++) {
            sql.append(", (")
                    .append(expressions.get(i))
                    .append(") AS ")
                    .append(engine.dialect().name(names.get(i)));
        }
        sql.append(" FROM ").append(engine.dialect().relation(relation)).append(" AS r");
        check(sql.toString(), location);
        return sql.toString();
    }

    @Override
    public String constant(String expression, TextLocation location) {
        check("SELECT (" + expression + ") AS v", location);
        return expression;
    }

    private void check(String sql, TextLocation location) {
        try {
            engine.describe(sql);
        } catch (TidemarkException e) {
            throw ProjectQueries.asUserError(e, location);
        }
    }

    /** Inside of another query there is no semicolon, and a comment at the end must not hide what follows. */
    private static String withoutEnd(String sql) {
        String text = sql.strip();
        while (text.endsWith(";")) {
            text = text.substring(0, text.length() - 1).strip();
        }
        return text + "\n";
    }
}
