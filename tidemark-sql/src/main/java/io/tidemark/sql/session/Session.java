package io.tidemark.sql.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.Reruns;
import io.tidemark.sql.parse.SessionParser;
import io.tidemark.sql.parse.SessionStatement;
import io.tidemark.sql.parse.SourceText;
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
    private Runnable beforeCommit = () -> {};

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
     * Calls back in each statement that changes a table, when it has read and written all it needs and before it tries
     * to commit; so a test can let another writer come first.
     */
    public Session beforeCommit(Runnable action) {
        this.beforeCommit = action;
        return this;
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

    /** Sets how often a statement is run again that lost to another writer. */
    public Session reruns(Reruns.Limits limits) {
        settings.set(Settings.ATTEMPTS, Integer.toString(limits.attempts()));
        settings.set(Settings.MAX_WAIT, Long.toString(limits.maxWaitMillis()));
        return this;
    }

    /** Executes one parsed statement. */
    public void execute(SessionStatement statement, Consumer<StatementResult> results) {
        Reruns reruns = Reruns.within(settings.reruns());
        while (!finish(statement, reruns, results)) {
            // every run reads the tables anew
        }
    }

    /** False if another writer came first and running again helps. */
    private boolean finish(SessionStatement statement, Reruns reruns, Consumer<StatementResult> results) {
        OwnRelations own = new OwnRelations();
        try (Relations relations = new Relations(warehouse, engine, own, baseFolder)) {
            StatementContext context = new StatementContext(warehouse, engine, relations, own, beforeCommit);
            results.accept(statement.handle(new StatementRunner(context, settings)));
            return true;
        } catch (LostRace race) {
            if (!reruns.again()) {
                throw race.conflict();
            }
            return false;
        }
    }
}
