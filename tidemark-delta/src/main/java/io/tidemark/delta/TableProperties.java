package io.tidemark.delta;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.conflict.IsolationLevel;
import io.tidemark.delta.log.Metadata;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The properties of tables that the transaction layer itself obeys. */
final class TableProperties {
    static final String APPEND_ONLY = "delta.appendOnly";
    static final String CHECKPOINT_INTERVAL = "delta.checkpointInterval";
    static final String COLUMN_MAPPING_MODE = "delta.columnMapping.mode";
    static final String ENABLE_CHANGE_DATA_FEED = "delta.enableChangeDataFeed";
    static final String ENABLE_DELETION_VECTORS = "delta.enableDeletionVectors";
    static final String ENABLE_IN_COMMIT_TIMESTAMPS = "delta.enableInCommitTimestamps";
    static final String IN_COMMIT_TIMESTAMP_VERSION = "delta.inCommitTimestampEnablementVersion";
    static final String IN_COMMIT_TIMESTAMP_TIME = "delta.inCommitTimestampEnablementTimestamp";
    static final String ISOLATION_LEVEL = "delta.isolationLevel";
    static final String CHECKPOINT_POLICY = "delta.checkpointPolicy";

    private static final int CHECKPOINT_INTERVAL_DEFAULT = 10;

    /** How a value is written, as a pattern and in words. */
    private record Shape(String pattern, String words) {}

    private static final Shape DURATION = new Shape(
            "(?i)(interval\\s+)?(\\d+\\s+(week|day|hour|minute|second|millisecond|microsecond)s?\\s*)+",
            "an interval such as 'interval 7 days'");

    /** Values of Delta's properties that are no flags. */
    private static final Map<String, Shape> PATTERNS = Map.of(
            "delta.dataSkippingNumIndexedCols",
            new Shape("-1|\\d{1,9}", "a number of columns, or -1 for all"),
            "delta.deletedFileRetentionDuration",
            DURATION,
            "delta.logRetentionDuration",
            DURATION,
            "delta.setTransactionRetentionDuration",
            DURATION,
            "delta.targetFileSize",
            new Shape("(?i)[1-9]\\d{0,14}\\s*([kmgt]?b?)", "a size such as '128mb'"),
            "delta.autoOptimize.autoCompact",
            new Shape("(?i)true|false|auto|legacy", "true or false"));

    private static final Set<String> FLAGS = Set.of(
            APPEND_ONLY,
            ENABLE_CHANGE_DATA_FEED,
            ENABLE_DELETION_VECTORS,
            ENABLE_IN_COMMIT_TIMESTAMPS,
            "delta.enableRowTracking",
            "delta.enableExpiredLogCleanup");

    private TableProperties() {}

    static boolean flag(Metadata metadata, String name) {
        return Boolean.parseBoolean(metadata.configuration().getOrDefault(name, "false"));
    }

    /** The properties that say since when times of commits are kept in the log. */
    static Map<String, String> timestampSettings(Metadata metadata) {
        Map<String, String> settings = new LinkedHashMap<>(metadata.configuration());
        settings.keySet()
                .retainAll(Set.of(ENABLE_IN_COMMIT_TIMESTAMPS, IN_COMMIT_TIMESTAMP_VERSION, IN_COMMIT_TIMESTAMP_TIME));
        return settings;
    }

    static String columnMappingMode(Metadata metadata) {
        return metadata.configuration()
                .getOrDefault(COLUMN_MAPPING_MODE, "none")
                .toLowerCase(Locale.ROOT);
    }

    /** How many versions lie between two checkpoints. */
    static long checkpointInterval(Metadata metadata) {
        String value = metadata.configuration().get(CHECKPOINT_INTERVAL);
        try {
            return value == null ? CHECKPOINT_INTERVAL_DEFAULT : Math.max(1, Long.parseLong(value.trim()));
        } catch (NumberFormatException e) {
            // Another program wrote nonsense; checkpoints are no reason to fail.
            return CHECKPOINT_INTERVAL_DEFAULT;
        }
    }

    /** The level that commits to the table keep. */
    static IsolationLevel isolationLevel(Metadata metadata) {
        String value = metadata.configuration().get(ISOLATION_LEVEL);
        return value == null
                ? IsolationLevel.WRITE_SERIALIZABLE
                : IsolationLevel.ofProperty(value).orElse(IsolationLevel.SERIALIZABLE);
    }

    /** Refuses values that are set now and that readers would take for something else. */
    static void checkSettings(Map<String, String> settings) {
        settings.forEach((name, value) -> {
            if (FLAGS.contains(name) && !value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
                throw invalid(name, value, "true or false");
            }
            if (name.equals(CHECKPOINT_INTERVAL) && !value.matches("[1-9]\\d{0,8}")) {
                throw invalid(name, value, "a whole number of at least 1");
            }
            PATTERNS.forEach((property, shape) -> {
                if (name.equals(property) && !value.strip().matches(shape.pattern())) {
                    throw invalid(name, value, shape.words());
                }
            });
            if (name.equals(ISOLATION_LEVEL) && IsolationLevel.ofProperty(value).isEmpty()) {
                throw invalid(name, value, "Serializable or WriteSerializable");
            }
        });
    }

    private static TidemarkException invalid(String name, String value, String expected) {
        return TidemarkException.of(
                        ErrorCode.INVALID_SETTING,
                        "property " + name + " cannot be '" + value + "': it must be " + expected)
                .hint("set it to " + expected)
                .build();
    }
}
