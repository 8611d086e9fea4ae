package io.tidemark.delta.conflict;

import static io.tidemark.core.error.ErrorCode.CONCURRENT_APPEND;
import static io.tidemark.core.error.ErrorCode.CONCURRENT_DELETE_DELETE;
import static io.tidemark.core.error.ErrorCode.CONCURRENT_DELETE_READ;
import static io.tidemark.core.error.ErrorCode.CONCURRENT_TRANSACTION;
import static io.tidemark.core.error.ErrorCode.METADATA_CHANGED;
import static io.tidemark.core.error.ErrorCode.PROTOCOL_CHANGED;
import static io.tidemark.delta.conflict.IsolationLevel.SERIALIZABLE;
import static io.tidemark.delta.conflict.IsolationLevel.SNAPSHOT;
import static io.tidemark.delta.conflict.IsolationLevel.WRITE_SERIALIZABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.DomainMetadata;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.Protocol;
import io.tidemark.delta.log.RemoveFile;
import io.tidemark.delta.log.SetTransaction;
import io.tidemark.delta.vector.RowPositions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConflictCheckerTest {
    private static final String STATS = "{\"numRecords\":10}";
    private static final AddFile F1 = AddFile.of("f1", Map.of(), 1, 1, STATS);
    private static final AddFile F2 = AddFile.of("f2", Map.of(), 1, 1, STATS);
    private static final AddFile F9 = AddFile.of("f9", Map.of(), 1, 1, STATS);
    private static final RemoveFile WITHOUT_F1 = F1.toRemove(1, true);
    private static final RemoveFile WITHOUT_F2 = F2.toRemove(1, true);
    private static final ReadSet WHOLE = ReadSet.NOTHING.withWholeTable();
    private static final Attempt.Purpose FILES = Attempt.Purpose.FILES_ONLY;
    private static final Attempt.Purpose METADATA = new Attempt.Purpose(true, false, false, Set.of(), Set.of());

    /** Vectors of these tests are named by the rows that they delete. */
    private static final Map<String, RowPositions> VECTORS = new HashMap<>();

    private final WinningCommit insert = winner(true, F9);
    private final WinningCommit update = winner(false, WITHOUT_F1, F9);
    private final WinningCommit deletion = winner(false, WITHOUT_F1);
    private final TouchedFile removeF1 = new TouchedFile.Removed(F1);
    private final TouchedFile removeF2 = new TouchedFile.Removed(F2);

    @Test
    void blindAppendsPassAll() {
        for (IsolationLevel level : List.of(SERIALIZABLE, WRITE_SERIALIZABLE)) {
            for (WinningCommit winner : List.of(insert, update, deletion)) {
                assertThat(check(level, ReadSet.NOTHING, winner, FILES)).isNull();
            }
        }
    }

    @Test
    void readersOfTheWholeTableMissAppends() {
        assertThat(check(SERIALIZABLE, WHOLE, insert, FILES)).isEqualTo(CONCURRENT_APPEND);
        assertThat(check(WRITE_SERIALIZABLE, WHOLE, insert, FILES)).isNull();
        assertThat(check(WRITE_SERIALIZABLE, WHOLE.withAbsentKeys(), insert, FILES))
                .isEqualTo(CONCURRENT_APPEND);
        assertThat(check(WRITE_SERIALIZABLE, WHOLE, winner(false, F9), FILES)).isEqualTo(CONCURRENT_APPEND);
        assertThat(check(WRITE_SERIALIZABLE, WHOLE, insert, METADATA)).isEqualTo(CONCURRENT_APPEND);
        assertThat(check(SNAPSHOT, WHOLE.withPath("f2"), insert, FILES, removeF2))
                .isNull();
    }

    @Test
    void anAppendThatRemovesIsNotBlindWhateverItSays() {
        assertThat(check(WRITE_SERIALIZABLE, WHOLE, winner(true, F9, WITHOUT_F1), FILES))
                .isEqualTo(CONCURRENT_APPEND);
    }

    @Test
    void movedRowsAreNotNew() {
        WinningCommit compaction = winner(false, F1.toRemove(1, false), F9.withDataChange(false));
        assertThat(check(SERIALIZABLE, WHOLE, compaction, FILES)).isNull();
        assertThat(check(SERIALIZABLE, WHOLE, compaction, FILES, removeF1)).isEqualTo(CONCURRENT_DELETE_READ);
        assertThat(check(SERIALIZABLE, ReadSet.NOTHING, compaction, FILES, removeF1))
                .isEqualTo(CONCURRENT_DELETE_DELETE);
    }

    @Test
    void whatWasReadIsRememberedWhenItMoves() {
        WinningCommit compaction = winner(false, F1.toRemove(1, false), F9.withDataChange(false));
        Attempt attempt = attempt(SERIALIZABLE, ReadSet.NOTHING.withPath("f1"), FILES);
        Attempt after = passed(checker().check(attempt, compaction));
        assertThat(code(checker().check(after, winner(false, F9.toRemove(1, true)))))
                .isEqualTo(CONCURRENT_DELETE_READ);
    }

    @Test
    void filtersTellWhichAppendsMatter() {
        ReadSet f9 = ReadSet.NOTHING.withFilter(add -> add.path().equals("f9"));
        ReadSet f8 = ReadSet.NOTHING.withFilter(add -> add.path().equals("f8"));
        assertThat(check(SERIALIZABLE, f9, insert, FILES)).isEqualTo(CONCURRENT_APPEND);
        assertThat(check(SERIALIZABLE, f8, insert, FILES)).isNull();
        assertThat(check(WRITE_SERIALIZABLE, f8.withAbsentKeys(), insert, FILES))
                .isNull();
        assertThat(check(WRITE_SERIALIZABLE, f9.withAbsentKeys(), insert, FILES))
                .isEqualTo(CONCURRENT_APPEND);
    }

    @Test
    void removedFilesConflictWithReadersAndRemovers() {
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING.withPath("f1"), deletion, FILES))
                .isEqualTo(CONCURRENT_DELETE_READ);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING.withPath("f2"), deletion, FILES, removeF2))
                .isNull();
        assertThat(check(WRITE_SERIALIZABLE, WHOLE, deletion, FILES)).isEqualTo(CONCURRENT_DELETE_READ);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, deletion, FILES, removeF1))
                .isEqualTo(CONCURRENT_DELETE_DELETE);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, deletion, FILES, removeF2))
                .isNull();
        assertThat(check(SNAPSHOT, ReadSet.NOTHING.withPath("f1"), update, FILES))
                .isEqualTo(CONCURRENT_DELETE_READ);
        ReadSet noRow = ReadSet.NOTHING.withRows("f1", RowsRead.of(RowPositions.empty()));
        assertThat(check(SERIALIZABLE, noRow, deletion, FILES)).isNull();
    }

    @Test
    void deletionsOfOtherRowsAreUnited() {
        WinningCommit winner = winner(false, WITHOUT_F1, vectored(F1, 7));
        ReadSet fifth = ReadSet.NOTHING.withRows("f1", RowsRead.of(RowPositions.of(5)));
        TouchedFile deletesFifth = new TouchedFile.RowsDeleted(F1, RowPositions.empty(), RowPositions.of(5));
        Attempt after = passed(checker().check(attempt(SERIALIZABLE, fifth, FILES, deletesFifth), winner));
        TouchedFile.RowsDeleted united =
                (TouchedFile.RowsDeleted) after.touched("f1").orElseThrow();
        assertThat(united.allDeleted()).isEqualTo(RowPositions.of(5, 7));
        assertThat(united.base().deletionVector()).isEqualTo(vector(7));
        WinningCommit same = winner(false, WITHOUT_F1, vectored(F1, 5));
        assertThat(check(WRITE_SERIALIZABLE, fifth, same, FILES, deletesFifth)).isEqualTo(CONCURRENT_APPEND);
        assertThat(check(WRITE_SERIALIZABLE, fifth, winner, FILES, removeF1)).isEqualTo(CONCURRENT_APPEND);
    }

    @Test
    void rowsThatComeBackAreNews() {
        AddFile before = vectored(F1, 5, 7);
        WinningCommit restore = winner(false, before.toRemove(1, true), vectored(F1, 5));
        assertThat(check(SERIALIZABLE, ReadSet.NOTHING.withPath("f1"), restore, FILES))
                .isEqualTo(CONCURRENT_APPEND);
        assertThat(check(SERIALIZABLE, WHOLE, restore, FILES)).isEqualTo(CONCURRENT_APPEND);
        assertThat(check(SERIALIZABLE, ReadSet.NOTHING, restore, FILES)).isNull();
    }

    @Test
    void deletionsFollowTheirRowsIntoCompactedFiles() {
        AddFile f1 = vectored(F1, 0, 6);
        AddFile f12 = output(f1, F2);
        WinningCommit compaction =
                winner(false, f1.toRemove(1, false), F2.toRemove(1, false), f12.withDataChange(false));
        ReadSet reads = ReadSet.NOTHING
                .withRows("f1", RowsRead.of(RowPositions.of(5, 9)))
                .withRows("f2", RowsRead.of(RowPositions.of(3)));
        Attempt attempt = attempt(
                SERIALIZABLE,
                reads,
                FILES,
                new TouchedFile.RowsDeleted(f1, RowPositions.of(0, 6), RowPositions.of(5, 9)),
                new TouchedFile.RowsDeleted(F2, RowPositions.empty(), RowPositions.of(3)));
        Attempt after = passed(checker().check(attempt, compaction));
        assertThat(after.touched()).containsOnlyKeys("f12");
        TouchedFile.RowsDeleted moved =
                (TouchedFile.RowsDeleted) after.touched("f12").orElseThrow();
        assertThat(moved.deleted()).isEqualTo(RowPositions.of(4, 7, 8 + 3));
        assertThat(check(SERIALIZABLE, reads, compaction, FILES, new TouchedFile.Removed(f1)))
                .isEqualTo(CONCURRENT_DELETE_READ);
        // the moved rows are still those that were read
        AddFile again = f12.withDeletionVector(vector(4), STATS);
        assertThat(code(checker().check(after, winner(false, f12.toRemove(1, true), again))))
                .isEqualTo(CONCURRENT_APPEND);
        AddFile other = f12.withDeletionVector(vector(5), STATS);
        assertThat(passed(checker().check(after, winner(false, f12.toRemove(1, true), other)))
                        .touched()
                        .get("f12"))
                .isInstanceOfSatisfying(
                        TouchedFile.RowsDeleted.class,
                        rows -> assertThat(rows.allDeleted()).isEqualTo(RowPositions.of(4, 5, 7, 11)));
    }

    @Test
    void compactionTakesOverDeletionsThatCameFirst() {
        AddFile f1 = vectored(F1, 0);
        AddFile f12 = output(f1, F2);
        Attempt attempt = new Attempt(
                SNAPSHOT,
                ReadSet.NOTHING.withPath("f1").withPath("f2"),
                new Attempt.Purpose(false, false, true, Set.of(), Set.of()),
                Map.of("f1", new TouchedFile.Removed(f1), "f2", removeF2),
                Rearrangement.of(f12, Map.of("f1", Optional.of(vector(0)), "f2", Optional.empty())).stream()
                        .toList(),
                Map.of());
        Attempt once = passed(checker().check(attempt, winner(false, f1.toRemove(1, true), vectored(F1, 0, 5))));
        Attempt twice = passed(checker().check(once, winner(false, WITHOUT_F2, vectored(F2, 3))));
        assertThat(twice.deletedFromOutputs()).isEqualTo(Map.of("f12", RowPositions.of(4, 9 + 3)));
        assertThat(twice.touched("f1").orElseThrow().base().deletionVector()).isEqualTo(vector(0, 5));
        assertThat(code(checker().check(twice, update))).isEqualTo(CONCURRENT_DELETE_READ);
    }

    @Test
    void changesOfMetadataConflictWithAllAndOfProtocolWithThoseThatCannotFollow() {
        Metadata metadata = new Metadata("id", null, null, "parquet", Map.of(), "{}", List.of(), Map.of(), null);
        Protocol protocol = new Protocol(1, 2, Set.of(), Set.of());
        Protocol future = new Protocol(9, 9, Set.of(), Set.of());
        Attempt.Purpose upgrade = new Attempt.Purpose(false, true, false, Set.of(), Set.of());
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, winner(false, protocol), FILES))
                .isNull();
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, winner(false, future), FILES))
                .isEqualTo(PROTOCOL_CHANGED);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, winner(false, protocol), upgrade))
                .isEqualTo(PROTOCOL_CHANGED);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, winner(false, metadata), FILES))
                .isEqualTo(METADATA_CHANGED);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, insert, METADATA)).isNull();
    }

    @Test
    void sameDomainOrApplicationConflicts() {
        WinningCommit progress = winner(true, new SetTransaction("a", 1, null));
        WinningCommit domain = winner(true, new DomainMetadata("d", "1", false), F9);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, domain, purpose(Set.of("d"), Set.of())))
                .isEqualTo(CONCURRENT_TRANSACTION);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, domain, purpose(Set.of("e"), Set.of())))
                .isNull();
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, progress, purpose(Set.of(), Set.of("a"))))
                .isEqualTo(CONCURRENT_TRANSACTION);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING.withAppId("a"), progress, FILES))
                .isEqualTo(CONCURRENT_TRANSACTION);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING.withAppId("b"), progress, FILES))
                .isNull();
    }

    @Test
    void saysWhatHappened() {
        Verdict verdict = checker().check(attempt(WRITE_SERIALIZABLE, ReadSet.NOTHING, FILES, removeF1), deletion);
        TidemarkException error = ((Verdict.Refused) verdict).conflict().toException("/tables/t");
        assertThat(error.render())
                .contains("/tables/t", "version 12", "DELETE", "f1", "ConcurrentDeleteDeleteException");
    }

    private static ConflictChecker checker() {
        return new ConflictChecker(
                vector -> vector == null
                        ? RowPositions.empty()
                        : Objects.requireNonNull(VECTORS.get(vector.pathOrInlineDv())),
                protocol -> protocol.minReaderVersion() < 4);
    }

    private static @Nullable ErrorCode check(
            IsolationLevel level,
            ReadSet reads,
            WinningCommit winner,
            Attempt.Purpose purpose,
            TouchedFile... touched) {
        return code(checker().check(attempt(level, reads, purpose, touched), winner));
    }

    private static @Nullable ErrorCode code(Verdict verdict) {
        return verdict instanceof Verdict.Refused refused ? refused.conflict().code() : null;
    }

    private static Attempt passed(Verdict verdict) {
        return ((Verdict.Passed) verdict).attempt();
    }

    private static Attempt attempt(
            IsolationLevel level, ReadSet reads, Attempt.Purpose purpose, TouchedFile... touched) {
        Map<String, TouchedFile> files = new HashMap<>();
        for (TouchedFile file : touched) {
            files.put(file.base().path(), file);
        }
        return new Attempt(level, reads, purpose, files, List.of(), Map.of());
    }

    private static Attempt.Purpose purpose(Set<String> domains, Set<String> appIds) {
        return new Attempt.Purpose(false, false, false, domains, appIds);
    }

    private static DeletionVectorDescriptor vector(long... rows) {
        RowPositions positions = RowPositions.of(rows);
        StringBuilder name = new StringBuilder("v");
        positions.forEach(row -> name.append('-').append(row));
        VECTORS.put(name.toString(), positions);
        return new DeletionVectorDescriptor("u", name.toString(), 1, 1, positions.cardinality());
    }

    private static AddFile vectored(AddFile file, long... rows) {
        return file.withDeletionVector(vector(rows), STATS);
    }

    /** A file that holds the live rows of others, which have ten rows each. */
    private static AddFile output(AddFile... sources) {
        List<Rearrangement.Source> list = new ArrayList<>();
        for (AddFile source : sources) {
            DeletionVectorDescriptor vector = source.deletionVector();
            list.add(new Rearrangement.Source(source.path(), vector, 10 - (vector == null ? 0 : vector.cardinality())));
        }
        return new AddFile(
                "f12",
                Map.of(),
                1,
                1,
                false,
                STATS,
                Map.of(Rearrangement.TAG, Rearrangement.tag(list)),
                null,
                null,
                null,
                null);
    }

    private static WinningCommit winner(boolean blind, Action... actions) {
        List<Action> all = new ArrayList<>();
        all.add(new CommitInfo(Map.of("operation", "DELETE", "isBlindAppend", blind)));
        all.addAll(List.of(actions));
        return new WinningCommit(12, all);
    }
}
