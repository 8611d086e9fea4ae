package io.tidemark.delta.conflict;

import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.RemoveFile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A commit that took a version number which another one wanted. */
public final class WinningCommit {
    private final long version;
    private final List<Action> actions;
    private final Map<String, AddFile> adds = new LinkedHashMap<>();
    private final Map<String, RemoveFile> removes = new LinkedHashMap<>();

    /**
     * A commit.
     *
     * @param version its version
     * @param actions its actions
     */
    public WinningCommit(long version, List<Action> actions) {
        this.version = version;
        this.actions = Collections.unmodifiableList(new ArrayList<>(actions));
        for (Action action : actions) {
            if (action instanceof AddFile add) {
                adds.put(add.path(), add);
            } else if (action instanceof RemoveFile remove) {
                removes.put(remove.path(), remove);
            }
        }
    }

    /** Its version. */
    public long version() {
        return version;
    }

    /** Its actions. */
    public List<Action> actions() {
        return actions;
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
        return declared && removes.isEmpty();
    }

    /** The files that were not there before. */
    Stream<AddFile> newFiles() {
        return adds.values().stream().filter(add -> !removes.containsKey(add.path()));
    }

    /** Its removed files; those that it adds again with another deletion vector are among them. */
    Stream<RemoveFile> removes() {
        return removes.values().stream();
    }

    /** The new state of a file that it removes and adds again. */
    Optional<AddFile> addedAgain(RemoveFile remove) {
        return Optional.ofNullable(adds.get(remove.path()));
    }

    /** The deletion vectors of its removed files. */
    Map<String, Optional<DeletionVectorDescriptor>> removedVectors() {
        Map<String, Optional<DeletionVectorDescriptor>> vectors = new LinkedHashMap<>();
        removes.forEach((path, remove) -> vectors.put(path, Optional.ofNullable(remove.deletionVector())));
        return vectors;
    }

    /** Its actions of a kind. */
    <A extends Action> Stream<A> all(Class<A> kind) {
        return actions.stream().filter(kind::isInstance).map(kind::cast);
    }
}
