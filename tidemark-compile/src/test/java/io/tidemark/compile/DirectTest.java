package io.tidemark.compile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Patterns Direct1ToN and DirectMToN. A payload {@code text|rest} contributes itself; what is published is the text, and
 * nothing if the text is empty. Numbers in comments are the cases of the specification.
 */
class DirectTest {
    @TempDir
    Path folder;

    private Compilation compilation;

    @BeforeEach
    void catalogs() {
        compilation = new Compilation(folder)
                .input("A", "a")
                .output("X")
                .put("A", "a", "a1", "one|", "a2", "two|", "a3", "three|");
    }

    private static TaskBuilder task() {
        return Task.named("t").version("1").in("A", "a").out("X");
    }

    private static Optional<Payload> text(String value) {
        String text = value.substring(0, value.indexOf('|'));
        return text.isEmpty() ? Payload.none() : Payload.some(text);
    }

    private static PartitionKey x(PartitionKey in) {
        return PartitionKey.output("X", in.partition().replace('a', 'x'));
    }

    /** Each input gives one output. */
    private static Task oneToOne() {
        return task().direct1ToN(String.class)
                .map((in, c) -> List.of(x(in)))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOut((out, values) -> text(values.first()))
                .build();
    }

    /** Each input gives two outputs: the text, and the rest. */
    private static Task oneToTwo() {
        return task().direct1ToN(String.class)
                .map((in, c) -> List.of(c.out("X", x(in).partition() + ".0"), c.out("X", x(in).partition() + ".1")))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOut((out, values) -> Payload.some(
                        values.first().split("\\|", -1)[out.partition().endsWith("0") ? 0 : 1]))
                .build();
    }

    /** Two inputs give one output: their texts, joined in the order of the texts or of the inputs. */
    private static TaskBuilder.Direct<String> twoToOne(boolean ordered) {
        return task().directMToN(String.class)
                .map((in, c) -> List.of(c.out("X", in.partition().compareTo("a3") < 0 ? "x1" : "x2")))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOut((out, values) -> Payload.some(String.join(
                        "+",
                        ordered
                                ? values.toList()
                                : values.toList().stream().sorted().toList())));
    }

    @Test
    void firstRunIsFull() { // 1
        compilation.run(oneToOne()).full(Reason.EMPTY_OUTPUT, 3, 3, 3, 0, 0).committed();
        assertThat(compilation.content("X")).isEqualTo(Map.of("x1", "one", "x2", "two", "x3", "three"));
        assertThat(compilation.dependency("A")).isEqualTo(1);
        assertThat(compilation.out().latest().number()).isEqualTo(1);
    }

    @Test
    void sameInputIsSkipped() { // 2
        compilation.run(oneToOne());
        compilation.run(oneToOne()).skipped().notCommitted();
    }

    @Test
    void changedInputAloneIsCompiled() { // 3
        compilation.run(oneToOne());
        compilation.put("A", "a", "a2", "TWO|").run(oneToOne()).incremental(1, 1, 1, 0, 0);
        assertThat(compilation.written("X")).isEqualTo(Map.of("x1", 1L, "x2", 2L, "x3", 1L));
        assertThat(compilation.content("X")).containsEntry("x2", "TWO");
    }

    @Test
    void equalPayloadIsNotPublishedAgain() { // 4
        compilation.run(oneToOne());
        compilation
                .put("A", "a", "a2", "two|other")
                .run(oneToOne())
                .incremental(1, 1, 0, 0, 1)
                .committed();
        assertThat(compilation.dependency("A")).isEqualTo(2);
        assertThat(compilation.changes(1, 2, "X")).isEmpty();
        assertThat(compilation.written("X").values()).containsOnly(1L);
    }

    @Test
    void outputOfDeletedInputGoes() { // 5
        compilation.run(oneToOne());
        compilation.put("A", "a", "a3", null).run(oneToOne()).incremental(0, 0, 0, 1, 0);
        assertThat(compilation.changes(1, 2, "X")).isEqualTo(Map.of("x3", "deleted"));
    }

    @Test
    void addedInputIsCompiled() { // 6
        compilation.run(oneToOne());
        compilation
                .put("A", "a", "a4", "four|")
                .run(oneToOne())
                .incremental(1, 1, 1, 0, 0)
                .added(1);
    }

    @Test
    void outputWithoutPayloadGoes() { // 7
        compilation.run(oneToOne());
        compilation.put("A", "a", "a2", "|nothing").run(oneToOne()).incremental(1, 1, 0, 1, 0);
        assertThat(compilation.content("X")).doesNotContainKey("x2");
    }

    @Test
    void outputThatNeverWasIsNotDeleted() { // 8
        compilation.run(oneToOne());
        compilation.put("A", "a", "a4", "|nothing").run(oneToOne()).incremental(1, 1, 0, 0, 0);
        assertThat(compilation.changes(1, 2, "X")).isEmpty();
    }

    @Test
    void reprocessingCompilesAll() { // 9
        compilation.run(oneToOne());
        compilation.run(Job.latest().reprocess(), oneToOne()).full(Reason.REQUESTED, 3, 3, 0, 0, 3);
    }

    @Test
    void otherCodeCompilesAll() { // 10
        compilation.run(oneToOne());
        Task other = task().direct1ToN(String.class)
                .map((in, c) -> in.partition().equals("a3") ? List.of() : List.of(x(in)))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOut((out, values) -> text(values.first()))
                .build();
        compilation.run(other).full(Reason.FINGERPRINT, 2, 2, 0, 1, 2).detail("code");
        assertThat(compilation.content("X")).doesNotContainKey("x3");
    }

    @Test
    void fullRunStillComparesPayloads() { // 11
        compilation.run(oneToOne());
        compilation
                .put("A", "a", "a2", "TWO|")
                .run(Job.latest().withoutIncremental(), oneToOne())
                .full(Reason.INCREMENTAL_DISABLED, 3, 3, 1, 0, 2);
    }

    @Test
    void unchangedInputIsSkippedAlsoWithoutIncremental() { // 12
        compilation.run(oneToOne());
        compilation.run(Job.latest().withoutIncremental(), oneToOne()).skipped().notCommitted();
    }

    @Test
    void oneOfTwoOutputsDiffers() { // 13
        compilation.put("A", "a", "a1", "one|1", "a2", "two|2", "a3", "three|3");
        compilation.run(oneToTwo()).full(Reason.EMPTY_OUTPUT, 3, 6, 6, 0, 0);
        compilation.put("A", "a", "a1", "one|changed").run(oneToTwo()).incremental(1, 2, 1, 0, 1);
        assertThat(compilation.content("X")).containsEntry("x1.0", "one").containsEntry("x1.1", "changed");
    }

    @Test
    void twoInputsOfOneOutputAreRefused() { // 14
        compilation.run(oneToOne());
        Task wrong = task().direct1ToN(String.class)
                .map((in, c) -> List.of(c.out("X", in.partition().equals("a3") ? "x3" : "x9")))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOut((out, values) -> text(values.first()))
                .build();
        TidemarkException failure = compilation.fails(ErrorCode.ONE_TO_N_VIOLATION, () -> compilation.run(wrong));
        assertThat(failure.primary()).contains("A:a/a1").contains("A:a/a2").contains("x9");
    }

    @Test
    void addedInputOfAnOutputThatHasOneIsRefused() {
        Task halved = task().direct1ToN(String.class)
                .map((in, c) -> List.of(c.out("X", in.partition().substring(0, 2))))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOut((out, values) -> text(values.first()))
                .build();
        compilation.run(halved);
        compilation.put("A", "a", "a22", "again|");
        TidemarkException failure = compilation.fails(ErrorCode.ONE_TO_N_VIOLATION, () -> compilation.run(halved));
        assertThat(failure.primary()).contains("A:a/a2 ").contains("A:a/a22");
    }

    @Test
    void otherContributorsComeFromTheState() { // 15
        compilation.put("A", "a", "a4", "four|");
        compilation.run(twoToOne(true).build()).full(Reason.EMPTY_OUTPUT, 4, 2, 2, 0, 0);
        compilation.put("A", "a", "a1", "ONE|").run(twoToOne(true).build()).incremental(1, 1, 1, 0, 0);
        assertThat(compilation.content("X")).containsEntry("x1", "ONE|+two|");
    }

    @Test
    void otherContributorsAreCompiledInAgainWithoutStoredValues() { // 15
        compilation.put("A", "a", "a4", "four|");
        Task task = twoToOne(true).keepIntermediates(false).build();
        compilation.run(task).full(Reason.EMPTY_OUTPUT, 4, 2, 2, 0, 0);
        compilation.put("A", "a", "a1", "ONE|").run(task).incremental(2, 1, 1, 0, 0);
        assertThat(compilation.content("X")).containsEntry("x1", "ONE|+two|");
    }

    @Test
    void outputLosesOneContributor() { // 16
        compilation.run(twoToOne(true).build());
        compilation.put("A", "a", "a1", null).run(twoToOne(true).build()).incremental(0, 1, 1, 0, 0);
        assertThat(compilation.content("X")).containsEntry("x1", "two|");
    }

    @Test
    void outputLosesAllContributors() { // 17
        compilation.run(twoToOne(true).build());
        compilation
                .put("A", "a", "a1", null, "a2", null)
                .run(twoToOne(true).build())
                .incremental(0, 0, 0, 1, 0);
        assertThat(compilation.content("X")).containsOnlyKeys("x2");
    }

    @Test
    void swappedContributionsAreCompiledOut() { // 18
        compilation.run(twoToOne(false).build());
        compilation
                .put("A", "a", "a1", "two|", "a2", "one|")
                .run(twoToOne(false).build())
                .incremental(2, 1, 0, 0, 1);
    }

    @Test
    void orderOfContributorsCounts() { // 18
        compilation.run(twoToOne(true).build());
        compilation
                .put("A", "a", "a1", "two|", "a2", "one|")
                .run(twoToOne(true).build())
                .incremental(2, 1, 1, 0, 0);
        assertThat(compilation.content("X")).containsEntry("x1", "two|+one|");
    }

    @Test
    void announcedOutputThatIsNotMadeGoes() { // 35
        Task many = task().direct1ToN(String.class)
                .map((in, c) -> List.of(x(in)))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOutMany(
                        out -> List.of(
                                PartitionKey.output("X", out.partition() + ".k1"),
                                PartitionKey.output("X", out.partition() + ".k2")),
                        (out, values) -> values.first().endsWith("|")
                                ? Map.of(
                                        PartitionKey.output("X", out.partition() + ".k1"), Payload.of(values.first()),
                                        PartitionKey.output("X", out.partition() + ".k2"), Payload.of(values.first()))
                                : Map.of(PartitionKey.output("X", out.partition() + ".k1"), Payload.of(values.first())))
                .build();
        compilation.run(many).full(Reason.EMPTY_OUTPUT, 3, 3, 6, 0, 0);
        compilation.put("A", "a", "a1", "one|alone").run(many).incremental(1, 1, 1, 1, 0);
        assertThat(compilation.content("X")).containsKey("x1.k1").doesNotContainKey("x1.k2");
        compilation.put("A", "a", "a2", null).run(many).incremental(0, 0, 0, 2, 0);
    }
}
