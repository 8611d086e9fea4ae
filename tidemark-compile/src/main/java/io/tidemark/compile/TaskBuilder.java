package io.tidemark.compile;

import io.tidemark.compile.codec.Codec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Collects what a task is. The last step is one of the patterns, and its {@code build}. */
public final class TaskBuilder {
    private static final String ID = "[A-Za-z0-9][A-Za-z0-9._-]*";

    private final String id;
    private String version = "";
    private final List<Task.Input> inputs = new ArrayList<>();
    private final List<String> outputs = new ArrayList<>();
    private final Map<String, String> config = new LinkedHashMap<>();
    private final Map<String, byte[]> broadcasts = new LinkedHashMap<>();
    private final Map<String, PartitionFilter> filters = new LinkedHashMap<>();
    private boolean recordsReads;

    TaskBuilder(String id) {
        if (!id.matches(ID)) {
            throw Errors.invalidTask("'" + id + "' cannot be the id of a task");
        }
        this.id = id;
    }

    /** Declares a version; another one means that the output must be made anew. */
    public TaskBuilder version(String text) {
        this.version = text;
        return this;
    }

    /**
     * Adds input layers whose partitions are compiled one by one.
     *
     * @param catalog id under which the driver binds the catalog, or {@code output} for layers that another task of the
     *     driver makes, {@link Task#FEEDBACK} or {@link Task#PREVIOUS}
     */
    public TaskBuilder in(String catalog, String... layers) {
        return add(catalog, true, layers);
    }

    /** Adds input layers whose partitions are only read by those that are compiled: as references, or by key. */
    public TaskBuilder reading(String catalog, String... layers) {
        return add(catalog, false, layers);
    }

    private TaskBuilder add(String catalog, boolean subject, String... layers) {
        for (String layer : layers) {
            if (inputs.stream()
                    .anyMatch(input ->
                            input.catalog().equals(catalog) && input.layer().equals(layer))) {
                throw Errors.invalidTask("task " + id + " names the input layer " + catalog + ":" + layer + " twice");
            }
            inputs.add(new Task.Input(catalog, layer, subject));
        }
        return this;
    }

    /** Adds output layers, which belong to this task alone. */
    public TaskBuilder out(String... layers) {
        for (String layer : layers) {
            if (outputs.contains(layer)) {
                throw Errors.invalidTask("task " + id + " names the output layer " + layer + " twice");
            }
            outputs.add(layer);
        }
        return this;
    }

    /** Gives the functions a value by name; another value means that the output must be made anew. */
    public TaskBuilder config(String name, String value) {
        config.put(name, value);
        return this;
    }

    /** Gives the functions data by name; other data mean that the output must be made anew. */
    public TaskBuilder broadcast(String name, byte[] data) {
        broadcasts.put(name, data.clone());
        return this;
    }

    /** Reads only some partitions of a catalog; another filter means that the output must be made anew. */
    public TaskBuilder filter(String catalog, PartitionFilter filter) {
        filters.put(catalog, filter);
        return this;
    }

    /**
     * Takes {@link Context#payload} of any partition of the input layers for a read that is recorded, as
     * {@link Context#read} does. Without this such a call is an error.
     */
    public TaskBuilder recordReads() {
        this.recordsReads = true;
        return this;
    }

    /**
     * Pattern Direct1ToN: an input partition gives some output partitions, each of which comes from one input only.
     *
     * @param type type of the intermediate value, see {@link Codec#of}
     */
    public <T> Direct<T> direct1ToN(Class<T> type) {
        return new Direct<>(this, type, true);
    }

    /** Pattern DirectMToN: input partitions contribute to output partitions by their keys alone. */
    public <T> Direct<T> directMToN(Class<T> type) {
        return new Direct<>(this, type, false);
    }

    /** Pattern MapGroup: the content of an input partition decides which outputs it contributes to. */
    public <T> MapGroup<T> mapGroup(Class<T> type) {
        return new MapGroup<>(this, type);
    }

    /** Pattern RefTree: partitions are compiled together with those that they refer to. */
    public <T> RefTree<T> refTree(Class<T> type, Reference... references) {
        return new RefTree<>(this, type, List.of(references));
    }

    /** Pattern NonIncremental: the whole input becomes the whole output, whatever has changed. */
    public Task nonIncremental(WholeCompile compile) {
        return build(new Pattern.Whole(compile));
    }

    /**
     * Pattern Dep: a function computes the dependency graph of the whole input at each run, and what depends on a change
     * is recompiled.
     */
    public Task dep(DependencyFunction graph, DependencyCompileOut compileOut) {
        return build(new Pattern.Dependencies(Optional.of(graph), Optional.empty(), compileOut));
    }

    /** Pattern IncrementalDep: the same, and the function is asked for changed partitions only. */
    public Task incrementalDep(DependencyFunction.Incremental graph, DependencyCompileOut compileOut) {
        return build(new Pattern.Dependencies(Optional.empty(), Optional.of(graph), compileOut));
    }

    private Task build(Pattern pattern) {
        if (inputs.stream().noneMatch(Task.Input::isSubject)) {
            throw Errors.invalidTask("task " + id + " has no input layer");
        }
        if (outputs.isEmpty()) {
            throw Errors.invalidTask("task " + id + " has no output layer");
        }
        boolean previous = inputs.stream().anyMatch(input -> input.catalog().equals(Task.PREVIOUS));
        if (previous && !(pattern instanceof Pattern.Whole)) {
            throw Errors.invalidTask("task " + id + " reads the previous run, which only pattern NonIncremental may");
        }
        return new Task(id, version, inputs, outputs, config, broadcasts, filters, recordsReads, pattern);
    }

    /**
     * The last steps of patterns with intermediate values.
     *
     * @param <T> type of the values
     * @param <S> the pattern's own steps
     */
    public abstract static sealed class Steps<T, S extends Steps<T, S>> {
        private final TaskBuilder task;
        private @Nullable Codec<T> codec;
        private final Class<T> type;
        private boolean keepsValues = true;
        private @Nullable CompileOut<T> one;
        private @Nullable CompileOutMany<T> many;
        private CompileOutMany.@Nullable Announcement announcement;

        private Steps(TaskBuilder task, Class<T> type) {
            this.task = task;
            this.type = type;
        }

        abstract S self();

        abstract Pattern pattern(Pattern.BackEnd<T> backEnd);

        /** The back end that makes one output partition. */
        public S compileOut(CompileOut<T> function) {
            this.one = function;
            return self();
        }

        /** A back end that makes several output partitions of each key to which values are contributed. */
        public S compileOutMany(CompileOutMany.Announcement announced, CompileOutMany<T> function) {
            this.announcement = announced;
            this.many = function;
            return self();
        }

        /** Keeps values in a form of its own. */
        public S codec(Codec<T> own) {
            this.codec = own;
            return self();
        }

        /**
         * Whether the state holds the intermediate values (which is so by default) or only their hashes. Without values
         * the state is smaller, and unchanged partitions that contribute to an affected output are compiled in again.
         */
        public S keepIntermediates(boolean keep) {
            this.keepsValues = keep;
            return self();
        }

        /**
         * The task.
         *
         * @throws io.tidemark.core.error.TidemarkException {@code TASK_INVALID}, {@code INTERMEDIATE_TYPE}
         */
        public Task build() {
            if ((one == null) == (many == null)) {
                throw Errors.invalidTask("task " + task.id + " needs one compileOut");
            }
            Codec<T> known = codec == null ? Codec.of(type) : codec;
            return task.build(pattern(new Pattern.BackEnd<>(
                    known,
                    keepsValues,
                    Optional.ofNullable(one),
                    Optional.ofNullable(many),
                    Optional.ofNullable(announcement))));
        }

        <F> F need(@Nullable F function, String name) {
            if (function == null) {
                throw Errors.invalidTask("task " + task.id + " has no " + name);
            }
            return function;
        }

        String taskId() {
            return task.id;
        }

        boolean reads(Reference reference) {
            return task.inputs.stream()
                    .anyMatch(input -> input.catalog().equals(reference.catalog())
                            && input.layer().equals(reference.layer()));
        }
    }

    /** Steps of the direct patterns. */
    public static final class Direct<T> extends Steps<T, Direct<T>> {
        private final boolean oneToN;
        private @Nullable DirectMapping mapping;
        private @Nullable DirectCompileIn<T> compileIn;

        private Direct(TaskBuilder task, Class<T> type, boolean oneToN) {
            super(task, type);
            this.oneToN = oneToN;
        }

        /** Which outputs an input contributes to. */
        public Direct<T> map(DirectMapping function) {
            this.mapping = function;
            return this;
        }

        /** The front end. */
        public Direct<T> compileIn(DirectCompileIn<T> function) {
            this.compileIn = function;
            return this;
        }

        @Override
        Direct<T> self() {
            return this;
        }

        @Override
        Pattern pattern(Pattern.BackEnd<T> backEnd) {
            return new Pattern.Direct<>(oneToN, need(mapping, "map"), need(compileIn, "compileIn"), backEnd);
        }
    }

    /** Steps of pattern MapGroup. */
    public static final class MapGroup<T> extends Steps<T, MapGroup<T>> {
        private @Nullable GroupCompileIn<T> compileIn;

        private MapGroup(TaskBuilder task, Class<T> type) {
            super(task, type);
        }

        /** The front end. */
        public MapGroup<T> compileIn(GroupCompileIn<T> function) {
            this.compileIn = function;
            return this;
        }

        @Override
        MapGroup<T> self() {
            return this;
        }

        @Override
        Pattern pattern(Pattern.BackEnd<T> backEnd) {
            return new Pattern.MapGroup<>(need(compileIn, "compileIn"), backEnd);
        }
    }

    /** Steps of pattern RefTree. */
    public static final class RefTree<T> extends Steps<T, RefTree<T>> {
        private final List<Reference> references;
        private @Nullable ReferenceResolver resolver;
        private @Nullable RefTreeCompileIn<T> compileIn;

        private RefTree(TaskBuilder task, Class<T> type, List<Reference> references) {
            super(task, type);
            this.references = references;
        }

        /** How references are found. */
        public RefTree<T> resolve(ReferenceResolver function) {
            this.resolver = function;
            return this;
        }

        /** The front end. */
        public RefTree<T> compileIn(RefTreeCompileIn<T> function) {
            this.compileIn = function;
            return this;
        }

        @Override
        RefTree<T> self() {
            return this;
        }

        @Override
        Pattern pattern(Pattern.BackEnd<T> backEnd) {
            references.forEach(this::check);
            return new Pattern.RefTree<>(references, need(resolver, "resolve"), need(compileIn, "compileIn"), backEnd);
        }

        private void check(Reference reference) {
            if (!reads(reference)) {
                throw io.tidemark.core.error.TidemarkException.of(
                                io.tidemark.core.error.ErrorCode.UNKNOWN_LAYER,
                                "task " + taskId() + " has the reference " + reference.name() + " to "
                                        + reference.catalog() + ":" + reference.layer() + ", which is no input of it")
                        .hint("add reading(\"" + reference.catalog() + "\", \"" + reference.layer() + "\")")
                        .build();
            }
            reference.nested().forEach(this::check);
        }
    }
}
