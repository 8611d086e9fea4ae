package io.tidemark.sql.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.CdcProperties;
import io.tidemark.delta.TableDefinition;
import io.tidemark.sql.grammar.Words;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Which table properties may be set, and to what. Those of Delta and of Tidemark must be known, because a misspelled one
 * would silently do nothing.
 */
public final class PropertyNames {
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
            "delta.targetFileSize",
            "delta.autoOptimize.autoCompact");

    private PropertyNames() {}

    /**
     * Checks names and values.
     *
     * @throws TidemarkException {@code INVALID_SETTING}
     */
    public static void check(Map<String, String> properties) {
        properties.forEach((name, value) -> {
            boolean own = CdcProperties.isOwn(name);
            boolean delta = name.toLowerCase(Locale.ROOT).startsWith(DELTA_PREFIX) && !name.startsWith(FEATURE_PREFIX);
            if (own && !CdcProperties.NAMES.contains(name)) {
                throw unknown(name, CdcProperties.NAMES, "known are " + String.join(", ", CdcProperties.NAMES));
            }
            if (delta && !DELTA.contains(name)) {
                throw unknown(name, DELTA, "names that begin with delta. belong to Delta; choose another name");
            }
            CdcProperties.check(name, value);
            TableDefinition.checkProperty(name, value);
        });
    }

    private static TidemarkException unknown(String name, List<String> known, String otherwise) {
        String hint = Words.nearest(name, known)
                .map(near -> "did you mean " + near + "?")
                .orElse(otherwise);
        return TidemarkException.of(
                        ErrorCode.INVALID_SETTING, "the table property " + name + " is not known or not supported")
                .hint(hint)
                .build();
    }
}
