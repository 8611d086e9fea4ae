package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Engine;
import java.util.List;
import java.util.Map;

/**
 * The next version of a catalog in the making: it compares candidates with what is published, by key and checksum, and
 * makes one commit of what differs. Ends with {@link #commit} or {@link #abort}, once.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class Publication {
    Publication() {}

    /**
     * Sets the candidates.
     *
     * @param relation a relation of the engine with the columns {@link Candidates#COLUMNS}, each key at most once
     * @param layers the layers that are published and how; candidates of other layers are an error
     */
    public Publication candidates(String relation, Map<String, PublishMode> layers) {
        throw new UnsupportedOperationException();
    }

    /** Sets what the version is made from; without a call the base's dependencies stay. */
    public Publication dependencies(List<Dependency> dependencies) {
        throw new UnsupportedOperationException();
    }

    /** Sets the fingerprints of the tasks; without a call the base's stay. */
    public Publication fingerprints(Map<String, String> fingerprints) {
        throw new UnsupportedOperationException();
    }

    /** Sets a setting of the catalog's configuration. */
    public Publication setting(String name, String value) {
        throw new UnsupportedOperationException();
    }

    /** Sets the state that the commit pins; without a call the base's state stays. */
    public Publication state(StateDraft draft) {
        throw new UnsupportedOperationException();
    }

    /**
     * Compares and commits. If nothing differs there is no commit.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code BASE_VERSION_CONFLICT} if another version was published
     *     since the base; {@code UNKNOWN_LAYER}, {@code INVALID_PARTITION_NAME}, {@code EMPTY_PAYLOAD},
     *     {@code DUPLICATE_PARTITION} for candidates that are wrong
     */
    public PublishReport commit(Engine engine) {
        throw new UnsupportedOperationException();
    }

    /** What {@link #commit} would do. Nothing is committed or uploaded. */
    public Map<String, PublishReport.Counters> compare(Engine engine) {
        throw new UnsupportedOperationException();
    }

    /** Gives up. Files that were staged are left to the garbage collection. */
    public void abort() {
        throw new UnsupportedOperationException();
    }
}
