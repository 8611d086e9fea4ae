package io.tidemark.compile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.Digest;
import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.catalog.Partitioning;
import io.tidemark.compile.catalog.StateDraft;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.restore.TableRestore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Modes, their reasons, and what a failed run leaves. Numbers in comments are the cases of the specification. */
class ModesTest {
    private static final AtomicInteger CALLS = new AtomicInteger();

    @TempDir
    Path folder;

    private Compilation compilation;

    @BeforeEach
    void catalogs() {
        compilation =
                new Compilation(folder).input("A", "a").output("X").put("A", "a", "a1", "1", "a2", "2", "a3", "3");
    }

    private static TaskBuilder task() {
        return Task.named("t").version("1").in("A", "a").out("X");
    }

    private static Task copy(TaskBuilder builder) {
        return builder.direct1ToN(String.class)
                .map((in, c) -> List.of(c.out("X", in.partition())))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOut((out, values) -> Payload.some(values.first()))
                .build();
    }

    @Test
    void otherVersionOfATask() { // 49
        compilation.run(copy(task()));
        compilation
                .run(copy(task().version("2")))
                .full(Reason.FINGERPRINT, 3, 3, 0, 0, 3)
                .detail("version")
                .committed();
        compilation.run(copy(task().version("2"))).skipped().notCommitted();
    }

    @Test
    void threadsAreNoReason() { // 50
        compilation.run(copy(task()));
        compilation
                .with(builder -> builder.threads(1).checkDeterminism(0))
                .run(copy(task()))
                .skipped();
        compilation.put("A", "a", "a1", "9").run(copy(task())).incremental(1, 1, 1, 0, 0);
    }

    @Test
    void otherFilter() { // 51
        String west = "5"; // level 1, south-west quarter of the numbering
        String east = "4";
        Compilation tiles = new Compilation(folder.resolve("tiles"))
                .input("A", LayerDefinition.of("a", new Partitioning.HereTile(Set.of(1))))
                .output("X")
                .put("A", "a", west, "w", east, "e");
        tiles.run(copy(task().filter("A", PartitionFilter.boundingBox(-10, -100, 10, -90))))
                .full(Reason.EMPTY_OUTPUT, 1, 1, 1, 0, 0);
        assertThat(tiles.content("X")).containsOnlyKeys(east);
        tiles.run(copy(task().filter("A", PartitionFilter.boundingBox(-10, -100, 10, 90))))
                .full(Reason.FINGERPRINT, 2, 2, 1, 0, 1)
                .detail("filter");
        tiles.put("A", "a", west, "w2")
                .run(copy(task().filter("A", PartitionFilter.boundingBox(-10, -100, 10, 90))))
                .incremental(1, 1, 1, 0, 0);
    }

    @Test
    void otherBroadcastOrConfig() { // 52
        compilation.run(copy(task().broadcast("words", bytes("1")).config("language", "en")));
        compilation
                .run(copy(task().broadcast("words", bytes("2")).config("language", "en")))
                .full(Reason.FINGERPRINT, 3, 3, 0, 0, 3)
                .detail("broadcast");
        compilation
                .run(copy(task().broadcast("words", bytes("2")).config("language", "de")))
                .full(Reason.FINGERPRINT, 3, 3, 0, 0, 3)
                .detail("config");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void functionsReadConfigAndBroadcast() {
        Task task = task().config("prefix", "<")
                .broadcast("suffix", bytes(">"))
                .direct1ToN(String.class)
                .map((in, c) -> List.of(c.out("X", in.partition())))
                .compileIn((in, c) -> c.config("prefix")
                        + c.payload(in).text()
                        + new String(c.broadcast("suffix"), StandardCharsets.UTF_8))
                .compileOut((out, values) -> Payload.some(values.first()))
                .build();
        compilation.run(task);
        assertThat(compilation.content("X")).containsEntry("a1", "<1>");
    }

    @Test
    void jobStartsFromAnotherVersion() { // 53
        compilation.run(copy(task()));
        compilation.put("A", "a", "a1", "5").put("A", "a", "a2", "6");
        compilation.run(Job.latest().since("A", 2), copy(task())).full(Reason.DEPENDENCY_MISMATCH, 3, 3, 2, 0, 1);
        assertThat(compilation.dependency("A")).isEqualTo(3);
    }

    @Test
    void changeThatWasTakenBack() { // 54
        compilation.run(copy(task()));
        compilation.put("A", "a", "a1", "other").put("A", "a", "a1", "1");
        compilation.run(copy(task())).skipped().committed();
        assertThat(compilation.dependency("A")).isEqualTo(3);
        assertThat(compilation.changes(1, 2, "X")).isEmpty();
        compilation.run(copy(task())).skipped().notCommitted();
    }

    /** The numbers that a restore gives up are not given again, so that no run takes other content for what it has read. */
    @Test
    void inputWasRestored() {
        compilation.put("A", "a", "a1", "5").put("A", "a", "a1", "6").run(copy(task()));
        assertThat(compilation.dependency("A")).isEqualTo(3);
        DeltaTable table =
                DeltaTable.at(compilation.storage, compilation.in("A").location());
        long first = compilation.in("A").version(1).tableVersion();
        TableRestore.run(compilation.storage, table.snapshot(), table.at(first), "version", Long.toString(first));
        compilation.put("A", "a", "a2", "7").put("A", "a", "a2", "8");
        compilation.run(copy(task())).full(Reason.CHANGES_UNAVAILABLE, 3, 3, 2, 0, 1);
        assertThat(compilation.dependency("A")).isEqualTo(5);
        assertThat(compilation.content("X")).containsEntry("a1", "1").containsEntry("a2", "8");
        compilation.put("A", "a", "a1", "9").run(copy(task())).incremental(1, 1, 1, 0, 0);
    }

    @Test
    void inputWentBack() { // 55
        compilation.put("A", "a", "a1", "5").run(copy(task()));
        compilation.run(Job.latest().at("A", 1), copy(task())).full(Reason.INPUT_WENT_BACK, 3, 3, 1, 0, 2);
        assertThat(compilation.dependency("A")).isEqualTo(1);
        assertThat(compilation.content("X")).containsEntry("a1", "1");
    }

    @Test
    void historyOfTheInputIsGone() { // 56
        compilation.run(copy(task()));
        compilation.put("A", "a", "a1", "5").put("A", "a", "a2", "6");
        compilation.in("A").dropVersionsBefore(3);
        compilation.run(copy(task())).full(Reason.CHANGES_UNAVAILABLE, 3, 3, 2, 0, 1);
    }

    @Test
    void otherFixedVersion() { // 57
        compilation.put("A", "a", "a1", "5").put("A", "a", "a1", "6");
        compilation.fix("A", 2).run(copy(task())).full(Reason.EMPTY_OUTPUT, 3, 3, 3, 0, 0);
        assertThat(compilation.content("X")).containsEntry("a1", "5");
        compilation.run(copy(task())).skipped().notCommitted();
        compilation
                .fix("A", 3)
                .run(copy(task()))
                .full(Reason.FINGERPRINT, 3, 3, 1, 0, 2)
                .detail("fixed");
    }

    @Test
    void previousRun() { // 58
        Task count = Task.named("t")
                .in("A", "a")
                .in(Task.PREVIOUS, "X")
                .out("X")
                .nonIncremental((inputs, outputs, c) -> {
                    int[] runs = {0};
                    inputs.forEach(Task.PREVIOUS, "X", (key, payload) -> runs[0] = Integer.parseInt(payload.text()));
                    outputs.put(c.out("X", "runs"), Payload.of(String.valueOf(runs[0] + 1)));
                });
        compilation.run(count).full(Reason.EMPTY_OUTPUT, 0, 1, 1, 0, 0);
        assertThat(compilation.content("X")).isEqualTo(Map.of("runs", "1"));
        compilation.run(count).skipped().notCommitted();
        compilation.put("A", "a", "a1", "5").run(count).full(Reason.PATTERN, 0, 1, 1, 0, 0);
        assertThat(compilation.content("X")).isEqualTo(Map.of("runs", "2"));
    }

    /** The greatest number that was ever seen: of the input, and of the output of the last run. */
    private static Task greatest() {
        return Task.named("t")
                .in("A", "a")
                .in(Task.FEEDBACK, "X")
                .out("X")
                .mapGroup(Integer.class)
                .compileIn((in, emit, c) -> emit.to(
                        c.out("X", "greatest"), Integer.valueOf(c.payload(in).text())))
                .compileOut((out, values) -> Payload.some(String.valueOf(
                        values.toList().stream().max(Integer::compare).orElseThrow())))
                .build();
    }

    @Test
    void feedbackReachesAFixedPoint() { // 59
        compilation.run(greatest()).full(Reason.EMPTY_OUTPUT, 3, 1, 1, 0, 0);
        compilation.run(greatest()).incremental(1, 1, 0, 0, 1).committed();
        compilation.run(greatest()).skipped().notCommitted();
        compilation.put("A", "a", "a3", "0").run(greatest()).incremental(1, 1, 0, 0, 1);
        assertThat(compilation.content("X")).isEqualTo(Map.of("greatest", "3"));
        compilation.put("A", "a", "a1", "7").run(greatest()).incremental(1, 1, 1, 0, 0);
        compilation.run(greatest()).incremental(1, 1, 0, 0, 1);
        compilation.run(greatest()).skipped().notCommitted();
    }

    @Test
    void twoRunsFromOneBase() { // 63
        compilation.run(copy(task()));
        compilation.put("A", "a", "a1", "5");
        Driver driver = compilation.driver(copy(task()));
        Plan plan = driver.plan(Job.latest());
        compilation.put("A", "a", "a2", "6").run(copy(task())).incremental(2, 2, 2, 0, 0);
        compilation.fails(ErrorCode.BASE_VERSION_CONFLICT, () -> driver.run(plan));
        compilation.put("A", "a", "a3", "7").run(copy(task())).incremental(1, 1, 1, 0, 0);
    }

    @Test
    void failedPartitionIsNamed() { // 66
        compilation.run(copy(task()));
        Task failing = task().direct1ToN(String.class)
                .map((in, c) -> List.of(c.out("X", in.partition())))
                .compileIn((in, c) -> {
                    if (!in.partition().equals("a1")) {
                        throw new IllegalStateException("no luck with " + in.partition());
                    }
                    return "1";
                })
                .compileOut((out, values) -> Payload.some(values.first()))
                .build();
        TidemarkException failure = compilation.fails(ErrorCode.COMPILE_FAILED, () -> compilation.run(failing));
        assertThat(failure.all())
                .extracting(TidemarkException::primary)
                .containsExactlyInAnyOrder(
                        "compileIn of task t failed for A/a/a2: no luck with a2",
                        "compileIn of task t failed for A/a/a3: no luck with a3");
        assertThat(failure.detail().orElseThrow()).contains("Also A/a/a");
    }

    @Test
    void emptyPayload() { // 68
        Task empty = task().direct1ToN(String.class)
                .map((in, c) -> List.of(c.out("X", in.partition())))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOut((out, values) -> Payload.some(""))
                .build();
        compilation.fails(ErrorCode.EMPTY_PAYLOAD, () -> compilation.run(empty));
    }

    @Test
    void otherInlineLimitIsNoChange() { // 71
        compilation.run(copy(task()));
        compilation.out().defineLayer(LayerDefinition.generic("X").withInlineLimit(0));
        compilation.run(copy(task())).skipped();
        compilation.run(Job.latest().reprocess(), copy(task())).full(Reason.REQUESTED, 3, 3, 0, 0, 3);
    }

    @Test
    void otherDigestIsNoChange() { // 73
        Compilation md5 = new Compilation(folder.resolve("md5"))
                .input("A", "a")
                .output(LayerDefinition.generic("X").withDigest(Digest.MD5))
                .put("A", "a", "a1", "1", "a2", "2");
        md5.run(copy(task())).full(Reason.EMPTY_OUTPUT, 2, 2, 2, 0, 0);
        md5.out().defineLayer(LayerDefinition.generic("X").withDigest(Digest.SHA_256));
        md5.run(copy(task())).full(Reason.FINGERPRINT, 2, 2, 0, 0, 2).detail("layers");
        md5.put("A", "a", "a1", "5").run(copy(task())).incremental(1, 1, 1, 0, 0);
    }

    @Test
    void stateIsTakenAway() { // 75
        compilation.run(copy(task()));
        CatalogVersion base = compilation.out().latest();
        StateDraft draft = compilation.out().draftState(base);
        draft.names().forEach(draft::remove);
        compilation.out().publish(base).fingerprints(Map.of()).state(draft).commit(compilation.engine);
        compilation.run(copy(task())).full(Reason.NO_STATE, 3, 3, 0, 0, 3).committed();
        compilation.put("A", "a", "a1", "5").run(copy(task())).incremental(1, 1, 1, 0, 0);
    }

    @Test
    void foreignChangeOfTheOutput() {
        compilation.run(copy(task()));
        compilation.publish(compilation.out(), "X", "a1", "by hand", "more", "by hand");
        compilation.run(copy(task())).full(Reason.OUTPUT_CHANGED, 3, 3, 1, 1, 2);
        assertThat(compilation.content("X")).isEqualTo(Map.of("a1", "1", "a2", "2", "a3", "3"));
    }

    @Test
    void tooMuchIsAffected() {
        compilation.run(copy(task()));
        compilation.put("A", "a", "a1", "5", "a2", "6");
        Job job = Job.latest().fullAbove(0.5);
        assertThat(compilation.driver(copy(task())).plan(job).tasks().get(0).reason())
                .isEqualTo(Reason.TOO_MUCH_DIRTY);
        compilation
                .run(job, copy(task()))
                .full(Reason.TOO_MUCH_DIRTY, 3, 3, 2, 0, 1)
                .detail("2 of 3");
        compilation.put("A", "a", "a1", "7").run(job, copy(task())).incremental(1, 1, 1, 0, 0);
    }

    @Test
    void timeIsNoResult() { // 79
        Task counting = task().direct1ToN(String.class)
                .map((in, c) -> List.of(c.out("X", in.partition())))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOut((out, values) -> Payload.some(String.valueOf(CALLS.incrementAndGet())))
                .build();
        assertThat(compilation
                        .fails(ErrorCode.NONDETERMINISTIC, () -> compilation.run(counting))
                        .primary())
                .contains("compileOut of task t")
                .contains("output:X/a");
        Task emitting = task().mapGroup(Integer.class)
                .compileIn((in, emit, c) -> emit.to(c.out("X", "x"), CALLS.incrementAndGet()))
                .compileOut((out, values) -> Payload.some("1"))
                .build();
        compilation.fails(ErrorCode.NONDETERMINISTIC, () -> compilation.run(emitting));
    }

    @Test
    void nothingToDo() { // 80
        compilation.run(copy(task()));
        RunReport report =
                compilation.run(copy(task())).skipped().notCommitted().report();
        assertThat(report.version().number()).isEqualTo(1);
        compilation.run(Job.latest().verified(), copy(task())).skipped().notCommitted();
    }
}
