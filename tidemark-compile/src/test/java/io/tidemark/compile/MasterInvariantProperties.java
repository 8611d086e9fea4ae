package io.tidemark.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.compile.state.StateShape;
import io.tidemark.compile.state.StateTable;
import io.tidemark.compile.work.Relations;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import io.tidemark.testkit.FailingProxy;
import io.tidemark.testkit.Seeded;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An incremental run equals a full one, state included: random graphs, random edits, all patterns. Each incremental run
 * comes after one that stopped somewhere. The full run compiles into a catalog of its own. Payloads are
 * {@code names|text}, and each pattern makes something of the names.
 */
class MasterInvariantProperties {
    private static final int CASES = 2;
    private static final int EDITS = 3;
    private static final int NAMES = 6;
    /** About as many operations as a run asks of the storage. */
    private static final int OPERATIONS = 150;

    @TempDir
    Path folder;

    private static TaskBuilder task(String id, String out) {
        return Task.named(id).in("A", "s").out(out);
    }

    private static List<String> names(String payload) {
        String names = payload.substring(0, payload.indexOf('|'));
        return names.isEmpty() ? List.of() : List.of(names.split(" "));
    }

    private static String text(String payload) {
        return payload.substring(payload.indexOf('|') + 1);
    }

    private static Task[] tasks() {
        return new Task[] {one(), many(), group(), tree(), dep(), incrementalDep(), behind(), whole()};
    }

    private static Task one() {
        return task("one", "one")
                .direct1ToN(String.class)
                .map((in, c) -> List.of(c.out("one", in.partition())))
                .compileIn((in, c) -> text(c.payload(in).text()))
                .compileOut(
                        (out, values) -> values.first().startsWith("x") ? Payload.none() : Payload.some(values.first()))
                .build();
    }

    private static Task many() {
        return task("many", "many")
                .directMToN(String.class)
                .map((in, c) -> List.of(
                        c.out("many", "m" + in.partition().hashCode() % 2),
                        c.out("many", "n" + in.partition().hashCode() % 3)))
                .compileIn((in, c) -> text(c.payload(in).text()))
                .compileOut((out, values) -> Payload.some(String.join("+", values.toList())))
                .keepIntermediates(false)
                .build();
    }

    private static Task group() {
        return task("group", "group")
                .mapGroup(String.class)
                .compileIn((in, emit, c) -> {
                    for (String name : names(c.payload(in).text())) {
                        emit.to(c.out("group", name), text(c.payload(in).text()).substring(0, 1));
                    }
                })
                .compileOut((out, values) -> Payload.some(String.join("+", values.toList())))
                .build();
    }

    private static Task tree() {
        return task("tree", "tree")
                .reading("A", "r", "g")
                .refTree(String.class, Reference.to("r", "A", "r", Reference.to("g", "A", "g")))
                .resolve((partition, found, c) -> {
                    String next = found.path().isEmpty() ? "r" : "g";
                    names(c.payload(partition).text()).forEach(name -> found.add(next, c.in("A", next, name)));
                })
                .compileIn((subject, references, emit, c) -> {
                    StringBuilder all =
                            new StringBuilder(text(c.payload(subject).text()));
                    for (PartitionKey each : references.get("r")) {
                        all.append('+').append(text(c.payload(each).text()));
                        references
                                .of(each, "g")
                                .forEach(deep -> all.append('/')
                                        .append(text(c.payload(deep).text())));
                    }
                    // What a reference says decides which further partition is read.
                    references.get("r").stream()
                            .findFirst()
                            .ifPresent(first -> c.read(c.in(
                                            "A",
                                            "g",
                                            text(c.payload(first).text()).substring(0, 1)))
                                    .ifPresent(extra -> all.append('!').append(text(extra.text()))));
                    emit.to(c.out("tree", subject.partition()), all.toString());
                })
                .compileOut((out, values) -> Payload.some(values.first()))
                .build();
    }

    private static Task dep() {
        return task("dep", "dep")
                .reading("A", "r")
                .dep(MasterInvariantProperties::edges, (out, inputs, c) -> Payload.some(joined(inputs, c)));
    }

    private static Task incrementalDep() {
        return task("incremental", "incremental")
                .reading("A", "r")
                .incrementalDep(
                        (partition, previous, edges, c) -> {
                            for (String name : names(c.payload(partition).text())) {
                                edges.add(c.out("incremental", name), partition);
                                edges.add(c.out("incremental", name), c.in("A", "r", name));
                            }
                        },
                        (out, inputs, c) -> Payload.some(joined(inputs, c)));
    }

    private static Task behind() {
        return Task.named("behind")
                .in("output", "group", "one")
                .out("behind")
                .mapGroup(String.class)
                .compileIn((in, emit, c) ->
                        emit.to(c.out("behind", c.payload(in).text().substring(0, 1)), in.layer() + in.partition()))
                .compileOut((out, values) -> Payload.some(String.join(" ", values.toList())))
                .build();
    }

    private static Task whole() {
        return Task.named("whole")
                .in("output", "tree")
                .in("A", "g")
                .out("whole")
                .nonIncremental((inputs, outputs, c) -> {
                    StringBuilder all = new StringBuilder("-");
                    inputs.forEach(
                            "output",
                            "tree",
                            (key, payload) -> all.append(payload.text()).append('\n'));
                    inputs.forEach("A", "g", (key, payload) -> all.append(key).append('\n'));
                    outputs.put(c.out("whole", "all"), Payload.of(all.toString()));
                });
    }

    private static void edges(PartitionKey partition, DependencyFunction.Edges edges, Context c) {
        for (String name : names(c.payload(partition).text())) {
            edges.add(c.out("dep", name), partition);
            edges.add(c.out("dep", name), c.in("A", "r", name));
        }
    }

    private static String joined(List<PartitionKey> inputs, Context c) {
        return inputs.stream()
                .map(each -> each + "=" + text(c.payload(each).text()))
                .collect(Collectors.joining(";"));
    }

    private static final List<String> OUTPUTS =
            List.of("one", "many", "group", "tree", "dep", "incremental", "behind", "whole");

    @Test
    void incrementalEqualsFull() {
        Seeded.run(1, CASES, (random, seed) -> {
            FailingProxy<Storage> disk = new FailingProxy<>(
                    Storage.class,
                    new LocalStorage(),
                    () -> TidemarkException.of(ErrorCode.IO_FAILED, "the disk is gone")
                            .build());
            Compilation incremental = new Compilation(folder.resolve("case" + seed), disk.get())
                    .input("A", "s", "r", "g")
                    .output(OUTPUTS.toArray(String[]::new));
            for (int edit = 0; edit < EDITS; edit++) {
                for (String layer : List.of("s", "r", "g")) {
                    @Nullable String[] changes = changes(random);
                    incremental.put("A", layer, changes);
                }
                Driver late = incremental.driver(tasks());
                Plan outdated = late.plan(Job.latest());
                interrupted(incremental, disk, random);
                incremental.run(tasks());
                // A run that loses to another one leaves files, and nothing else.
                assertConflict(late, outdated);
                Compilation full = incremental.beside("full" + seed + "-" + edit, OUTPUTS);
                full.run(tasks());
                for (String layer : OUTPUTS) {
                    assertThat(incremental.content(layer))
                            .as(layer + " after edit " + edit)
                            .isEqualTo(full.content(layer));
                }
                assertThat(state(incremental)).as("state after edit " + edit).isEqualTo(state(full));
            }
        });
    }

    /** A run that stops somewhere among its writes, or after the last of them. What it left must not matter. */
    private static void interrupted(Compilation compilation, FailingProxy<Storage> disk, Random random) {
        disk.failAfter(random.nextInt(OPERATIONS));
        try {
            compilation.driver(tasks()).run(Job.latest());
        } catch (TidemarkException e) {
            assertThat(e.render()).contains("the disk is gone");
        } finally {
            disk.heal();
        }
    }

    private static void assertConflict(Driver driver, Plan plan) {
        assertThat(catchThrowableOfType(TidemarkException.class, () -> driver.run(plan))
                        .code())
                .isEqualTo(ErrorCode.BASE_VERSION_CONFLICT);
    }

    /** Some partitions get new names or texts, some go. */
    private static @Nullable String[] changes(Random random) {
        Map<String, @Nullable String> changes = new LinkedHashMap<>();
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            String name = String.valueOf((char) ('a' + random.nextInt(NAMES)));
            changes.put(name, random.nextInt(5) == 0 ? null : payload(random));
        }
        List<@Nullable String> all = new ArrayList<>();
        changes.forEach((name, payload) -> {
            all.add(name);
            all.add(payload);
        });
        return all.toArray(new String[0]);
    }

    private static String payload(Random random) {
        Set<String> names = new TreeSet<>();
        int count = random.nextInt(3);
        for (int i = 0; i < count; i++) {
            names.add(String.valueOf((char) ('a' + random.nextInt(NAMES))));
        }
        String first = random.nextInt(6) == 0 ? "x" : String.valueOf((char) ('a' + random.nextInt(NAMES)));
        return String.join(" ", names) + "|" + first + random.nextInt(3);
    }

    /** The state of all tasks as sorted texts. */
    private static Map<String, List<String>> state(Compilation compilation) {
        Map<String, List<String>> state = new LinkedHashMap<>();
        try (Relations relations = new Relations(compilation.engine)) {
            for (Task task : tasks()) {
                for (StateShape shape : TaskState.SHAPES) {
                    StateTable table = StateTable.of(
                            relations, compilation.out(), compilation.out().latest(), task.id(), shape);
                    List<String> rows = new ArrayList<>();
                    compilation.engine.stream(
                            "SELECT * FROM " + table.live(),
                            row -> rows.add(row.stream()
                                    .map(value -> value instanceof byte[] bytes
                                            ? java.util.HexFormat.of().formatHex(bytes)
                                            : String.valueOf(value))
                                    .collect(Collectors.joining(", "))));
                    state.put(
                            task.id() + " " + shape.name(),
                            rows.stream().sorted().toList());
                }
            }
        }
        return state;
    }
}
