package io.tidemark.delta.conflict;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.RemoveFile;
import io.tidemark.delta.vector.RowPositions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files that a winning commit removed, moved or gave another deletion vector, against those that an attempt read or
 * changes. Where both delete different rows of one file the deletions are united; where compaction moved rows the
 * attempt's deletions follow them.
 */
final class FileConflicts {
    private static final String CHANGED_ROWS = "It removed or changed rows that this commit read.";
    private static final String BOTH_CHANGE = "Both remove or change rows of the same files.";
    private static final String MOVED = "It moved rows that this commit removes or changes into other files.";

    private final VectorReader vectors;
    private final WinningCommit winner;
    private final List<Rearrangement> outputs;

    FileConflicts(VectorReader vectors, WinningCommit winner) {
        this.vectors = vectors;
        this.winner = winner;
        this.outputs = outputs(winner);
    }

    private static List<Rearrangement> outputs(WinningCommit winner) {
        Map<String, Optional<DeletionVectorDescriptor>> removed = winner.removedVectors();
        return winner.newFiles()
                .filter(add -> !add.dataChange())
                .flatMap(add -> Rearrangement.of(add, removed).stream())
                .toList();
    }

    Verdict check(Attempt attempt) {
        Attempt current = attempt;
        boolean movedReadRows = false;
        for (RemoveFile remove : winner.removes().toList()) {
            Optional<AddFile> again = winner.addedAgain(remove);
            movedReadRows |= again.isEmpty()
                    && !remove.dataChange()
                    && attempt.reads().rowsOf(remove.path()).isPresent();
            Verdict verdict = again.isPresent()
                    ? vectorChanged(current, remove, again.get())
                    : remove.dataChange() ? gone(current, remove) : moved(current, remove);
            if (!(verdict instanceof Verdict.Passed passed)) {
                return verdict;
            }
            current = passed.attempt();
        }
        return new Verdict.Passed(movedReadRows ? readingOutputs(current) : current);
    }

    /** The winner deleted more rows of a file, or brought deleted rows back. */
    private Verdict vectorChanged(Attempt attempt, RemoveFile remove, AddFile again) {
        String path = remove.path();
        RowPositions before = vectors.read(remove.deletionVector());
        RowPositions after = vectors.read(again.deletionVector());
        RowPositions deleted = after.minus(before);
        boolean revived = !before.minus(after).isEmpty();
        Optional<Attempt> followed = revived ? Optional.empty() : intoOutput(attempt, path, again, deleted);
        if (followed.isPresent()) {
            return new Verdict.Passed(followed.get());
        }
        Optional<RowsRead> read = attempt.reads().rowsOf(path);
        boolean sawDeleted = read.isPresent() && read.get().overlaps(deleted);
        boolean sawRevived = revived && (read.isPresent() || attempt.reads().mayHaveSeen(again));
        Optional<TouchedFile> touched = attempt.touched(path);
        if (sawDeleted || sawRevived || (touched.isPresent() && !combines(touched.get(), deleted, revived))) {
            ErrorCode code = read.isEmpty() && !sawRevived
                    ? ErrorCode.CONCURRENT_DELETE_DELETE
                    : attempt.level() == IsolationLevel.SNAPSHOT
                            ? ErrorCode.CONCURRENT_DELETE_READ
                            : ErrorCode.CONCURRENT_APPEND;
            return refused(code, read.isEmpty() ? BOTH_CHANGE : CHANGED_ROWS, path);
        }
        return new Verdict.Passed(
                touched.map(file -> attempt.with(file.on(again, after))).orElse(attempt));
    }

    private static boolean combines(TouchedFile touched, RowPositions deleted, boolean revived) {
        boolean unchanged = deleted.isEmpty() && !revived;
        return unchanged
                || (!revived
                        && touched instanceof TouchedFile.RowsDeleted own
                        && !own.deleted().intersects(deleted));
    }

    /** Compaction that lost to a deletion in one of its sources: the same rows are deleted in what it wrote. */
    private Optional<Attempt> intoOutput(Attempt attempt, String path, AddFile again, RowPositions deleted) {
        if (!(attempt.touched(path).orElse(null) instanceof TouchedFile.Removed removed)) {
            return Optional.empty();
        }
        for (Rearrangement output : attempt.outputs()) {
            if (output.has(path)) {
                return Optional.of(attempt.with(removed.on(again, RowPositions.empty()))
                        .withDeletedFromOutput(output.output(), output.positions(path, deleted, vectors)));
            }
        }
        return Optional.empty();
    }

    /** The winner removed a file with all of its rows. */
    private Verdict gone(Attempt attempt, RemoveFile remove) {
        Optional<RowsRead> read = attempt.reads().rowsOf(remove.path());
        if (read.isPresent() && !read.get().isNone()) {
            return refused(ErrorCode.CONCURRENT_DELETE_READ, CHANGED_ROWS, remove.path());
        }
        return attempt.touched(remove.path()).isPresent()
                ? refused(ErrorCode.CONCURRENT_DELETE_DELETE, BOTH_CHANGE, remove.path())
                : new Verdict.Passed(attempt);
    }

    /** The winner moved the rows of a file elsewhere. */
    private Verdict moved(Attempt attempt, RemoveFile remove) {
        String path = remove.path();
        Optional<RowsRead> read = attempt.reads().rowsOf(path);
        Optional<TouchedFile> touched = attempt.touched(path);
        boolean dependsOnPlace = attempt.purpose().rearranges() && read.isPresent();
        if (touched.isEmpty() && !dependsOnPlace) {
            return new Verdict.Passed(attempt);
        }
        if (!dependsOnPlace && touched.orElse(null) instanceof TouchedFile.RowsDeleted own) {
            Optional<Attempt> followed = follow(attempt, own);
            if (followed.isPresent()) {
                return new Verdict.Passed(followed.get());
            }
        }
        ErrorCode code = read.isPresent() ? ErrorCode.CONCURRENT_DELETE_READ : ErrorCode.CONCURRENT_DELETE_DELETE;
        return refused(code, MOVED, path);
    }

    /** Moves deletions to the file where the rows are now, if the winner tells. */
    private Optional<Attempt> follow(Attempt attempt, TouchedFile.RowsDeleted own) {
        String path = own.base().path();
        for (Rearrangement output : outputs) {
            if (!output.has(path)) {
                continue;
            }
            RowPositions rows = output.positions(path, own.deleted(), vectors);
            RowPositions already = vectors.read(output.output().deletionVector());
            if (rows.intersects(already)) {
                return Optional.empty();
            }
            RowPositions all =
                    attempt.touched(output.output().path()).orElse(null) instanceof TouchedFile.RowsDeleted others
                            ? others.deleted().union(rows)
                            : rows;
            return Optional.of(attempt.without(path).with(new TouchedFile.RowsDeleted(output.output(), already, all)));
        }
        return Optional.empty();
    }

    /** Rows that were read are now in other files, on which the attempt depends from here on. */
    private Attempt readingOutputs(Attempt attempt) {
        Attempt current = attempt;
        for (AddFile add : winner.newFiles().filter(add -> !add.dataChange()).toList()) {
            Optional<Rearrangement> output = outputs.stream()
                    .filter(rearrangement -> rearrangement.output().path().equals(add.path()))
                    .findFirst();
            current = current.reading(
                    add.path(), output.map(known -> rowsRead(attempt, known)).orElse(RowsRead.ALL));
        }
        return current;
    }

    private RowsRead rowsRead(Attempt attempt, Rearrangement output) {
        RowPositions rows = RowPositions.empty();
        for (Rearrangement.Source source : output.sources()) {
            Optional<RowsRead> read = attempt.reads().rowsOf(source.path());
            RowPositions exact = read.map(RowsRead::rows).orElse(RowPositions.empty());
            if (read.equals(Optional.of(RowsRead.ALL))) {
                return RowsRead.ALL;
            }
            rows = rows.union(output.positions(source.path(), exact.minus(vectors.read(source.vector())), vectors));
        }
        return RowsRead.of(rows);
    }

    private Verdict refused(ErrorCode code, String reason, String path) {
        return new Verdict.Refused(ConflictChecker.conflict(code, winner, reason, List.of(path)));
    }
}
