package io.tidemark.delta.conflict;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.DomainMetadata;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.Protocol;
import io.tidemark.delta.log.SetTransaction;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Decides whether a commit may follow one that it did not see. A function of its arguments but for the loading of
 * deletion vectors: no clock, no writing.
 *
 * <p>The order of the tests and the names of the conflicts are those of Delta Lake, so that one situation has one name
 * everywhere; but where Delta Lake looks at whole files, or at the whole table, partitions, statistics and single rows
 * are looked at here. A commit passes only if it is provably independent; what is not known counts as a conflict.
 *
 * <p>Why a row-level test is enough: the winner comes first in the order of the log. The attempt is right in that order
 * if it would have read the same rows after the winner. Rows that the winner deleted must therefore not be among those
 * that the attempt depends on, and rows that the winner wrote must not meet the attempt's conditions.
 */
public final class ConflictChecker {
    private final VectorReader vectors;
    private final Predicate<Protocol> writable;

    /**
     * A checker.
     *
     * @param vectors loads deletion vectors of the table
     * @param writable whether this release may write a table of a protocol
     */
    public ConflictChecker(VectorReader vectors, Predicate<Protocol> writable) {
        this.vectors = vectors;
        this.writable = writable;
    }

    /** Whether the attempt may follow the winner, and how. */
    public Verdict check(Attempt attempt, WinningCommit winner) {
        Optional<Conflict> conflict = protocolChanged(attempt, winner)
                .or(() -> metadataChanged(winner))
                .or(() -> sameDomain(attempt, winner))
                .or(() -> sameTransaction(attempt, winner))
                .or(() -> appended(attempt, winner));
        return conflict.isPresent()
                ? new Verdict.Refused(conflict.get())
                : new FileConflicts(vectors, winner).check(attempt);
    }

    private Optional<Conflict> protocolChanged(Attempt attempt, WinningCommit winner) {
        return winner.all(Protocol.class)
                .findAny()
                .filter(protocol -> attempt.purpose().changesProtocol() || !writable.test(protocol))
                .map(protocol -> conflict(
                        ErrorCode.PROTOCOL_CHANGED,
                        winner,
                        "It changed the table's protocol to " + protocol + ".",
                        List.of()));
    }

    private static Optional<Conflict> metadataChanged(WinningCommit winner) {
        return winner.all(Metadata.class)
                .findAny()
                .map(metadata -> conflict(
                        ErrorCode.METADATA_CHANGED, winner, "It changed the table's schema or properties.", List.of()));
    }

    private static Optional<Conflict> sameDomain(Attempt attempt, WinningCommit winner) {
        Set<String> own = attempt.purpose().domains();
        return winner.all(DomainMetadata.class)
                .map(DomainMetadata::domain)
                .filter(own::contains)
                .findFirst()
                .map(domain -> conflict(
                        ErrorCode.CONCURRENT_TRANSACTION,
                        winner,
                        "Both write the table's domain " + domain + ".",
                        List.of()));
    }

    private static Optional<Conflict> sameTransaction(Attempt attempt, WinningCommit winner) {
        Set<String> own = attempt.purpose().appIds();
        return winner.all(SetTransaction.class)
                .map(SetTransaction::appId)
                .filter(appId -> own.contains(appId) || attempt.reads().appIds().contains(appId))
                .findFirst()
                .map(appId -> conflict(
                        ErrorCode.CONCURRENT_TRANSACTION,
                        winner,
                        "Both record progress of the application " + appId + ".",
                        List.of()));
    }

    /** Rows that only moved between files are not new. */
    private static Optional<Conflict> appended(Attempt attempt, WinningCommit winner) {
        if (attempt.level() == IsolationLevel.SNAPSHOT || mayIgnoreAppends(attempt, winner)) {
            return Optional.empty();
        }
        List<String> seen = winner.newFiles()
                .filter(AddFile::dataChange)
                .filter(attempt.reads()::mayHaveSeen)
                .map(AddFile::path)
                .toList();
        return seen.isEmpty()
                ? Optional.empty()
                : Optional.of(conflict(
                        ErrorCode.CONCURRENT_APPEND, winner, "It added rows that this commit should have seen.", seen));
    }

    /**
     * Under WriteSerializable a plain append may slip in before a commit that did not see it. Not before one that
     * wrote rows because their keys were absent, which would make duplicates, nor before a change of the metadata.
     */
    private static boolean mayIgnoreAppends(Attempt attempt, WinningCommit winner) {
        return attempt.level() == IsolationLevel.WRITE_SERIALIZABLE
                && winner.isBlindAppend()
                && !attempt.reads().absentKeys()
                && !attempt.purpose().changesMetadata()
                && !attempt.purpose().changesProtocol();
    }

    static Conflict conflict(ErrorCode code, WinningCommit winner, String reason, List<String> files) {
        return new Conflict(code, winner.version(), winner.operation(), reason, files);
    }
}
