package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.util.List;

/** What is done with one input partition: the user's function of a pattern, and what it gives. */
@FunctionalInterface
interface FrontEnd {
    /**
     * Handles a partition.
     *
     * @return whether the user's function was called
     */
    boolean apply(Subject subject, Sink sink) throws Exception;

    /**
     * A partition that is handled.
     *
     * @param key its key
     * @param references what it refers to; nothing in patterns without references
     * @param previous its edges at the last run; nothing but in pattern IncrementalDep
     * @param context what the function may read
     */
    record Subject(PartitionKey key, References references, List<DependencyFunction.Edge> previous, Context context) {}

    /** Takes what a partition gives. */
    interface Sink {
        /** A value for an output, encoded. */
        void value(PartitionKey out, byte[] encoded);

        /** An edge from an output to an input. */
        void edge(PartitionKey out, PartitionKey input);
    }

    /** The front end of a task. */
    static FrontEnd of(Task task) {
        Pattern pattern = task.pattern();
        if (pattern instanceof Pattern.Direct<?> direct) {
            return direct(direct);
        }
        if (pattern instanceof Pattern.MapGroup<?> group) {
            return mapGroup(group);
        }
        if (pattern instanceof Pattern.RefTree<?> tree) {
            return refTree(tree);
        }
        if (pattern instanceof Pattern.Dependencies dependencies) {
            return dependencies(dependencies);
        }
        throw new IllegalStateException(pattern.name() + " has no front end");
    }

    private static <T> FrontEnd direct(Pattern.Direct<T> pattern) {
        return (subject, sink) -> {
            List<PartitionKey> outs = new java.util.ArrayList<>();
            pattern.mapping().outputsOf(subject.key(), subject.context()).forEach(outs::add);
            if (outs.isEmpty()) {
                return false;
            }
            T value = pattern.compileIn().compileIn(subject.key(), subject.context());
            byte[] encoded = pattern.backEnd().codec().encode(value);
            outs.forEach(out -> sink.value(out, encoded));
            return true;
        };
    }

    private static <T> FrontEnd mapGroup(Pattern.MapGroup<T> pattern) {
        return (subject, sink) -> {
            Emitter<T> emitter =
                    (out, value) -> sink.value(out, pattern.backEnd().codec().encode(value));
            pattern.compileIn().compileIn(subject.key(), emitter, subject.context());
            return true;
        };
    }

    private static <T> FrontEnd refTree(Pattern.RefTree<T> pattern) {
        return (subject, sink) -> {
            Emitter<T> emitter =
                    (out, value) -> sink.value(out, pattern.backEnd().codec().encode(value));
            pattern.compileIn().compileIn(subject.key(), subject.references(), emitter, subject.context());
            return true;
        };
    }

    private static FrontEnd dependencies(Pattern.Dependencies pattern) {
        return (subject, sink) -> {
            if (pattern.whole().isPresent()) {
                pattern.whole().get().dependencies(subject.key(), sink::edge, subject.context());
            } else {
                pattern.incremental()
                        .orElseThrow()
                        .dependencies(subject.key(), subject.previous(), sink::edge, subject.context());
            }
            return true;
        };
    }
}
