package io.tidemark.compile.work;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The relations that one run makes on an engine; all are forgotten at its end. Used by one thread. */
public final class Relations implements AutoCloseable {
    /** Runs may share an engine, one after the other or one within the other. */
    private static final AtomicLong RUNS = new AtomicLong();

    private final Engine engine;
    private final String prefix;
    private final List<String> names = new ArrayList<>();
    private int count;

    /** No relations yet. */
    public Relations(Engine engine) {
        this.engine = engine;
        this.prefix = "compile_" + RUNS.incrementAndGet() + "_";
    }

    /** The engine. */
    public Engine engine() {
        return engine;
    }

    /** A name that no relation has yet. */
    public String fresh(String label) {
        return prefix + count++ + "_" + label;
    }

    /** How engine SQL spells a relation of that name. */
    public String reference(String name) {
        return engine.dialect().relation(name);
    }

    /** Takes a relation over that was registered under a {@link #fresh} name; returns its spelling. */
    public String adopt(String name) {
        return adopt(name, List.of(name));
    }

    /** Takes a relation over that is more than one relation of the engine. */
    public String adopt(String name, List<String> all) {
        names.addAll(all);
        return reference(name);
    }

    /** Makes a view and returns its spelling in engine SQL. */
    public String view(String label, String sql) {
        String name = fresh(label);
        engine.createView(name, sql);
        return adopt(name);
    }

    /** Makes a relation of the rows that a query has now, and returns its spelling in engine SQL. */
    public String table(String label, String sql) {
        String name = fresh(label);
        engine.materialize(name, sql, Optional.empty());
        return adopt(name);
    }

    /** A view without rows. */
    public String empty(String label, StructType columns) {
        return view(label, engine.dialect().emptySelect(columns));
    }

    /** The number of rows of a relation or of engine SQL in parentheses. */
    public long count(String relation) {
        Object count = value("SELECT count(*) AS n FROM " + relation + " c");
        return count instanceof Number number ? number.longValue() : 0;
    }

    /** The first value of the first row of few; null if there is no row. */
    public @Nullable Object value(String sql) {
        List<List<@Nullable Object>> rows = engine.rows(sql);
        return rows.isEmpty() ? null : rows.get(0).get(0);
    }

    /** A small result of texts: the first column of at most so many rows. */
    public List<String> texts(String sql, int rowsMax) {
        return engine.rows("SELECT * FROM (" + sql + ") t LIMIT " + rowsMax).stream()
                .map(row -> String.valueOf(row.get(0)))
                .toList();
    }

    @Override
    public void close() {
        engine.drop(names);
        names.clear();
    }
}
