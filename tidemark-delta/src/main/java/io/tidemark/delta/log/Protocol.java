package io.tidemark.delta.log;

import java.util.Set;
import java.util.TreeSet;

/**
 * What a program must know to read or write a table.
 *
 * @param minReaderVersion version of the protocol for readers; 3 means that reader features count
 * @param minWriterVersion version of the protocol for writers; 7 means that writer features count
 * @param readerFeatures features that readers must know; empty unless the reader version is 3
 * @param writerFeatures features that writers must know; empty unless the writer version is 7
 */
public record Protocol(
        int minReaderVersion, int minWriterVersion, Set<String> readerFeatures, Set<String> writerFeatures)
        implements Action {
    /** The reader version from which on features are listed. */
    public static final int READER_FEATURES_VERSION = 3;

    /** The writer version from which on features are listed. */
    public static final int WRITER_FEATURES_VERSION = 7;

    /** Copies the features. */
    public Protocol {
        readerFeatures = Set.copyOf(readerFeatures);
        writerFeatures = Set.copyOf(writerFeatures);
    }

    /** Whether the feature is listed for readers or writers. */
    public boolean lists(String feature) {
        return readerFeatures.contains(feature) || writerFeatures.contains(feature);
    }

    /** Whether readers' features are listed one by one. */
    public boolean hasReaderFeatures() {
        return minReaderVersion >= READER_FEATURES_VERSION;
    }

    /** Whether writers' features are listed one by one. */
    public boolean hasWriterFeatures() {
        return minWriterVersion >= WRITER_FEATURES_VERSION;
    }

    @Override
    public String toString() {
        return "Protocol(" + minReaderVersion + ", " + minWriterVersion + ", " + new TreeSet<>(readerFeatures) + ", "
                + new TreeSet<>(writerFeatures) + ")";
    }
}
