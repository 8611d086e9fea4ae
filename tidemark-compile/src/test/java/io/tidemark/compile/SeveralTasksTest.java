package io.tidemark.compile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.catalog.Partitioning;
import io.tidemark.core.error.ErrorCode;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks beside and behind each other, and what a driver refuses. Numbers in comments are the cases of the specification. */
class SeveralTasksTest {
    @TempDir
    Path folder;

    private Compilation compilation;

    @BeforeEach
    void catalogs() {
        compilation = new Compilation(folder)
                .input("A", "a")
                .input("B", "b")
                .output(
                        LayerDefinition.generic("X"),
                        LayerDefinition.generic("Y"),
                        LayerDefinition.generic("Z"),
                        LayerDefinition.of("tiles", new Partitioning.HereTile(Set.of(10))))
                .put("A", "a", "a1", "1", "a2", "2", "a3", "3")
                .put("B", "b", "b1", "1", "b2", "2");
    }

    /** Copies the first character of each partition. */
    private static Task copy(String id, String catalog, String layer, String out, String version) {
        return Task.named(id)
                .version(version)
                .in(catalog, layer)
                .out(out)
                .direct1ToN(String.class)
                .map((in, c) -> List.of(c.out(
                        out,
                        out.toLowerCase(java.util.Locale.ROOT) + in.partition().substring(1))))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOut((key, values) -> Payload.some(values.first().substring(0, 1)))
                .build();
    }

    private static Task copy(String id, String catalog, String layer, String out) {
        return copy(id, catalog, layer, out, "1");
    }

    private static Task[] beside() {
        return new Task[] {copy("t1", "A", "a", "X"), copy("t2", "A", "a", "Y"), copy("t3", "B", "b", "Z")};
    }

    private static Task[] chain(String version) {
        return new Task[] {copy("t2", "output", "X", "Y"), copy("t1", "A", "a", "X", version)};
    }

    @Test
    void tasksShareInputs() { // 39
        compilation.run(beside());
        compilation.put("A", "a", "a1", "9");
        Compilation.Ran ran = compilation
                .run(beside())
                .expect("t1", Mode.INCREMENTAL, Reason.INPUT_CHANGED, 1, 1, 1, 0, 0)
                .expect("t2", Mode.INCREMENTAL, Reason.INPUT_CHANGED, 1, 1, 1, 0, 0)
                .expect("t3", Mode.SKIP, Reason.NO_CHANGE, 0, 0, 0, 0, 0);
        // Each catalog once for all tasks, and for no more than what has changed.
        assertThat(ran.report().queries())
                .extracting(query -> query.catalog() + " " + query.kind())
                .containsExactly("A CHANGES");
        assertThat(compilation.out().latest().number()).isEqualTo(2);
        assertThat(compilation.out().latest().layerVersions())
                .containsEntry("X", 2L)
                .containsEntry("Y", 2L)
                .containsEntry("Z", 1L);
    }

    @Test
    void twoTasksOfOneLayer() { // 40
        assertThat(compilation
                        .fails(
                                ErrorCode.DUPLICATE_OUTPUT_LAYER,
                                () -> compilation.driver(copy("t1", "A", "a", "X"), copy("t2", "B", "b", "X")))
                        .primary())
                .contains("t1")
                .contains("t2")
                .contains("X");
    }

    @Test
    void undeclaredOutput() { // 41
        Task task = Task.named("t")
                .in("A", "a")
                .out("X")
                .mapGroup(String.class)
                .compileIn((in, emit, c) -> emit.to(c.out("Y", in.partition()), "1"))
                .compileOut((out, values) -> Payload.some("1"))
                .build();
        assertThat(compilation
                        .fails(ErrorCode.UNDECLARED_OUTPUT, () -> compilation.run(task))
                        .primary())
                .contains("output:Y/a1")
                .contains("A/a/a1");
    }

    @Test
    void reservedLayer() { // 42
        assertThat(compilation
                        .fails(ErrorCode.RESERVED_LAYER, () -> compilation.driver(copy("t1", "A", "a", "state")))
                        .primary())
                .contains("t1")
                .contains("state");
    }

    @Test
    void partitionNameOfAWrongLevel() { // 43
        Task task = Task.named("t")
                .in("A", "a")
                .out("tiles")
                .mapGroup(String.class)
                .compileIn((in, emit, c) -> emit.to(c.out("tiles", "1234"), "1"))
                .compileOut((out, values) -> Payload.some("1"))
                .build();
        compilation.fails(ErrorCode.INVALID_PARTITION_NAME, () -> compilation.run(task));
    }

    @Test
    void equalOutputDoesNotReachTheNextTask() { // 44
        compilation.run(chain("1"));
        compilation
                .put("A", "a", "a2", "2 other")
                .run(chain("1"))
                .expect("t1", Mode.INCREMENTAL, Reason.INPUT_CHANGED, 1, 1, 0, 0, 1)
                .expect("t2", Mode.SKIP, Reason.NO_CHANGE, 0, 0, 0, 0, 0);
    }

    @Test
    void changedOutputReachesTheNextTask() { // 45
        compilation
                .run(chain("1"))
                .expect("t1", Mode.FULL, Reason.EMPTY_OUTPUT, 3, 3, 3, 0, 0)
                .expect("t2", Mode.FULL, Reason.EMPTY_OUTPUT, 3, 3, 3, 0, 0);
        assertThat(compilation.content("Y")).containsEntry("y2", "2");
        compilation
                .put("A", "a", "a2", "9")
                .run(Job.latest().verified(), chain("1"))
                .expect("t1", Mode.INCREMENTAL, Reason.INPUT_CHANGED, 1, 1, 1, 0, 0)
                .expect("t2", Mode.INCREMENTAL, Reason.INPUT_CHANGED, 1, 1, 1, 0, 0);
        assertThat(compilation.content("Y")).containsEntry("y2", "9");
        assertThat(compilation.out().latest().number()).isEqualTo(2);
        compilation
                .put("A", "a", "a3", null, "a4", "4")
                .run(chain("1"))
                .expect("t2", Mode.INCREMENTAL, Reason.INPUT_CHANGED, 1, 1, 1, 1, 0);
        assertThat(compilation.content("Y")).containsOnlyKeys("y1", "y2", "y4");
    }

    @Test
    void newCodeWithEqualOutput() { // 46
        compilation.run(chain("1"));
        compilation
                .run(chain("2"))
                .expect("t1", Mode.FULL, Reason.FINGERPRINT, 3, 3, 0, 0, 3)
                .expect("t2", Mode.SKIP, Reason.NO_CHANGE, 0, 0, 0, 0, 0);
    }

    @Test
    void nonIncrementalTaskBehindAnIncrementalOne() { // 47
        Task first = copy("t1", "A", "a", "X");
        Task second = Task.named("t2")
                .in("output", "X")
                .out("Y")
                .nonIncremental((inputs, outputs, c) -> inputs.forEach(
                        "output",
                        "X",
                        (key, payload) -> outputs.put(c.out("Y", key.partition()), Payload.of(payload.text()))));
        compilation.run(first, second);
        compilation
                .put("A", "a", "a2", "9")
                .run(first, second)
                .expect("t1", Mode.INCREMENTAL, Reason.INPUT_CHANGED, 1, 1, 1, 0, 0)
                .expect("t2", Mode.FULL, Reason.PATTERN, 0, 3, 1, 0, 2);
        assertThat(compilation.content("Y")).containsEntry("x2", "9");
    }

    @Test
    void circleOfTasks() { // 48
        assertThat(compilation
                        .fails(
                                ErrorCode.TASK_CYCLE,
                                () -> compilation.driver(
                                        copy("t1", "output", "Y", "X"), copy("t2", "output", "X", "Y")))
                        .primary())
                .contains("t1")
                .contains("t2");
    }

    @Test
    void unknownLayersAndCatalogs() {
        assertThat(compilation
                        .fails(ErrorCode.UNKNOWN_LAYER, () -> compilation.driver(copy("t1", "A", "b", "X")))
                        .primary())
                .contains("t1")
                .contains("catalog A");
        compilation.fails(ErrorCode.UNKNOWN_LAYER, () -> compilation.driver(copy("t1", "A", "a", "W")));
        compilation.fails(ErrorCode.UNKNOWN_LAYER, () -> compilation.driver(copy("t1", "output", "X", "Y")));
        compilation.fails(ErrorCode.UNKNOWN_INPUT, () -> compilation.driver(copy("t1", "C", "c", "X")));
        compilation.fails(
                ErrorCode.TASK_INVALID, () -> compilation.driver(copy("t1", "A", "a", "X"), copy("t1", "B", "b", "Y")));
    }

    @Test
    void planSaysWhatIsNotKnownYet() {
        compilation.run(chain("1"));
        compilation.put("A", "a", "a2", "9");
        Driver driver = compilation.driver(chain("1"));
        Plan plan = driver.plan(Job.latest());
        assertThat(plan.tasks()).extracting(Plan.PlannedTask::task).containsExactly("t1", "t2");
        Plan.PlannedTask first = plan.task("t1").orElseThrow();
        assertThat(first.mode()).isEqualTo(Mode.INCREMENTAL);
        assertThat(first.changed()).isEqualTo(1);
        assertThat(first.affected()).isEqualTo(1);
        assertThat(plan.task("t2").orElseThrow().after()).containsExactly("t1");
        assertThat(plan.toString()).contains("t1: INCREMENTAL, INPUT_CHANGED; changed 1, affected 1");
        assertThat(driver.run(plan).task("t2").orElseThrow().mode()).isEqualTo(Mode.INCREMENTAL);
    }

    @Test
    void stateOfATaskThatIsLeftOutGoes() {
        compilation.run(beside());
        compilation.run(copy("t1", "A", "a", "X"));
        compilation.run(beside()).expect("t2", Mode.FULL, Reason.NO_STATE, 3, 3, 0, 0, 3);
    }
}
