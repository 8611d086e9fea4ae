package io.tidemark.compile;

import io.tidemark.compile.codec.Codec;
import java.util.List;
import java.util.Optional;

/** What a task computes and how it is cut into pieces. */
sealed interface Pattern {
    /** The pattern's name, part of the fingerprint. */
    String name();

    /** The user's functions, whose code is part of the fingerprint. */
    List<Object> functions();

    /** A front end that makes intermediate values and a back end that gathers them. */
    sealed interface WithIntermediates<T> extends Pattern {
        BackEnd<T> backEnd();
    }

    /** Direct1ToN and DirectMToN. */
    record Direct<T>(boolean oneToN, DirectMapping mapping, DirectCompileIn<T> compileIn, BackEnd<T> backEnd)
            implements WithIntermediates<T> {
        @Override
        public String name() {
            return oneToN ? "Direct1ToN" : "DirectMToN";
        }

        @Override
        public List<Object> functions() {
            return backEnd.with(mapping, compileIn);
        }
    }

    /** MapGroup. */
    record MapGroup<T>(GroupCompileIn<T> compileIn, BackEnd<T> backEnd) implements WithIntermediates<T> {
        @Override
        public String name() {
            return "MapGroup";
        }

        @Override
        public List<Object> functions() {
            return backEnd.with(compileIn);
        }
    }

    /** RefTree. */
    record RefTree<T>(
            List<Reference> references, ReferenceResolver resolver, RefTreeCompileIn<T> compileIn, BackEnd<T> backEnd)
            implements WithIntermediates<T> {
        @Override
        public String name() {
            return "RefTree";
        }

        @Override
        public List<Object> functions() {
            return backEnd.with(resolver, compileIn);
        }
    }

    /** Dep and IncrementalDep; exactly one of the first two is there. */
    record Dependencies(
            Optional<DependencyFunction> whole,
            Optional<DependencyFunction.Incremental> incremental,
            DependencyCompileOut compileOut)
            implements Pattern {
        @Override
        public String name() {
            return whole.isPresent() ? "Dep" : "IncrementalDep";
        }

        @Override
        public List<Object> functions() {
            return List.of(whole.isPresent() ? whole.get() : incremental.orElseThrow(), compileOut);
        }
    }

    /** NonIncremental. */
    record Whole(WholeCompile compile) implements Pattern {
        @Override
        public String name() {
            return "NonIncremental";
        }

        @Override
        public List<Object> functions() {
            return List.of(compile);
        }
    }

    /**
     * The back end of patterns with intermediate values.
     *
     * @param codec how the values are kept
     * @param keepsValues whether the state holds the values, and not only their hashes
     * @param one makes one partition; absent if {@code many} is there
     */
    record BackEnd<T>(
            Codec<T> codec,
            boolean keepsValues,
            Optional<CompileOut<T>> one,
            Optional<CompileOutMany<T>> many,
            Optional<CompileOutMany.Announcement> announcement) {
        List<Object> with(Object... others) {
            List<Object> all = new java.util.ArrayList<>(List.of(others));
            one.ifPresent(all::add);
            many.ifPresent(all::add);
            announcement.ifPresent(all::add);
            return all;
        }
    }
}
