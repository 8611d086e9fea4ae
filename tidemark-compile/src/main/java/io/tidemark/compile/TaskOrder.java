package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Which task comes before which: one that makes a layer before those that read it; else the order of their declaration. */
final class TaskOrder {
    private final Map<String, Task> writers = new LinkedHashMap<>();
    private final Set<Task> read = new LinkedHashSet<>();

    /**
     * Notes who writes what.
     *
     * @throws TidemarkException {@code DUPLICATE_OUTPUT_LAYER}
     */
    TaskOrder(List<Task> tasks) {
        for (Task task : tasks) {
            for (String layer : task.outputs()) {
                Task other = writers.putIfAbsent(layer, task);
                if (other != null) {
                    throw TidemarkException.of(
                                    ErrorCode.DUPLICATE_OUTPUT_LAYER,
                                    "tasks " + other.id() + " and " + task.id() + " both write the layer " + layer)
                            .hint("an output layer belongs to one task")
                            .build();
                }
            }
        }
        tasks.forEach(task -> read.addAll(before(task)));
    }

    /** The task that makes an output layer. */
    Optional<Task> writerOf(String layer) {
        return Optional.ofNullable(writers.get(layer));
    }

    /** Whether another task reads an output layer of a task. */
    boolean isRead(Task task) {
        return read.contains(task);
    }

    /** The tasks whose output layers a task reads. */
    Set<Task> before(Task task) {
        Set<Task> before = new LinkedHashSet<>();
        task.inputLayers()
                .getOrDefault(PartitionKey.OUTPUT, Set.of())
                .forEach(layer -> writerOf(layer).ifPresent(before::add));
        return before;
    }

    /**
     * The tasks in an order in which they can run.
     *
     * @throws TidemarkException {@code TASK_CYCLE}
     */
    List<Task> sorted(List<Task> tasks) {
        Set<Task> done = new LinkedHashSet<>();
        for (Task task : tasks) {
            visit(task, done, new ArrayList<>());
        }
        return List.copyOf(done);
    }

    private void visit(Task task, Set<Task> done, List<Task> path) {
        if (done.contains(task)) {
            return;
        }
        int start = path.indexOf(task);
        path.add(task);
        if (start >= 0) {
            List<String> circle =
                    path.subList(start, path.size()).stream().map(Task::id).toList();
            throw TidemarkException.of(
                            ErrorCode.TASK_CYCLE,
                            "tasks read each other's output in a circle: " + String.join(" <- ", circle))
                    .hint("a task that needs its own output of the last run reads it as an input of \"" + Task.FEEDBACK
                            + "\"")
                    .build();
        }
        before(task).forEach(other -> visit(other, done, path));
        path.remove(path.size() - 1);
        done.add(task);
    }
}
