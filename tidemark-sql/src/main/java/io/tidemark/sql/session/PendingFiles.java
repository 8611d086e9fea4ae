package io.tidemark.sql.session;

import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.rows.TableRows;
import io.tidemark.delta.storage.Storage;
import java.util.ArrayList;
import java.util.List;

/** Data files between their writing and their commit. Files that are certain to be in no commit are deleted. */
final class PendingFiles implements AutoCloseable {
    private static final String NAME_PREFIX = "part";

    private final Storage storage;
    private final String folder;
    private final List<WrittenFile> files = new ArrayList<>();
    private final List<WrittenFile> changeFiles = new ArrayList<>();
    private boolean mayBeCommitted;

    PendingFiles(Storage storage, String folder) {
        this.storage = storage;
        this.folder = folder;
    }

    /** How the files are to be written. */
    WriteSpec spec(StructType schema, List<String> sortBy, List<String> partitionBy) {
        storage.createFolders(folder);
        return new WriteSpec(
                folder,
                NAME_PREFIX,
                schema,
                sortBy,
                WriteSpec.FILE_BYTES_TARGET_DEFAULT,
                WriteSpec.STATISTICS_COLUMNS_MAX_DEFAULT,
                partitionBy);
    }

    /** Takes charge of written files and returns those that have rows. */
    List<WrittenFile> keep(List<WrittenFile> written) {
        List<WrittenFile> filled = new ArrayList<>();
        for (WrittenFile file : written) {
            if (file.rowCount() == 0) {
                storage.delete(storage.child(folder, file.name()));
            } else {
                filled.add(file);
            }
        }
        files.addAll(filled);
        return filled;
    }

    /** Takes charge of what was staged. */
    void keep(TableRows.Staged staged) {
        files.addAll(staged.written());
        changeFiles.addAll(staged.changes());
    }

    long rowCount() {
        return files.stream().mapToLong(WrittenFile::rowCount).sum();
    }

    /** Puts the usual counters of a write into the history. */
    void count(Transaction transaction) {
        transaction
                .metric("numFiles", files.size())
                .metric("numOutputRows", rowCount())
                .metric(
                        "numOutputBytes",
                        files.stream().mapToLong(WrittenFile::sizeBytes).sum());
    }

    /** Commits, after which only a rejection leaves the files to be deleted. */
    void commit(StatementContext context, Transaction transaction) {
        CommitOutcome outcome = context.tryCommit(transaction);
        if (outcome instanceof CommitOutcome.Rejected rejected) {
            throw new LostRace(rejected);
        }
        mayBeCommitted = true;
        outcome.version();
    }

    @Override
    public void close() {
        if (mayBeCommitted) {
            return;
        }
        EngineFiles.discard(storage, folder, files);
        EngineFiles.discard(storage, storage.child(folder, TableRows.CHANGE_FOLDER), changeFiles);
    }
}
