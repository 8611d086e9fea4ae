package io.tidemark.sql.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.warehouse.Warehouse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A session on a real folder with the embedded engine, and short forms for tests. */
final class TestSession implements AutoCloseable {
    private final DuckDbEngine engine;
    private final Warehouse warehouse;
    private final Session session;

    TestSession(Path folder) {
        this.engine = DuckDbEngine.open(
                DuckDbSettings.defaults(folder.resolve("temporary")).withThreads(1));
        this.warehouse =
                Warehouse.at(new LocalStorage(), folder.resolve("warehouse").toString());
        this.session = new Session(warehouse, engine, folder);
    }

    Warehouse warehouse() {
        return warehouse;
    }

    DeltaTable table(String name) {
        return warehouse.table(TableName.of(name));
    }

    /** Runs statements and returns the messages and rows of all of them, one line each. */
    List<String> run(String text) {
        List<String> lines = new ArrayList<>();
        session.execute(new SourceText("s.sql", text), result -> {
            if (result instanceof StatementResult.Done done) {
                lines.add(done.message());
            } else if (result instanceof StatementResult.Rows rows) {
                rows.rows().forEach(row -> {
                    lines.add(line(row));
                    return true;
                });
            }
        });
        return lines;
    }

    /** Names and types of the first result. */
    String schema(String text) {
        List<String> schemas = new ArrayList<>();
        session.execute(
                new SourceText("s.sql", text),
                result -> schemas.add(((StatementResult.Rows) result).schema().sql()));
        return schemas.get(0);
    }

    TidemarkException fault(String text) {
        TidemarkException fault = catchThrowableOfType(TidemarkException.class, () -> run(text));
        assertThat(fault).as(text).isNotNull();
        return fault;
    }

    @Override
    public void close() {
        engine.close();
    }

    private static String line(List<? extends @Nullable Object> row) {
        return row.stream().map(String::valueOf).collect(Collectors.joining("|"));
    }
}
