package io.tidemark.sql.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.grammar.Words;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Which table properties may be set. Those of Delta must be known, because a misspelled one would silently do nothing. */
final class PropertyNames {
    private static final String DELTA_PREFIX = "delta.";
    private static final String FEATURE_PREFIX = "delta.feature.";
    private static final List<String> DELTA = List.of(
            "delta.appendOnly",
            "delta.checkpointInterval",
            "delta.checkpointPolicy",
            "delta.checkpoint.writeStatsAsJson",
            "delta.checkpoint.writeStatsAsStruct",
            "delta.dataSkippingNumIndexedCols",
            "delta.dataSkippingStatsColumns",
            "delta.deletedFileRetentionDuration",
            "delta.enableChangeDataFeed",
            "delta.enableDeletionVectors",
            "delta.enableExpiredLogCleanup",
            "delta.enableInCommitTimestamps",
            "delta.enableTypeWidening",
            "delta.isolationLevel",
            "delta.logRetentionDuration",
            "delta.minReaderVersion",
            "delta.minWriterVersion",
            "delta.randomizeFilePrefixes",
            "delta.setTransactionRetentionDuration",
            "delta.targetFileSize");

    private PropertyNames() {}

    static void check(Map<String, String> properties) {
        for (String name : properties.keySet()) {
            boolean known = !name.toLowerCase(Locale.ROOT).startsWith(DELTA_PREFIX)
                    || name.startsWith(FEATURE_PREFIX)
                    || DELTA.contains(name);
            if (!known) {
                String hint = Words.nearest(name, DELTA)
                        .map(near -> "did you mean " + near + "?")
                        .orElse("names that begin with delta. belong to Delta; choose another name");
                throw TidemarkException.of(
                                ErrorCode.INVALID_SETTING,
                                "the table property " + name + " is not known or not supported")
                        .hint(hint)
                        .build();
            }
        }
    }
}
