package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.warehouse.Warehouse;
import io.tidemark.tests.spark.TestEngines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A session as a user has it: texts go in, messages and rows come out. */
final class Shell implements AutoCloseable {
    private final Engine engine;
    private final Warehouse warehouse;
    private final Path folder;
    private final Session session;
    private final List<String> messages = new ArrayList<>();

    Shell(Path folder) {
        this.folder = folder;
        this.engine = TestEngines.open(folder.resolve("temporary"));
        this.warehouse =
                Warehouse.at(new LocalStorage(), folder.resolve("warehouse").toString());
        this.session = new Session(warehouse, engine, folder);
    }

    private Shell(Shell other) {
        this.engine = other.engine;
        this.warehouse = other.warehouse;
        this.folder = other.folder;
        this.session = new Session(warehouse, engine, folder);
    }

    Session session() {
        return session;
    }

    /** Another session on the same tables. */
    Shell another() {
        return new Shell(this);
    }

    Engine engine() {
        return engine;
    }

    /** Runs statements; rows come back as texts with values separated by bars. */
    List<String> run(String text) {
        messages.clear();
        List<String> rows = new ArrayList<>();
        session.execute(new SourceText("s.sql", text), result -> {
            if (result instanceof StatementResult.Rows found) {
                found.rows().forEach(values -> {
                    rows.add(String.join(
                            "|", values.stream().map(String::valueOf).toList()));
                    return true;
                });
            } else if (result instanceof StatementResult.Done done) {
                messages.add(done.message());
            }
        });
        return rows;
    }

    /** Runs statements and returns what they said. */
    List<String> say(String text) {
        run(text);
        return List.copyOf(messages);
    }

    /** All rows of a table as sorted texts. */
    List<String> rows(String table) {
        return run("SELECT * FROM " + table).stream().sorted().toList();
    }

    /** Runs statements of which one fails. */
    TidemarkException fault(String text) {
        TidemarkException fault = catchThrowableOfType(TidemarkException.class, () -> run(text));
        assertThat(fault).as(text).isNotNull();
        return fault;
    }

    DeltaTable table(String name) {
        return warehouse.table(TableName.of(name));
    }

    long version(String name) {
        return table(name).latestVersion();
    }

    @Override
    public void close() {
        engine.close();
    }
}
