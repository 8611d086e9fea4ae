package io.tidemark.tests.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ScdType;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.tests.change.Histories.Partial;
import io.tidemark.tests.change.Histories.Setup;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What INSERT, UPDATE and DELETE on a target mean for late and for newer events, by example. */
class HandMadeRowsTest {
    @TempDir
    Path temporary;

    private DuckDbEngine engine;
    private PlanRunner runner;

    @BeforeEach
    void open() {
        engine = DuckDbEngine.open(DuckDbSettings.defaults(temporary));
        runner = runner(ScdType.SCD1, Partial.NONE, true);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    // ---- SCD type 1; rows are key, a, b, c and the sequence

    @Test
    void insertedRowCountsAsTheEventAtItsSequence() {
        insert("'k', 'hand', NULL, NULL, 5");
        update(upsert(4, "late", "x"));
        assertRows("k hand null null 5");
        update(upsert(6, "newer", "y"));
        assertRows("k newer y null 6");
    }

    @Test
    void insertedRowWithoutSequenceIsOlderThanEveryEvent() {
        start(ScdType.SCD1, Partial.NONE, false);
        insert("'k', 'hand', NULL, NULL");
        update();
        assertRows("k hand null null");
        update(upsert(1, "event", null));
        assertRows("k event null null");
    }

    @Test
    void updatedRowKeepsItsSequence() {
        update(upsert(5, "event", "x"));
        runner.target().update("a", "'hand'", "k = 'k'");
        update(upsert(4, "late", "y"));
        assertRows("k hand x null 5");
        update(upsert(6, "newer", "z"));
        assertRows("k newer z null 6");
    }

    @Test
    void deletedRowLeavesATombstoneAtItsSequence() {
        update(upsert(5, "event", "x"));
        runner.target().delete("k = 'k'");
        update(upsert(4, "late", "y"));
        assertRows();
        update(upsert(6, "newer", "z"));
        assertRows("k newer z null 6");
    }

    @Test
    void deletedRowLeavesATombstoneAtItsRememberedSequence() {
        start(ScdType.SCD1, Partial.NONE, false);
        update(upsert(5, "event", "x"));
        runner.target().delete("k = 'k'");
        update(upsert(4, "late", "y"));
        assertRows();
        update(upsert(6, "newer", "z"));
        assertRows("k newer z null");
    }

    // ---- SCD type 1 with partial updates

    @Test
    void updatedColumnIsAuthoredAtTheRowsSequenceAndTheOthersKeepTheirs() {
        start(ScdType.SCD1, Partial.IGNORE_NULLS, true);
        update(upsert(2, null, "old"), upsert(5, "event", null));
        runner.target().update("a", "'hand'", "k = 'k'");
        update(upsert(4, "late", "late"));
        assertRows("k hand late null 5");
        update(upsert(6, "newer", null));
        assertRows("k newer late null 6");
    }

    @Test
    void partialEventsFillUpAnInsertedRow() {
        start(ScdType.SCD1, Partial.IGNORE_NULLS, true);
        insert("'k', 'hand', 'hand', NULL, 5");
        update(upsert(4, "late", "late"), upsert(6, null, "newer"));
        assertRows("k hand newer null 6");
    }

    @Test
    void columnsOfARowDeletedByHandDoNotComeBack() {
        start(ScdType.SCD1, Partial.IGNORE_NULLS, true);
        update(upsert(2, null, "old"), upsert(5, "event", null));
        runner.target().delete("k = 'k'");
        update(upsert(3, null, "late"));
        assertRows();
        update(upsert(6, "newer", null));
        assertRows("k newer null null 6");
    }

    // ---- SCD type 2; rows are key, a, b, c, start and end

    @Test
    void insertedVersionIsOpenUntilANewerEvent() {
        start(ScdType.SCD2, Partial.NONE, false);
        insert("'k', 'hand', NULL, NULL, 5, NULL");
        update(upsert(3, "late", null));
        assertRows("k hand null null 5 null", "k late null null 3 5");
        update(upsert(8, "newer", null));
        assertRows("k hand null null 5 8", "k late null null 3 5", "k newer null null 8 null");
    }

    @Test
    void insertedClosedVersionEndsWithADelete() {
        start(ScdType.SCD2, Partial.NONE, false);
        insert("'k', 'hand', NULL, NULL, 5, 7");
        update(upsert(6, "inside", null));
        assertRows("k hand null null 5 6", "k inside null null 6 7");
    }

    @Test
    void updatedVersionReplacesTheEventsThatItHeld() {
        start(ScdType.SCD2, Partial.NONE, false);
        update(upsert(1, "p", null), upsert(3, "p", null), upsert(8, "q", null));
        assertRows("k p null null 1 8", "k q null null 8 null");
        runner.target().update("a", "'hand'", "__START_AT = 1");
        update(upsert(2, "late", null));
        // The event at 3 is gone with the row that held it: nothing brings p back.
        assertRows("k hand null null 1 2", "k late null null 2 8", "k q null null 8 null");
    }

    @Test
    void deletedVersionLeavesItsSpanEmptyUntilANewerEvent() {
        start(ScdType.SCD2, Partial.NONE, false);
        update(upsert(1, "p", null), upsert(3, "q", null), upsert(8, "r", null));
        runner.target().delete("__START_AT = 3");
        update(upsert(2, "late", null));
        assertRows("k late null null 2 3", "k p null null 1 2", "k r null null 8 null");
        update(upsert(5, "newer", null));
        assertRows("k late null null 2 3", "k newer null null 5 8", "k p null null 1 2", "k r null null 8 null");
    }

    @Test
    void overlappingVersionsByHandFailTheUpdate() {
        start(ScdType.SCD2, Partial.NONE, false);
        update(upsert(3, "p", null));
        insert("'k', 'hand', NULL, NULL, 5, NULL");
        assertFails(ErrorCode.TARGET_ROWS_INVALID, upsert(9, "q", null));
    }

    // ---- SCD type 2 with partial updates

    @Test
    void updatedColumnFlowsIntoLaterVersionsThatInheritedIt() {
        start(ScdType.SCD2, Partial.IGNORE_NULLS, false);
        update(upsert(1, "p", "p"), upsert(5, "q", null));
        assertRows("k p p null 1 5", "k q p null 5 null");
        runner.target().update("b", "'hand'", "__START_AT = 1");
        update(upsert(7, "r", null));
        assertRows("k p hand null 1 5", "k q hand null 5 7", "k r hand null 7 null");
    }

    @Test
    void updatedColumnHidesLateEventsBeforeTheRow() {
        start(ScdType.SCD2, Partial.IGNORE_NULLS, false);
        update(upsert(1, "p", "p"), upsert(5, "q", null));
        runner.target().update("b", "'hand'", "__START_AT = 5");
        update(upsert(3, null, "late"));
        assertRows("k p late null 3 5", "k p p null 1 3", "k q hand null 5 null");
    }

    @Test
    void partialEventsAfterADeleteByHandBeginALife() {
        start(ScdType.SCD2, Partial.IGNORE_NULLS, false);
        update(upsert(1, "p", "p"));
        runner.target().delete("k = 'k'");
        update(upsert(5, "q", null));
        assertRows("k q null null 5 null");
    }

    // ---- bitemporal; rows are key, a, b, c, start, end, system start and system end

    @Test
    void insertedBeliefIsTheUpsertAtItsTwoTimes() {
        start(ScdType.BITEMPORAL, Partial.NONE, false);
        insert("'k', 'hand', NULL, NULL, 5, NULL, 50, NULL");
        update(upsert(7, 70, "newer"));
        assertRows("k hand null null 5 7 70 null", "k hand null null 5 null 50 70", "k newer null null 7 null 70 null");
        update(upsert(6, 60, "late"));
        assertRows(
                "k hand null null 5 6 60 null",
                "k hand null null 5 null 50 60",
                "k late null null 6 7 70 null",
                "k late null null 6 null 60 70",
                "k newer null null 7 null 70 null");
    }

    @Test
    void deletedKeyIsForgotten() {
        start(ScdType.BITEMPORAL, Partial.NONE, false);
        update(upsert(5, 50, "p"), upsert(5, 60, "q"));
        runner.target().delete("k = 'k'");
        update(upsert(4, 40, "late"));
        assertRows("k late null null 4 null 40 null");
    }

    @Test
    void partOfABitemporalKeyMayNotBeDeleted() {
        start(ScdType.BITEMPORAL, Partial.NONE, false);
        update(upsert(5, 50, "p"), upsert(5, 60, "q"));
        runner.target().delete("__SYSTEM_END_AT IS NULL");
        assertFails(ErrorCode.TARGET_ROWS_INVALID, upsert(9, 90, "r"));
    }

    @Test
    void closedBeliefsMayNotBeInserted() {
        start(ScdType.BITEMPORAL, Partial.NONE, false);
        insert("'k', 'hand', NULL, NULL, 5, NULL, 50, 60");
        assertFails(ErrorCode.TARGET_ROWS_INVALID, upsert(9, 90, "r"));
    }

    @Test
    void beliefsWithoutAStartAreRefused() {
        start(ScdType.BITEMPORAL, Partial.NONE, false);
        insert("'k', 'hand', NULL, NULL, NULL, NULL, 50, NULL");
        assertFails(ErrorCode.TARGET_ROWS_INVALID, upsert(9, 90, "r"));
    }

    /** The number that stands for NULL on the way through the reducer. */
    @Test
    void theLeastNumberIsATimeLikeOthers() {
        start(ScdType.BITEMPORAL, Partial.NONE, false);
        long least = Long.MIN_VALUE;
        update(upsert(least, least, "p"), upsert(5, 6, "q"));
        assertRows(
                "k p null null " + least + " 5 6 null",
                "k p null null " + least + " null " + least + " 6",
                "k q null null 5 null 6 null");
        update(upsert(least, 7, "r"));
        assertRows(
                "k p null null " + least + " 5 6 7",
                "k p null null " + least + " null " + least + " 6",
                "k q null null 5 null 6 null",
                "k r null null " + least + " 5 7 null");
    }

    private PlanRunner runner(ScdType type, Partial partial, boolean sequenceInTarget) {
        Setup setup = new Setup(type, partial, Histories.COLUMNS, sequenceInTarget, false, false);
        return new PlanRunner(
                engine, "hand_" + type + "_" + partial + "_" + sequenceInTarget, setup.flow(), Setup.source());
    }

    private void start(ScdType type, Partial partial, boolean sequenceInTarget) {
        runner.close();
        runner = runner(type, partial, sequenceInTarget);
    }

    private void insert(String values) {
        String columns = String.join(", ", runner.spec().targetSchema().names());
        runner.target().insert("SELECT * FROM (VALUES (" + values + ")) AS v(" + columns + ")");
    }

    private static Oracle.Event upsert(long sequence, @Nullable String a, @Nullable String b) {
        return event(sequence, sequence, a, b);
    }

    private static Oracle.Event upsert(long sequence, long system, String a) {
        return event(sequence, system, a, null);
    }

    private static Oracle.Event event(long sequence, long system, @Nullable String a, @Nullable String b) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("a", a);
        values.put("b", b);
        return new Oracle.Event("k", sequence, system, Oracle.Kind.UPSERT, values);
    }

    private void update(Oracle.Event... events) {
        runner.update(Histories.sql(List.of(events), engine.dialect()));
    }

    private void assertRows(String... expected) {
        List<String> rows = runner.rows().stream()
                .map(row -> String.join(" ", row.stream().map(String::valueOf).toList()))
                .sorted()
                .toList();
        assertThat(rows).containsExactly(expected);
    }

    private void assertFails(ErrorCode code, Oracle.Event event) {
        TidemarkException failure = catchThrowableOfType(TidemarkException.class, () -> update(event));
        assertThat(failure).isNotNull();
        assertThat(failure.code()).isEqualTo(code);
    }
}
