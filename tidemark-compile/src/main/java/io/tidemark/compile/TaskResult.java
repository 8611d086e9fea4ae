package io.tidemark.compile;

import io.tidemark.compile.state.StateTable;
import java.util.List;

/**
 * What a task has computed, and nobody has published yet.
 *
 * @param candidates relation with the columns of {@link io.tidemark.compile.catalog.Candidates}
 * @param state how the state goes on
 * @param subjects input partitions that were affected
 * @param compileIn calls of the front end
 * @param compileOut calls of the back end
 */
record TaskResult(String candidates, List<StateStep> state, long subjects, long compileIn, long compileOut) {
    /**
     * How a relation of the state goes on.
     *
     * @param table the relation
     * @param touched relation with the owners that were touched
     * @param old relation with the rows that the touched owners had, or their owner's columns at least
     * @param fresh relation with all rows of the touched owners
     */
    record StateStep(StateTable table, String touched, String old, String fresh) {
        /** How a relation goes on of which nobody has read the old rows yet. */
        static StateStep of(StateTable table, String touched, String fresh) {
            String owner = String.join(", ", table.shape().ownerColumns());
            return new StateStep(table, touched, table.rowsOf(touched, owner), fresh);
        }

        /** A relation with all rows after the run. */
        String next() {
            return table.next(touched, fresh);
        }
    }
}
