package io.tidemark.core.change;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.KeyedReducer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.List;
import java.util.Optional;

/**
 * One update of one change flow as steps for an engine. Per touched key: existing rows, remembered events and new
 * events are folded to the rows that the definition in {@code docs/spec/auto-cdc.md} asks for, and compared with the
 * existing ones. The outcome is three relations: rows to add, positions to delete, and what must be remembered.
 *
 * @param steps what the engine runs, in order
 * @param inserted name of the relation of rows to add, with the target's columns
 * @param deleted name of the relation of rows to delete, with columns {@code file} and {@code pos}
 * @param state name of the relation of records to remember, with the columns of {@link ChangeSpec#stateSchema}
 * @param upserted engine SQL with one column: how many rows are added
 * @param vanished engine SQL with one column: how many deleted rows have no added row of the same identity
 */
public record ChangePlan(
        List<Step> steps, String inserted, String deleted, String state, String upserted, String vanished) {
    private static final int SAMPLE_ROWS_MAX = 5;

    /** Copies the steps. */
    public ChangePlan {
        steps = List.copyOf(steps);
    }

    /** Compiles the plan of one update. */
    public static ChangePlan compile(ChangeSpec spec, Dialect dialect, PlanInputs inputs) {
        PlanContext context = new PlanContext(spec, dialect, inputs);
        return FirstLoad.fits(context) ? new FirstLoad(context).plan() : folded(context);
    }

    /** The plan that folds all events. */
    static ChangePlan folded(PlanContext context) {
        return switch (context.spec.storedAs()) {
            case SCD1 ->
                context.spec.isPartial() ? new TypeOnePartialPlan(context).plan() : new TypeOnePlan(context).plan();
            case SCD2 -> new TypeTwoPlan(context).plan();
            case BITEMPORAL ->
                context.spec.isPartial()
                        ? new BitemporalPartialPlan(context).plan()
                        : new BitemporalPlan(context).plan();
        };
    }

    /**
     * Runs the steps on an engine; the outcome's relations are registered with it afterwards.
     *
     * @throws TidemarkException {@code TARGET_ROWS_INVALID} if the target's rows contradict each other
     */
    public void execute(Engine engine) {
        for (Step step : steps) {
            step.run(engine);
        }
    }

    /** Forgets all relations that {@link #execute} made. */
    public void drop(Engine engine) {
        engine.drop(steps.stream().flatMap(step -> step.relation().stream()).toList());
    }

    /** One thing that an engine does. */
    public sealed interface Step {
        /** Does it. */
        void run(Engine engine);

        /** The relation that it makes, if it makes one. */
        Optional<String> relation();

        /** The engine SQL, for people who want to read the plan. */
        String sql();
    }

    /** Runs SQL once and keeps the rows. */
    record Materialize(String name, String sql, Optional<String> ordinal) implements Step {
        @Override
        public void run(Engine engine) {
            engine.materialize(name, sql, ordinal);
        }

        @Override
        public Optional<String> relation() {
            return Optional.of(name);
        }
    }

    /**
     * Keeps the rows of SQL that has none unless another relation has some: engines begin to read large files before they
     * notice that a join has an empty side.
     */
    record MaterializeIfAny(String name, String sql, String relied, String nothing) implements Step {
        @Override
        public void run(Engine engine) {
            boolean any =
                    !engine.rows("SELECT 1 AS n FROM " + relied + " LIMIT 1").isEmpty();
            engine.materialize(name, any ? sql : nothing, Optional.empty());
        }

        @Override
        public Optional<String> relation() {
            return Optional.of(name);
        }
    }

    /** Names SQL that is evaluated where it is used. */
    record View(String name, String sql) implements Step {
        @Override
        public void run(Engine engine) {
            engine.createView(name, sql);
        }

        @Override
        public Optional<String> relation() {
            return Optional.of(name);
        }
    }

    /** Fails if SQL has rows. */
    record Check(String sql, ErrorCode code, String primary, String hint) implements Step {
        @Override
        public void run(Engine engine) {
            List<String> rows = engine.rows("SELECT * FROM (" + sql + ") AS faults LIMIT " + SAMPLE_ROWS_MAX).stream()
                    .map(Object::toString)
                    .toList();
            if (!rows.isEmpty()) {
                throw TidemarkException.of(code, primary)
                        .detail("For example:\n" + String.join("\n", rows))
                        .hint(hint)
                        .build();
            }
        }

        @Override
        public Optional<String> relation() {
            return Optional.empty();
        }
    }

    /** Streams sorted numbers through a reducer. */
    record Reduce(String name, String sql, List<String> columns, KeyedReducer.Factory reducers) implements Step {
        @Override
        public void run(Engine engine) {
            engine.reduce(sql, name, columns, reducers);
        }

        @Override
        public Optional<String> relation() {
            return Optional.of(name);
        }
    }
}
