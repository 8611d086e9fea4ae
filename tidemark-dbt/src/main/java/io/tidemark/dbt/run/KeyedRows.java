package io.tidemark.dbt.run;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.rows.TableRows;
import java.util.ArrayList;
import java.util.List;

/** Rows of some files of a table, in the types of its schema after the run, with their keys and times. */
final class KeyedRows implements AutoCloseable {
    private final Engine engine;
    private final TableRows rows;
    private final String typed;
    private final String keyed;

    KeyedRows(Engine engine, Snapshot snapshot, List<DataFile> files, StructType schema, String prefix) {
        this.engine = engine;
        this.rows = TableRows.register(engine, snapshot, files, schema, prefix + "rows");
        this.typed = prefix + "typed";
        this.keyed = prefix + "keyed";
        Dialect dialect = engine.dialect();
        List<String> columns = new ArrayList<>();
        for (StructField field : schema.fields()) {
            String name = dialect.name(field.name());
            boolean wider = snapshot.schema()
                    .field(field.name())
                    .filter(before -> !before.type().equals(field.type()))
                    .isPresent();
            columns.add(wider ? "CAST(" + name + " AS " + dialect.type(field.type()) + ") AS " + name : name);
        }
        columns.add(dialect.name(TableRows.FILE));
        columns.add(dialect.name(TableRows.ROW));
        engine.createView(typed, "SELECT " + String.join(", ", columns) + " FROM " + dialect.name(rows.relation()));
    }

    /** Adds expressions of the project under names, and gives the relation. */
    String with(ProjectSql sql, List<String> expressions, List<String> names, TextLocation location) {
        engine.createView(keyed, sql.with(typed, expressions, names, location));
        return keyed;
    }

    /** The relation of the rows without keys and times. */
    String typed() {
        return typed;
    }

    TableRows rows() {
        return rows;
    }

    @Override
    public void close() {
        engine.drop(keyed);
        engine.drop(typed);
        rows.drop();
    }
}
