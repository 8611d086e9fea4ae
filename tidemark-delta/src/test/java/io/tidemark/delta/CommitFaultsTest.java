package io.tidemark.delta;

import static io.tidemark.delta.TableFixture.file;
import static io.tidemark.delta.TableFixture.paths;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.vector.RowPositions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lets every single operation of a commit fail, and asks after each whether the table is the old or the new one. */
class CommitFaultsTest {
    private static final int OPERATIONS_MAX = 200;

    @TempDir
    Path folder;

    private final FaultyStorage storage = new FaultyStorage();

    /** What the caller of a commit learned. */
    private enum Answer {
        COMMITTED,
        FAILED,
        UNKNOWN
    }

    @Test
    void everyFailureLeavesTheOldOrTheNewTable() {
        for (boolean after : new boolean[] {false, true}) {
            List<Answer> answers = failEach(after, 1);
            assertThat(answers).as("after=" + after).contains(Answer.COMMITTED, Answer.FAILED);
        }
    }

    @Test
    void lastingFailuresDoSoTooAndSayWhatIsNotKnown() {
        for (boolean after : new boolean[] {false, true}) {
            List<Answer> answers = failEach(after, Integer.MAX_VALUE);
            assertThat(answers).as("after=" + after).contains(Answer.COMMITTED, Answer.FAILED, Answer.UNKNOWN);
        }
    }

    private List<Answer> failEach(boolean after, int times) {
        List<Answer> answers = new ArrayList<>();
        for (int operation = 0; operation < OPERATIONS_MAX; operation++) {
            storage.heal();
            TableFixture fixture = new TableFixture(
                    storage,
                    folder.resolve(after + "-" + times + "-" + operation).toString());
            fixture.create(TableFixture.definition().with("delta.checkpointInterval", "2"));
            fixture.append("f1");
            Snapshot before = fixture.table.snapshot();
            DataFile target = file(before, "f1");
            Transaction transaction = before.begin("DELETE")
                    .readFile(target)
                    .deleteRows(target, RowPositions.of(1))
                    .add("f2", Map.of(), 1, TableFixture.stats());
            storage.failAt(operation, after, times);
            Answer answer = answerOf(transaction);
            int done = storage.operations().size();
            storage.heal();
            answers.add(answer);
            check(fixture.table, answer, "operation " + operation + " after=" + after + " times=" + times);
            assertThat(fixture.append("f3")).isGreaterThan(1);
            if (done <= operation) {
                return answers;
            }
        }
        throw new AssertionError("a commit takes more than " + OPERATIONS_MAX + " operations");
    }

    private static Answer answerOf(Transaction transaction) {
        try {
            CommitOutcome outcome = transaction.commit();
            assertThat(outcome).isNotInstanceOf(CommitOutcome.Rejected.class);
            return outcome instanceof CommitOutcome.Committed ? Answer.COMMITTED : Answer.UNKNOWN;
        } catch (TidemarkException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.IO_FAILED);
            return Answer.FAILED;
        }
    }

    private static void check(DeltaTable table, Answer answer, String description) {
        Snapshot now = table.snapshot();
        boolean changed = now.version() == 2;
        switch (answer) {
            case COMMITTED -> assertThat(changed).as(description).isTrue();
            case FAILED -> assertThat(changed).as(description).isFalse();
            case UNKNOWN -> assertThat(now.version()).as(description).isBetween(1L, 2L);
        }
        RowPositions deleted = now.deletedRows(file(now, "f1"));
        assertThat(deleted).as(description).isEqualTo(changed ? RowPositions.of(1) : RowPositions.empty());
        assertThat(paths(now)).as(description).containsExactlyElementsOf(changed ? List.of("f1", "f2") : List.of("f1"));
    }
}
