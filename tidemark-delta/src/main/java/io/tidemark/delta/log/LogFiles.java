package io.tidemark.delta.log;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of files in a table's log folder. */
public final class LogFiles {
    /** The log folder in a table's folder. */
    public static final String FOLDER = "_delta_log";

    private static final Pattern COMMIT = Pattern.compile("(\\d{20})\\.json");
    private static final Pattern CHECKPOINT = Pattern.compile("(\\d{20})\\.checkpoint(\\.[\\w-]+)*\\.(parquet|json)");

    private LogFiles() {}

    /** The name of a version's log entry. */
    public static String commitName(long version) {
        return prefix(version) + ".json";
    }

    /** The name of a version's checksum file. */
    public static String checksumName(long version) {
        return prefix(version) + ".crc";
    }

    /** How the names of all files of a version begin. */
    public static String prefix(long version) {
        return String.format("%020d", version);
    }

    /** The version of a log entry by its file name; nothing for other files. */
    public static OptionalLong commitVersion(String name) {
        return version(COMMIT, name);
    }

    /** The version of a checkpoint, or of a part of one, by its file name; nothing for other files. */
    public static OptionalLong checkpointVersion(String name) {
        return version(CHECKPOINT, name);
    }

    private static OptionalLong version(Pattern pattern, String name) {
        Matcher matcher = pattern.matcher(name);
        return matcher.matches() ? OptionalLong.of(Long.parseLong(matcher.group(1))) : OptionalLong.empty();
    }
}
