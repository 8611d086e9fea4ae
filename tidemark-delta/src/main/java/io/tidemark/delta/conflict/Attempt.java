package io.tidemark.delta.conflict;

import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.vector.RowPositions;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A commit that lost its version number and wants the next one.
 *
 * @param level the isolation level that it keeps
 * @param reads what it depends on
 * @param purpose what else it does beside changing files
 * @param touched the files that it takes away or changes, by path as in the log
 * @param outputs the files that it adds by rearranging rows of others, as compaction does; empty for other commits
 * @param deletedFromOutputs rows of such files that others have deleted meanwhile, by the outputs' paths
 */
public record Attempt(
        IsolationLevel level,
        ReadSet reads,
        Purpose purpose,
        Map<String, TouchedFile> touched,
        List<Rearrangement> outputs,
        Map<String, RowPositions> deletedFromOutputs) {
    /** Copies the collections. */
    public Attempt {
        touched = Collections.unmodifiableMap(new LinkedHashMap<>(touched));
        outputs = List.copyOf(outputs);
        deletedFromOutputs = Collections.unmodifiableMap(new LinkedHashMap<>(deletedFromOutputs));
    }

    /**
     * What a commit does beside changing files.
     *
     * @param changesMetadata whether it changes schema or properties
     * @param changesProtocol whether it changes the protocol
     * @param rearranges whether it only moves rows between files
     * @param domains the domains that it writes
     * @param appIds the applications whose progress it records
     */
    public record Purpose(
            boolean changesMetadata,
            boolean changesProtocol,
            boolean rearranges,
            Set<String> domains,
            Set<String> appIds) {
        /** Only files. */
        public static final Purpose FILES_ONLY = new Purpose(false, false, false, Set.of(), Set.of());

        /** Copies the sets. */
        public Purpose {
            domains = Set.copyOf(domains);
            appIds = Set.copyOf(appIds);
        }
    }

    Optional<TouchedFile> touched(String path) {
        return Optional.ofNullable(touched.get(path));
    }

    Attempt with(TouchedFile file) {
        Map<String, TouchedFile> more = new LinkedHashMap<>(touched);
        more.put(file.base().path(), file);
        return new Attempt(level, reads, purpose, more, outputs, deletedFromOutputs);
    }

    Attempt without(String path) {
        Map<String, TouchedFile> less = new LinkedHashMap<>(touched);
        less.remove(path);
        return new Attempt(level, reads, purpose, less, outputs, deletedFromOutputs);
    }

    Attempt reading(String path, RowsRead rows) {
        return new Attempt(level, reads.withRows(path, rows), purpose, touched, outputs, deletedFromOutputs);
    }

    Attempt withDeletedFromOutput(AddFile output, RowPositions rows) {
        Map<String, RowPositions> more = new LinkedHashMap<>(deletedFromOutputs);
        more.merge(output.path(), rows, RowPositions::union);
        return new Attempt(level, reads, purpose, touched, outputs, more);
    }
}
