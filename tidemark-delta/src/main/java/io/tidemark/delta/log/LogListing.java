package io.tidemark.delta.log;

import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Lists a log folder. While others create files a listing may miss an entry and have a younger one: file systems promise
 * nothing about files that come during a listing. Versions come one after the other, so an entry between two others, or
 * behind a checkpoint, that was missed is looked for by its name.
 */
public final class LogListing {
    private LogListing() {}

    /** As {@link Storage#list}, without such gaps. */
    public static List<FileInfo> list(Storage storage, String folder, String fromName) {
        List<FileInfo> complete = new ArrayList<>();
        // The next entry that must be there; entries below the first one or below a checkpoint may have been cleaned
        // up.
        long expected = -1;
        long checkpointed = -1;
        for (FileInfo file : storage.list(folder, fromName)) {
            OptionalLong commit = LogFiles.commitVersion(file.name());
            if (commit.isPresent()) {
                if (expected >= 0) {
                    addMissed(storage, folder, expected, commit.getAsLong(), complete);
                }
                expected = commit.getAsLong() + 1;
            }
            OptionalLong checkpoint = LogFiles.checkpointVersion(file.name());
            if (checkpoint.isPresent()) {
                checkpointed = checkpoint.getAsLong();
                expected = expected < 0 ? checkpointed : expected;
            }
            complete.add(file);
        }
        if (expected >= 0) {
            addMissed(storage, folder, expected, checkpointed + 1, complete);
        }
        return complete;
    }

    private static void addMissed(Storage storage, String folder, long from, long end, List<FileInfo> files) {
        for (long missed = from; missed < end; missed++) {
            storage.info(storage.child(folder, LogFiles.commitName(missed))).ifPresent(files::add);
        }
    }
}
