package io.tidemark.compile;

import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Runs tasks over input catalogs and makes one version of an output catalog of all their results.
 *
 * <p>A driver belongs to one thread. Nothing but the commit at the end changes the output, so a run can fail or be killed
 * at any point and be started again.
 */
public final class Driver {
    /** Crash point: payloads and state are written, nothing is committed. */
    public static final String BEFORE_COMMIT = "compile.before-commit";

    private final Catalog output;
    private final Map<String, Binding> bindings;
    private final List<Task> tasks;
    private final TaskOrder order;
    private final Engine engine;
    private final Settings settings;

    private Driver(Builder builder, Engine engine) {
        this.output = builder.output;
        this.bindings = new LinkedHashMap<>(builder.bindings);
        this.order = new TaskOrder(builder.tasks);
        this.tasks = order.sorted(builder.tasks);
        this.engine = engine;
        this.settings = new Settings(builder.threads, builder.doubleRuns, builder.scratch);
        check();
    }

    /** Begins a driver for an output catalog. */
    public static Builder on(Catalog output) {
        return new Builder(output);
    }

    /**
     * An input catalog.
     *
     * @param fixed the version that is always read; empty if the job decides
     */
    record Binding(Catalog catalog, OptionalLong fixed) {}

    /**
     * What has no influence on the result.
     *
     * @param threads threads that run users' functions
     * @param doubleRuns of how many partitions one is compiled twice
     * @param scratch folder for payloads that are being written
     */
    record Settings(int threads, int doubleRuns, Path scratch) {}

    /**
     * Finds out what a run would do. No function of a task is called and nothing is written.
     *
     * @throws TidemarkException {@code CATALOG_VERSION_NOT_FOUND}, {@code STATE_MISSING}, {@code STATE_CORRUPT}
     */
    public Plan plan(Job job) {
        CatalogVersion base = output.latest();
        return new Planner(this, job, base, versions(job, base)).plan();
    }

    /** The versions of the inputs that a job reads, by the ids under which they are bound. */
    private Map<String, CatalogVersion> versions(Job job, CatalogVersion base) {
        for (String id : job.catalogs()) {
            if (!bindings.containsKey(id)) {
                throw unbound("the job names", id);
            }
        }
        Map<String, CatalogVersion> versions = new LinkedHashMap<>();
        bindings.forEach((id, binding) -> {
            OptionalLong wanted = binding.fixed().isPresent() ? binding.fixed() : job.version(id);
            versions.put(
                    id,
                    wanted.isPresent()
                            ? binding.catalog().version(wanted.getAsLong())
                            : binding.catalog().latest());
        });
        checkInputLayers(versions, base);
        return versions;
    }

    /**
     * Runs the tasks as planned and commits.
     *
     * @param plan made by this driver
     * @throws TidemarkException {@code BASE_VERSION_CONFLICT} if another version of the output was published since the
     *     plan was made; what users' functions throw, or {@code COMPILE_FAILED}; {@code VERIFY_FAILED}; and others that
     *     the parts of a task name. Nothing is committed then
     */
    public RunReport run(Plan plan) {
        return new DriverRun(this, plan).run();
    }

    /** Runs as {@link #plan} would tell, without finding out before what a change reaches. */
    public RunReport run(Job job) {
        CatalogVersion base = output.latest();
        return run(new Plan(job, base, versions(job, base), List.of()));
    }

    Catalog output() {
        return output;
    }

    Map<String, Binding> bindings() {
        return bindings;
    }

    List<Task> tasks() {
        return tasks;
    }

    TaskOrder order() {
        return order;
    }

    Engine engine() {
        return engine;
    }

    Settings settings() {
        return settings;
    }

    /** The versions of inputs that are always read at one version. */
    Map<String, Long> fixedVersions() {
        Map<String, Long> fixed = new LinkedHashMap<>();
        bindings.forEach((id, binding) -> binding.fixed().ifPresent(version -> fixed.put(id, version)));
        return fixed;
    }

    private void check() {
        if (tasks.isEmpty()) {
            throw Errors.invalidTask("the driver has no tasks");
        }
        Set<String> ids = new HashSet<>();
        CatalogVersion base = output.latest();
        String reserved = base.configuration().getOrDefault(Catalog.STATE_LAYER, Catalog.STATE_LAYER_DEFAULT);
        for (Task task : tasks) {
            if (!ids.add(task.id())) {
                throw Errors.invalidTask("two tasks have the id " + task.id());
            }
            for (String layer : task.outputs()) {
                checkOutputLayer(task, layer, base, reserved);
            }
            for (Task.Input input : task.inputs()) {
                checkInput(task, input, base, reserved);
            }
        }
        Map<String, CatalogVersion> latest = new LinkedHashMap<>();
        bindings.forEach((id, binding) -> latest.put(id, binding.catalog().latest()));
        checkInputLayers(latest, base);
    }

    private void checkOutputLayer(Task task, String layer, CatalogVersion base, String reserved) {
        if (layer.equals(reserved)) {
            throw TidemarkException.of(
                            ErrorCode.RESERVED_LAYER,
                            "task " + task.id() + " writes the layer " + layer + ", which catalog " + output.id()
                                    + " reserves for the state")
                    .hint("give the layer another id, or set " + Catalog.STATE_LAYER + " of the catalog")
                    .build();
        }
        if (!base.layers().containsKey(layer)) {
            throw unknownLayer(task, "writes", layer, "output catalog " + output.id());
        }
    }

    private void checkInput(Task task, Task.Input input, CatalogVersion base, String reserved) {
        switch (input.catalog()) {
            case PartitionKey.OUTPUT -> {
                if (order.writerOf(input.layer()).isEmpty()) {
                    throw unknownLayer(task, "reads", input.layer(), "output of this driver's tasks");
                }
            }
            case Task.FEEDBACK, Task.PREVIOUS -> {
                if (input.layer().equals(reserved)) {
                    throw TidemarkException.of(
                                    ErrorCode.RESERVED_LAYER,
                                    "task " + task.id() + " reads the layer " + reserved + ", which catalog "
                                            + output.id() + " reserves for the state")
                            .build();
                }
                if (!base.layers().containsKey(input.layer())) {
                    throw unknownLayer(task, "reads", input.layer(), "output catalog " + output.id());
                }
            }
            default -> {
                if (!bindings.containsKey(input.catalog())) {
                    throw unbound("task " + task.id() + " reads", input.catalog());
                }
            }
        }
    }

    private void checkInputLayers(Map<String, CatalogVersion> versions, CatalogVersion base) {
        for (Task task : tasks) {
            for (Task.Input input : task.inputs()) {
                CatalogVersion version = versions.getOrDefault(input.catalog(), base);
                if (!version.layers().containsKey(input.layer())) {
                    throw unknownLayer(
                            task,
                            "reads",
                            input.layer(),
                            "catalog " + input.catalog() + ", version " + version.number());
                }
            }
        }
    }

    private static TidemarkException unknownLayer(Task task, String verb, String layer, String where) {
        return TidemarkException.of(
                        ErrorCode.UNKNOWN_LAYER,
                        "task " + task.id() + " " + verb + " the layer " + layer + ", which is no layer of " + where)
                .build();
    }

    private TidemarkException unbound(String who, String id) {
        return TidemarkException.of(ErrorCode.UNKNOWN_INPUT, who + " the catalog " + id + ", which is not bound")
                .detail("Bound are " + bindings.keySet() + ".")
                .build();
    }

    /** Collects what a driver is made of. */
    public static final class Builder {
        private static final int DOUBLE_RUNS_DEFAULT = 1000;
        private static final Set<String> RESERVED = Set.of(PartitionKey.OUTPUT, Task.FEEDBACK, Task.PREVIOUS);

        private final Catalog output;
        private final Map<String, Binding> bindings = new LinkedHashMap<>();
        private final List<Task> tasks = new ArrayList<>();
        private int threads = Runtime.getRuntime().availableProcessors();
        private int doubleRuns = DOUBLE_RUNS_DEFAULT;
        private Path scratch = Path.of(System.getProperty("java.io.tmpdir"));

        private Builder(Catalog output) {
            this.output = output;
        }

        /** Makes a catalog known under an id of letters, digits, {@code -}, {@code _} and {@code .}. */
        public Builder bind(String id, Catalog catalog) {
            return bind(id, new Binding(catalog, OptionalLong.empty()));
        }

        /** Makes a catalog known of which always one version is read; another one means that the output is made anew. */
        public Builder bindFixed(String id, Catalog catalog, long version) {
            return bind(id, new Binding(catalog, OptionalLong.of(version)));
        }

        private Builder bind(String id, Binding binding) {
            if (RESERVED.contains(id) || !id.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
                throw Errors.invalidTask("'" + id + "' cannot be the id of an input catalog");
            }
            if (bindings.put(id, binding) != null) {
                throw Errors.invalidTask("two catalogs are bound as " + id);
            }
            return this;
        }

        /** Adds tasks. */
        public Builder tasks(Task... more) {
            tasks.addAll(List.of(more));
            return this;
        }

        /** Sets how many threads run the functions of tasks, at least 1; one per processor by default. */
        public Builder threads(int count) {
            this.threads = count;
            return this;
        }

        /**
         * Compiles one partition of so many twice, to see whether a function gives the same result again.
         *
         * @param oneOf 1 for all partitions, 0 for none; {@value #DOUBLE_RUNS_DEFAULT} by default
         */
        public Builder checkDeterminism(int oneOf) {
            this.doubleRuns = oneOf;
            return this;
        }

        /** Sets an existing local folder for large payloads that are being written. */
        public Builder scratch(Path folder) {
            this.scratch = folder;
            return this;
        }

        /**
         * The driver.
         *
         * @param engine does all that is done with relations; it stays open
         * @throws TidemarkException {@code TASK_INVALID}, {@code DUPLICATE_OUTPUT_LAYER}, {@code TASK_CYCLE},
         *     {@code RESERVED_LAYER}, {@code UNKNOWN_LAYER}, {@code UNKNOWN_INPUT}; no partition is read and nothing
         *     written before
         */
        public Driver engine(Engine engine) {
            if (threads < 1 || doubleRuns < 0) {
                throw Errors.invalidTask("a driver needs at least one thread, and a share of partitions of 0 or more");
            }
            return new Driver(this, engine);
        }
    }
}
