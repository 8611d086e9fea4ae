package io.tidemark.delta.restore;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.storage.Storage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * RESTORE: a new version that says the same as an earlier one: rows, schema, properties and the domains that programs
 * keep in the table, so that change flows go on from where they were then. How far applications have come is not set
 * back, as the protocol's counters only ascend. Earlier versions stay readable.
 */
public final class TableRestore {
    private static final int SAMPLE_FILES_MAX = 5;
    private static final String SYSTEM_DOMAINS = "delta.";

    private TableRestore() {}

    /**
     * What was restored.
     *
     * @param outcome how the commit ended
     * @param filesAdded number of files that came back
     * @param filesRemoved number of files that went
     * @param filesChanged number of files whose deleted rows changed
     */
    public record Result(CommitOutcome outcome, int filesAdded, int filesRemoved, int filesChanged) {}

    /**
     * Commits a version that equals an earlier one.
     *
     * @param now the table at its latest version
     * @param then the version to bring back
     * @param parameter name of the history's parameter: {@code version} or {@code timestamp}
     * @param value its value
     * @throws TidemarkException with {@link ErrorCode#DATA_FILE_MISSING} if files of that version are gone
     */
    public static Result run(Storage storage, Snapshot now, Snapshot then, String parameter, String value) {
        then.checkReadable();
        Transaction transaction = now.begin("RESTORE").readWholeTable().restoreDefinition(then);
        Map<String, DataFile> current = new HashMap<>();
        now.files().forEach(file -> current.put(file.add().path(), file));
        int added = 0;
        int changed = 0;
        List<DataFile> missing = new ArrayList<>();
        for (DataFile wanted : then.files()) {
            DataFile present = current.remove(wanted.add().path());
            if (present == null) {
                if (!storage.exists(wanted.location())) {
                    missing.add(wanted);
                }
                transaction.add(wanted.add());
                added++;
            } else if (!present.add().key().equals(wanted.add().key())) {
                transaction.replace(present, wanted);
                changed++;
            }
        }
        if (!missing.isEmpty()) {
            throw filesGone(now, then, missing);
        }
        current.values().forEach(transaction::remove);
        restoreDomains(transaction, now, then);
        transaction
                .parameter("version", Long.toString(then.version()))
                .metric("numRestoredFiles", added)
                .metric("numRemovedFiles", current.size())
                .metric("numChangedFiles", changed)
                .metric("numOfFilesAfterRestore", then.files().size());
        if (!parameter.equals("version")) {
            transaction.parameter(parameter, value);
        }
        return new Result(transaction.commit(), added, current.size(), changed);
    }

    private static void restoreDomains(Transaction transaction, Snapshot now, Snapshot then) {
        then.domains().forEach((name, text) -> {
            if (!name.startsWith(SYSTEM_DOMAINS)) {
                // Set even if it is the same: the commit then says from which state programs go on.
                transaction.setDomain(name, text);
            }
        });
        now.domains().keySet().forEach(name -> {
            if (!name.startsWith(SYSTEM_DOMAINS) && !then.domains().containsKey(name)) {
                transaction.removeDomain(name);
            }
        });
    }

    private static TidemarkException filesGone(Snapshot now, Snapshot then, List<DataFile> missing) {
        List<String> sample =
                missing.stream().limit(SAMPLE_FILES_MAX).map(DataFile::location).toList();
        return TidemarkException.of(
                        ErrorCode.DATA_FILE_MISSING,
                        "version " + then.version() + " of table " + now.location() + " cannot be restored: "
                                + missing.size() + " of its files are gone")
                .detail("Files: " + String.join(", ", sample) + ". A VACUUM may have deleted them.")
                .hint("restore a later version")
                .build();
    }
}
