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
import io.tidemark.delta.log.DomainMetadata;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.Protocol;
import io.tidemark.delta.log.RemoveFile;
import io.tidemark.delta.log.SetTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConflictCheckerTest {
    private static final AddFile F1 = AddFile.of("f1", Map.of(), 1, 1, null);
    private static final AddFile F2 = AddFile.of("f2", Map.of(), 1, 1, null);
    private static final AddFile F9 = AddFile.of("f9", Map.of(), 1, 1, null);
    private static final RemoveFile WITHOUT_F1 = F1.toRemove(1, true);
    private static final RemoveFile WITHOUT_F2 = F2.toRemove(1, true);
    private static final ReadSet WHOLE = ReadSet.NOTHING.withWholeTable();

    private final WinningCommit insert = winner(true, F9);
    private final WinningCommit update = winner(false, WITHOUT_F1, F9);
    private final WinningCommit deletion = winner(false, WITHOUT_F1);

    @Test
    void blindAppendsPassAll() {
        for (IsolationLevel level : List.of(SERIALIZABLE, WRITE_SERIALIZABLE)) {
            for (WinningCommit winner : List.of(insert, update, deletion)) {
                assertThat(check(level, ReadSet.NOTHING, winner, F2)).isNull();
            }
        }
    }

    @Test
    void readersOfTheWholeTableMissAppends() {
        assertThat(check(SERIALIZABLE, WHOLE, insert, F2)).isEqualTo(CONCURRENT_APPEND);
        assertThat(check(WRITE_SERIALIZABLE, WHOLE, insert, F2)).isNull();
        assertThat(check(WRITE_SERIALIZABLE, WHOLE.withAbsentKeys(), insert, F2))
                .isEqualTo(CONCURRENT_APPEND);
        assertThat(check(WRITE_SERIALIZABLE, WHOLE, winner(false, F9), F2)).isEqualTo(CONCURRENT_APPEND);
        assertThat(check(SNAPSHOT, WHOLE.withPath("f2"), insert, WITHOUT_F2)).isNull();
    }

    @Test
    void anAppendThatRemovesIsNotBlindWhateverItSays() {
        assertThat(check(WRITE_SERIALIZABLE, WHOLE, winner(true, F9, WITHOUT_F1), F2))
                .isEqualTo(CONCURRENT_APPEND);
    }

    @Test
    void filtersTellWhichAppendsMatter() {
        ReadSet f9 = ReadSet.NOTHING.withFilter(add -> add.path().equals("f9"));
        ReadSet f8 = ReadSet.NOTHING.withFilter(add -> add.path().equals("f8"));
        assertThat(check(SERIALIZABLE, f9, insert, F2)).isEqualTo(CONCURRENT_APPEND);
        assertThat(check(SERIALIZABLE, f8, insert, F2)).isNull();
        assertThat(check(WRITE_SERIALIZABLE, f8.withAbsentKeys(), insert, F2)).isNull();
        assertThat(check(WRITE_SERIALIZABLE, f9.withAbsentKeys(), insert, F2)).isEqualTo(CONCURRENT_APPEND);
    }

    @Test
    void removedFilesConflictWithReadersAndRemovers() {
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING.withPath("f1"), deletion, F2))
                .isEqualTo(CONCURRENT_DELETE_READ);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING.withPath("f2"), deletion, WITHOUT_F2))
                .isNull();
        assertThat(check(WRITE_SERIALIZABLE, WHOLE, deletion, F2)).isEqualTo(CONCURRENT_DELETE_READ);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, deletion, WITHOUT_F1))
                .isEqualTo(CONCURRENT_DELETE_DELETE);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, deletion, WITHOUT_F2))
                .isNull();
        assertThat(check(SNAPSHOT, ReadSet.NOTHING.withPath("f1"), update, F2)).isEqualTo(CONCURRENT_DELETE_READ);
        assertThat(check(WRITE_SERIALIZABLE, WHOLE, update, F2)).isEqualTo(CONCURRENT_APPEND);
    }

    @Test
    void changesOfProtocolAndMetadataConflictWithAll() {
        Metadata metadata = new Metadata("id", null, null, "parquet", Map.of(), "{}", List.of(), Map.of(), null);
        Protocol protocol = new Protocol(1, 2, Set.of(), Set.of());
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, winner(false, protocol), F2))
                .isEqualTo(PROTOCOL_CHANGED);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, winner(false, metadata), F2))
                .isEqualTo(METADATA_CHANGED);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, insert, metadata)).isNull();
        assertThat(check(WRITE_SERIALIZABLE, WHOLE, insert, metadata)).isEqualTo(CONCURRENT_APPEND);
    }

    @Test
    void sameDomainOrApplicationConflicts() {
        DomainMetadata domain = new DomainMetadata("d", "1", false);
        SetTransaction progress = new SetTransaction("a", 1, null);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, winner(true, domain, F9), domain, F2))
                .isEqualTo(CONCURRENT_TRANSACTION);
        assertThat(check(
                        WRITE_SERIALIZABLE,
                        ReadSet.NOTHING,
                        winner(true, new DomainMetadata("e", "1", false)),
                        domain,
                        F2))
                .isNull();
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING, winner(true, progress), new SetTransaction("a", 2, null)))
                .isEqualTo(CONCURRENT_TRANSACTION);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING.withAppId("a"), winner(true, progress), F2))
                .isEqualTo(CONCURRENT_TRANSACTION);
        assertThat(check(WRITE_SERIALIZABLE, ReadSet.NOTHING.withAppId("b"), winner(true, progress), F2))
                .isNull();
    }

    @Test
    void saysWhatHappened() {
        Conflict conflict = ConflictChecker.check(
                        new Attempt(WRITE_SERIALIZABLE, ReadSet.NOTHING, List.of(WITHOUT_F1)), deletion)
                .orElseThrow();
        TidemarkException error = conflict.toException("/tables/t");
        assertThat(error.render())
                .contains("/tables/t", "version 12", "DELETE", "f1", "ConcurrentDeleteDeleteException");
    }

    private static @Nullable ErrorCode check(
            IsolationLevel level, ReadSet reads, WinningCommit winner, Action... actions) {
        return ConflictChecker.check(new Attempt(level, reads, List.of(actions)), winner)
                .map(Conflict::code)
                .orElse(null);
    }

    private static WinningCommit winner(boolean blind, Action... actions) {
        List<Action> all = new ArrayList<>();
        all.add(new CommitInfo(Map.of("operation", "DELETE", "isBlindAppend", blind)));
        all.addAll(List.of(actions));
        return new WinningCommit(12, all);
    }
}
