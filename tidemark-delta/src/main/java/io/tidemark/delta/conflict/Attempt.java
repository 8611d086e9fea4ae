package io.tidemark.delta.conflict;

import io.tidemark.delta.log.Action;
import java.util.List;

/**
 * A commit that lost its version number and would like the next one.
 *
 * @param level the isolation level that it keeps
 * @param reads what it depends on
 * @param actions what it would write, without the commit's information
 */
public record Attempt(IsolationLevel level, ReadSet reads, List<Action> actions) {
    /** Copies the actions. */
    public Attempt {
        actions = List.copyOf(actions);
    }
}
