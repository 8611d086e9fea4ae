package io.tidemark.compile;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One compiler with its input and output layers. Immutable; made by {@link #named}, run by a {@link Driver}.
 */
public final class Task {
    /** Catalog id of inputs that are the output catalog's own layers at the base version. */
    public static final String FEEDBACK = "feedback";
    /** Catalog id of the output of the previous run, whose changes make nothing run. */
    public static final String PREVIOUS = "previous";

    private final String id;
    private final String version;
    private final List<Input> inputs;
    private final List<String> outputs;
    private final Map<String, String> config;
    private final Map<String, byte[]> broadcasts;
    private final Map<String, PartitionFilter> filters;
    private final boolean recordsReads;
    private final Pattern pattern;

    Task(
            String id,
            String version,
            List<Input> inputs,
            List<String> outputs,
            Map<String, String> config,
            Map<String, byte[]> broadcasts,
            Map<String, PartitionFilter> filters,
            boolean recordsReads,
            Pattern pattern) {
        this.id = id;
        this.version = version;
        this.inputs = List.copyOf(inputs);
        this.outputs = List.copyOf(outputs);
        this.config = Collections.unmodifiableMap(new TreeMap<>(config));
        this.broadcasts = Collections.unmodifiableMap(new TreeMap<>(broadcasts));
        this.filters = Collections.unmodifiableMap(new TreeMap<>(filters));
        this.recordsReads = recordsReads;
        this.pattern = pattern;
    }

    /**
     * Begins a task.
     *
     * @param id its id, unique within the driver: letters, digits, {@code -}, {@code _} and {@code .}
     */
    public static TaskBuilder named(String id) {
        return new TaskBuilder(id);
    }

    /** The task's id. */
    public String id() {
        return id;
    }

    /** The declared version. */
    public String version() {
        return version;
    }

    /** The ids of the output layers. */
    public List<String> outputs() {
        return outputs;
    }

    List<Input> inputs() {
        return inputs;
    }

    /** The input layers by catalog id, in the order of their declaration. */
    Map<String, Set<String>> inputLayers() {
        return layers(input -> true);
    }

    /** The input layers that are compiled partition by partition. */
    Map<String, Set<String>> subjectLayers() {
        return layers(Input::isSubject);
    }

    private Map<String, Set<String>> layers(java.util.function.Predicate<Input> wanted) {
        return inputs.stream()
                .filter(wanted)
                .collect(Collectors.groupingBy(
                        Input::catalog,
                        LinkedHashMap::new,
                        Collectors.mapping(Input::layer, Collectors.toCollection(java.util.LinkedHashSet::new))));
    }

    boolean reads(String catalog, String layer) {
        return inputs.stream()
                .anyMatch(input ->
                        input.catalog().equals(catalog) && input.layer().equals(layer));
    }

    Map<String, String> config() {
        return config;
    }

    Map<String, byte[]> broadcasts() {
        return broadcasts;
    }

    Map<String, PartitionFilter> filters() {
        return filters;
    }

    boolean recordsReads() {
        return recordsReads;
    }

    Pattern pattern() {
        return pattern;
    }

    @Override
    public String toString() {
        return "task " + id;
    }

    /**
     * An input layer.
     *
     * @param catalog id of the catalog
     * @param layer id of the layer
     * @param isSubject whether its partitions are compiled, rather than only read by those that are
     */
    record Input(String catalog, String layer, boolean isSubject) {
        @Override
        public String toString() {
            return catalog + ":" + layer;
        }
    }
}
