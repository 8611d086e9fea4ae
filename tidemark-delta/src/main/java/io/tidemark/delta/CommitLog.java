package io.tidemark.delta;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.ActionJson;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.LogFiles;
import io.tidemark.delta.log.LogListing;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.ReportingInput;
import io.tidemark.delta.storage.Storage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The JSON entries of a table's log. */
final class CommitLog {
    private static final String LAST_CHECKPOINT = "_last_checkpoint";
    private static final Pattern CHECKPOINT_VERSION = Pattern.compile("\"version\"\\s*:\\s*(\\d{1,18})");

    private final Storage storage;
    private final String table;
    private final String folder;

    CommitLog(Storage storage, String table) {
        this.storage = storage;
        this.table = table;
        this.folder = storage.child(table, LogFiles.FOLDER);
    }

    String folder() {
        return folder;
    }

    String file(long version) {
        return storage.child(folder, LogFiles.commitName(version));
    }

    /** The greatest version in the log; nothing if there is no table. */
    OptionalLong latestVersion() {
        OptionalLong hint = checkpointHint();
        OptionalLong found = hint.isPresent() ? greatestVersion(hint.getAsLong()) : OptionalLong.empty();
        return found.isPresent() ? found : greatestVersion(0);
    }

    /** The versions whose log entries exist, from a version on, ascending. */
    List<FileInfo> commitsFrom(long version) {
        return LogListing.list(storage, folder, LogFiles.prefix(version)).stream()
                .filter(file -> LogFiles.commitVersion(file.name()).isPresent())
                .toList();
    }

    /** The first version that needs no entry which is gone: 0, or that of the first checkpoint. */
    OptionalLong firstReadableVersion() {
        for (FileInfo file : LogListing.list(storage, folder, LogFiles.prefix(0))) {
            OptionalLong commit = LogFiles.commitVersion(file.name());
            OptionalLong checkpoint = LogFiles.checkpointVersion(file.name());
            if (checkpoint.isPresent() || (commit.isPresent() && commit.getAsLong() == 0)) {
                return checkpoint.isPresent() ? checkpoint : commit;
            }
        }
        return OptionalLong.empty();
    }

    boolean has(long version) {
        return storage.info(file(version)).isPresent();
    }

    /**
     * Reads the actions of a version.
     *
     * @throws TidemarkException with {@link ErrorCode#VERSION_NOT_FOUND} if there is no entry,
     *     {@link ErrorCode#LOG_CORRUPT} if it is broken
     */
    List<Action> read(long version) {
        String file = file(version);
        List<Action> actions = new ArrayList<>();
        long lineNumber = 0;
        try (BufferedReader reader = open(file)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lineNumber++;
                ActionJson.parse(line).ifPresent(actions::add);
            }
            if (lineNumber == 0) {
                throw new IOException("it is empty");
            }
        } catch (IOException e) {
            throw TidemarkException.of(
                            ErrorCode.LOG_CORRUPT,
                            "the log of table " + table + " is broken: the file " + file + ": line " + lineNumber + ": "
                                    + e.getMessage())
                    .cause(e)
                    .build();
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.FILE_NOT_FOUND) {
                throw TidemarkException.of(
                                ErrorCode.VERSION_NOT_FOUND,
                                "the log of table " + table + " has no entry for version " + version)
                        .cause(e)
                        .build();
            }
            throw e;
        }
        return actions;
    }

    /** What the writer of a version said about it; reads no further than that. Nothing if there is no entry. */
    Optional<CommitInfo> info(long version) {
        String file = file(version);
        if (storage.info(file).isEmpty()) {
            return Optional.empty();
        }
        try (BufferedReader reader = open(file)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                Optional<Action> action = ActionJson.parse(line);
                if (action.isPresent() && action.get() instanceof CommitInfo info) {
                    return Optional.of(info);
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            throw TidemarkException.of(
                            ErrorCode.LOG_CORRUPT,
                            "the log of table " + table + " is broken: the file " + file + ": " + e.getMessage())
                    .cause(e)
                    .build();
        }
    }

    /** What the writer of a version said about it. */
    static Optional<CommitInfo> info(List<Action> actions) {
        return actions.stream()
                .filter(CommitInfo.class::isInstance)
                .map(CommitInfo.class::cast)
                .findFirst();
    }

    private BufferedReader open(String file) {
        return new BufferedReader(
                new InputStreamReader(ReportingInput.open(storage, file), StandardCharsets.UTF_8.newDecoder()));
    }

    private OptionalLong greatestVersion(long from) {
        OptionalLong greatest = OptionalLong.empty();
        for (FileInfo file : storage.list(folder, LogFiles.prefix(from))) {
            OptionalLong version = LogFiles.commitVersion(file.name());
            if (version.isEmpty()) {
                version = LogFiles.checkpointVersion(file.name());
            }
            if (version.isPresent()) {
                greatest = version;
            }
        }
        return greatest;
    }

    /** Where the last checkpoint is said to be, which saves listing what lies below it. */
    private OptionalLong checkpointHint() {
        try {
            String hint = new String(storage.read(storage.child(folder, LAST_CHECKPOINT)), StandardCharsets.UTF_8);
            Matcher matcher = CHECKPOINT_VERSION.matcher(hint);
            return matcher.find() ? OptionalLong.of(Long.parseLong(matcher.group(1))) : OptionalLong.empty();
        } catch (TidemarkException e) {
            // Without a hint the whole log is listed, which gives the same answer.
            return OptionalLong.empty();
        }
    }
}
