package io.tidemark.delta.conflict;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.DomainMetadata;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.Protocol;
import io.tidemark.delta.log.RemoveFile;
import io.tidemark.delta.log.SetTransaction;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Decides whether a commit may follow one that it did not see. A function of its arguments: no clock, no files.
 *
 * <p>The order of the tests is that of Delta Lake, so that one situation has one name everywhere. A commit passes only
 * if it is provably independent; what is not known counts as a conflict.
 */
public final class ConflictChecker {
    private ConflictChecker() {}

    /** The reason why the attempt must not follow the winner; nothing if it may. */
    public static Optional<Conflict> check(Attempt attempt, WinningCommit winner) {
        return protocolChanged(winner)
                .or(() -> metadataChanged(winner))
                .or(() -> sameDomain(attempt, winner))
                .or(() -> sameTransaction(attempt, winner))
                .or(() -> appended(attempt, winner))
                .or(() -> deletedWhatWasRead(attempt, winner))
                .or(() -> deletedWhatIsDeleted(attempt, winner));
    }

    private static Optional<Conflict> protocolChanged(WinningCommit winner) {
        return winner.all(Protocol.class)
                .findAny()
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
        Set<String> own = names(attempt.actions(), DomainMetadata.class, DomainMetadata::domain);
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
        Set<String> own = names(attempt.actions(), SetTransaction.class, SetTransaction::appId);
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

    private static Optional<Conflict> appended(Attempt attempt, WinningCommit winner) {
        if (attempt.level() == IsolationLevel.SNAPSHOT || mayIgnoreAppends(attempt, winner)) {
            return Optional.empty();
        }
        List<String> seen = winner.adds()
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
                && attempt.actions().stream()
                        .noneMatch(action -> action instanceof Metadata || action instanceof Protocol);
    }

    private static Optional<Conflict> deletedWhatWasRead(Attempt attempt, WinningCommit winner) {
        ReadSet reads = attempt.reads();
        List<String> lost = winner.removes()
                .map(RemoveFile::path)
                .filter(path -> reads.wholeTable() || reads.paths().contains(path))
                .toList();
        return lost.isEmpty()
                ? Optional.empty()
                : Optional.of(conflict(
                        ErrorCode.CONCURRENT_DELETE_READ,
                        winner,
                        "It removed or changed rows that this commit read.",
                        lost));
    }

    private static Optional<Conflict> deletedWhatIsDeleted(Attempt attempt, WinningCommit winner) {
        Set<String> own = names(attempt.actions(), RemoveFile.class, RemoveFile::path);
        List<String> both =
                winner.removes().map(RemoveFile::path).filter(own::contains).toList();
        return both.isEmpty()
                ? Optional.empty()
                : Optional.of(conflict(
                        ErrorCode.CONCURRENT_DELETE_DELETE,
                        winner,
                        "Both remove or change rows of the same files.",
                        both));
    }

    private static <A extends Action> Set<String> names(List<Action> actions, Class<A> kind, Function<A, String> name) {
        return actions.stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .map(name)
                .collect(Collectors.toSet());
    }

    private static Conflict conflict(ErrorCode code, WinningCommit winner, String reason, List<String> files) {
        return new Conflict(code, winner.version(), winner.operation(), reason, files);
    }
}
