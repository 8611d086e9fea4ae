package io.tidemark.compile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Patterns Dep, IncrementalDep and NonIncremental. Numbers in comments are the cases of the specification. */
class DependencyTest {
    private static final int MANY = 1000;

    @TempDir
    Path folder;

    private Compilation compilation;

    @BeforeEach
    void catalogs() {
        compilation = new Compilation(folder)
                .input("A", "a")
                .output("X")
                .with(builder -> builder.threads(2).checkDeterminism(0));
    }

    private static TaskBuilder task() {
        return Task.named("t").in("A", "a").out("X");
    }

    private static String joined(java.util.List<io.tidemark.compile.catalog.PartitionKey> inputs, Context c) {
        StringBuilder text = new StringBuilder();
        inputs.forEach(each -> text.append(each.partition())
                .append(':')
                .append(c.payload(each).text())
                .append(' '));
        return text.toString().strip();
    }

    /** The first letters of a payload are the outputs that it goes to; the whole input is asked at each run. */
    private static Task dep() {
        return task().dep(
                        (partition, edges, c) -> {
                            for (String out :
                                    c.payload(partition).text().split("=")[0].split(",")) {
                                edges.add(c.out("X", out), partition);
                            }
                        },
                        (out, inputs, c) -> Payload.some(joined(inputs, c)));
    }

    private static Task incrementalDep() {
        return task().incrementalDep(
                        (partition, previous, edges, c) -> {
                            for (String out :
                                    c.payload(partition).text().split("=")[0].split(",")) {
                                edges.add(c.out("X", out), partition);
                            }
                        },
                        (out, inputs, c) -> Payload.some(joined(inputs, c)));
    }

    @Test
    void wholeInputGivesWholeOutput() { // 36
        Task copy = task().nonIncremental((inputs, outputs, c) -> inputs.forEach(
                "A", "a", (key, payload) -> outputs.put(c.out("X", key.partition()), Payload.of(payload.text()))));
        compilation.put("A", "a", "a1", "1", "a2", "2", "a3", "3");
        compilation.run(copy).full(Reason.EMPTY_OUTPUT, 0, 3, 3, 0, 0);
        compilation.put("A", "a", "a2", "two").run(copy).full(Reason.PATTERN, 0, 3, 1, 0, 2);
        compilation.run(copy).skipped().notCommitted();
        compilation.put("A", "a", "a2", null).run(copy).full(Reason.PATTERN, 0, 2, 0, 1, 2);
        assertThat(compilation.content("X")).isEqualTo(Map.of("a1", "1", "a3", "3"));
    }

    @Test
    void graphOfTheWholeInputDecidesWhatIsRecompiled() { // 37
        String[] all = new String[2 * MANY];
        for (int i = 0; i < MANY; i++) {
            all[2 * i] = "a" + i;
            all[2 * i + 1] = (i % 10) + "," + (10 + i % 10) + "=" + i;
        }
        compilation.put("A", "a", all);
        compilation.run(dep()).full(Reason.EMPTY_OUTPUT, MANY, 20, 20, 0, 0);
        compilation.put("A", "a", "a7", "7,17=changed").run(dep()).incremental(MANY, 2, 2, 0, 0);
        assertThat(compilation.content("X").get("17")).contains("a7:7,17=changed");
    }

    @Test
    void edgesComeAndGo() {
        compilation.put("A", "a", "a1", "p,q=1", "a2", "q=2", "a3", "r=3");
        for (Task task : java.util.List.of(dep(), incrementalDep())) {
            boolean whole = task.pattern().name().equals("Dep");
            compilation.run(Job.latest().reprocess(), task);
            assertThat(compilation.content("X"))
                    .isEqualTo(Map.of("p", "a1:p,q=1", "q", "a1:p,q=1 a2:q=2", "r", "a3:r=3"));
            compilation.put("A", "a", "a1", "q,r=1").run(task).incremental(whole ? 3 : 1, 2, 2, 1, 0);
            compilation.put("A", "a", "a3", null).run(task).incremental(whole ? 2 : 0, 1, 1, 0, 0);
            assertThat(compilation.content("X")).isEqualTo(Map.of("q", "a1:q,r=1 a2:q=2", "r", "a1:q,r=1"));
            compilation
                    .put("A", "a", "a1", "p,q=1", "a3", "r=3")
                    .run(Job.latest().verified(), task);
        }
    }

    @Test
    void droppedEdgeIsFoundByVerification() { // 38
        Task wrong = task().incrementalDep(
                        (partition, previous, edges, c) -> {
                            String[] outs =
                                    c.payload(partition).text().split("=")[0].split(",");
                            // The planted mistake: an update forgets the last output.
                            int count = previous.isEmpty() ? outs.length : outs.length - 1;
                            for (int i = 0; i < count; i++) {
                                edges.add(c.out("X", outs[i]), partition);
                            }
                        },
                        (out, inputs, c) -> Payload.some(joined(inputs, c)));
        compilation.put("A", "a", "a1", "p,q=1", "a2", "q=2");
        compilation.run(wrong).full(Reason.EMPTY_OUTPUT, 2, 2, 2, 0, 0);
        compilation.put("A", "a", "a1", "p,q=3");
        TidemarkException failure = compilation.fails(
                ErrorCode.VERIFY_FAILED, () -> compilation.run(Job.latest().verified(), wrong));
        assertThat(failure.detail().orElseThrow()).contains("edges lacks A/a/a1 -> X/q -> A/a/a1");
        compilation.run(Job.latest().verified(), incrementalDep());
    }

    @Test
    void functionSeesItsEdgesOfTheLastRun() {
        Task history = task().incrementalDep(
                        (partition, previous, edges, c) -> {
                            previous.forEach(edge -> edges.add(edge.out(), edge.input()));
                            edges.add(c.out("X", c.payload(partition).text()), partition);
                        },
                        (out, inputs, c) -> Payload.some(joined(inputs, c)));
        compilation.put("A", "a", "a1", "p");
        compilation.run(history);
        compilation.put("A", "a", "a1", "q").run(history).incremental(1, 2, 2, 0, 0);
        assertThat(compilation.content("X")).isEqualTo(Map.of("p", "a1:q", "q", "a1:q"));
    }
}
