package io.tidemark.sql.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.parse.SessionParser;
import io.tidemark.sql.parse.SessionStatement;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.warehouse.RelationSource;
import io.tidemark.sql.warehouse.Relations;
import io.tidemark.sql.warehouse.Warehouse;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.function.Consumer;

/** Executes statements over a warehouse. Used by one thread; the engine stays the caller's. */
public final class Session {
    private final Warehouse warehouse;
    private final Engine engine;
    private final Path baseFolder;
    private final Settings settings = new Settings();

    /** A session whose relative paths begin at the working directory. */
    public Session(Warehouse warehouse, Engine engine) {
        this(warehouse, engine, Path.of(""));
    }

    /**
     * A session.
     *
     * @param baseFolder where relative paths of {@code read_files} begin
     */
    public Session(Warehouse warehouse, Engine engine, Path baseFolder) {
        this.warehouse = warehouse;
        this.engine = engine;
        this.baseFolder = baseFolder;
    }

    /**
     * Executes the statements of a text in order and stops at the first error; what was done before it stays done.
     *
     * @param source the text
     * @param results receives the result of each statement; rows must be consumed before it returns
     * @throws TidemarkException with the place and source line of the fault
     */
    public void execute(SourceText source, Consumer<StatementResult> results) {
        Iterator<SessionStatement> statements = SessionParser.parse(source).iterator();
        while (statements.hasNext()) {
            SessionStatement statement = statements.next();
            try {
                execute(statement, results);
            } catch (TidemarkException fault) {
                throw source.explain(fault.at(statement.location()));
            }
        }
    }

    /** Executes one parsed statement. */
    public void execute(SessionStatement statement, Consumer<StatementResult> results) {
        int attempt = 1;
        while (!finish(statement, attempt, results)) {
            attempt++;
        }
    }

    /** Every attempt reads the tables anew; false if another writer came first and trying again helps. */
    private boolean finish(SessionStatement statement, int attempt, Consumer<StatementResult> results) {
        try (Relations relations = new Relations(warehouse, engine, RelationSource.NONE, baseFolder)) {
            results.accept(statement.handle(new StatementRunner(warehouse, engine, relations, settings)));
            return true;
        } catch (LostRace race) {
            if (attempt >= LostRace.ATTEMPTS_MAX) {
                throw race.conflict();
            }
            return false;
        }
    }
}
