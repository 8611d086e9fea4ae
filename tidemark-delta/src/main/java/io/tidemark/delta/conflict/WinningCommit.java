package io.tidemark.delta.conflict;

import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.RemoveFile;
import java.util.List;
import java.util.stream.Stream;

/**
 * A commit that took a version number which another one wanted.
 *
 * @param version its version
 * @param actions its actions
 */
public record WinningCommit(long version, List<Action> actions) {
    /** Copies the actions. */
    public WinningCommit {
        actions = List.copyOf(actions);
    }

    /** The name of its operation. */
    public String operation() {
        return all(CommitInfo.class).findFirst().flatMap(CommitInfo::operation).orElse("an unnamed operation");
    }

    /** Whether its writer says that it only added files without having read any, and the actions do not belie it. */
    public boolean isBlindAppend() {
        boolean declared = all(CommitInfo.class)
                .findFirst()
                .flatMap(CommitInfo::isBlindAppend)
                .orElse(false);
        return declared && all(RemoveFile.class).findAny().isEmpty();
    }

    /** Its added files. */
    public Stream<AddFile> adds() {
        return all(AddFile.class);
    }

    /** Its removed files. */
    public Stream<RemoveFile> removes() {
        return all(RemoveFile.class);
    }

    /** Its actions of a kind. */
    public <A extends Action> Stream<A> all(Class<A> kind) {
        return actions.stream().filter(kind::isInstance).map(kind::cast);
    }
}
