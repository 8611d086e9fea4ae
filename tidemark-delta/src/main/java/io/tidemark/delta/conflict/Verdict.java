package io.tidemark.delta.conflict;

/** Whether a commit may follow one that it did not see. */
public sealed interface Verdict {
    /**
     * It may not.
     *
     * @param conflict why
     */
    record Refused(Conflict conflict) implements Verdict {}

    /**
     * It may.
     *
     * @param attempt the attempt as it has to be made on top of the commit that came first: the same effect on the same
     *     rows, wherever these are now
     */
    record Passed(Attempt attempt) implements Verdict {}
}
