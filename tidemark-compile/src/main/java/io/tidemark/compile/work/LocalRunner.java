package io.tidemark.compile.work;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs functions on a pool of threads of this JVM. Rows are streamed from the engine in batches, a bounded number of
 * which is on its way; results return to the engine in the order of the input, whichever thread is faster.
 */
public final class LocalRunner implements PartitionRunner, AutoCloseable {
    /** Batches that are on their way, for each thread. */
    private static final int BATCHES_PER_THREAD = 2;

    private static final long BATCH_BYTES = 1024L * 1024;
    private static final int BATCH_GROUPS = 256;
    /** After so many failures the rest of the input is not read. */
    private static final int FAILURES_MAX = 100;

    private static final long END_SECONDS_MAX = 60;
    /** What a value costs beside its characters or bytes. */
    private static final int VALUE_BYTES = 32;

    private final Engine engine;
    private final int threads;
    private final ExecutorService pool;

    /**
     * Makes a pool.
     *
     * @param threads number of its threads, at least 1
     */
    public LocalRunner(Engine engine, int threads) {
        this.engine = engine;
        this.threads = threads;
        this.pool = Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, "tidemark-compile");
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public void apply(
            String what, String inputSql, String outputRelation, StructType outputColumns, GroupFunction function) {
        engine.load(outputRelation, outputColumns, output -> new Pass(function, output).run(what, inputSql));
    }

    /** Waits for the threads; nothing runs any more then. */
    @Override
    public void close() {
        pool.shutdownNow();
        boolean interrupted = Thread.interrupted();
        try {
            pool.awaitTermination(END_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private record Group(String key, List<List<@Nullable Object>> rows) {}

    private record Done(List<List<@Nullable Object>> rows, List<GroupFailure> failures) {}

    /** One pass over an input; used by the calling thread only. */
    private final class Pass {
        private final GroupFunction function;
        private final RowConsumer output;
        private final Deque<Future<Done>> running = new ArrayDeque<>();
        private final List<GroupFailure> failures = new ArrayList<>();
        private List<Group> batch = new ArrayList<>();
        private long batchBytes;

        Pass(GroupFunction function, RowConsumer output) {
            this.function = function;
            this.output = output;
        }

        void run(String what, String inputSql) {
            try {
                engine.stream(inputSql, this::take);
                submit();
                while (!running.isEmpty()) {
                    finishOldest();
                }
            } finally {
                running.forEach(future -> future.cancel(true));
            }
            if (!failures.isEmpty()) {
                throw GroupFailure.together(what, failures, failures.size() >= FAILURES_MAX);
            }
        }

        private boolean take(List<@Nullable Object> values) {
            String key = String.valueOf(values.get(0));
            Group last = batch.isEmpty() ? null : batch.get(batch.size() - 1);
            if (last == null || !last.key().equals(key)) {
                if (batchBytes >= BATCH_BYTES || batch.size() >= BATCH_GROUPS) {
                    submit();
                    if (failures.size() >= FAILURES_MAX) {
                        return false;
                    }
                }
                last = new Group(key, new ArrayList<>());
                batch.add(last);
            }
            last.rows().add(Collections.unmodifiableList(new ArrayList<>(values)));
            batchBytes += bytes(values);
            return true;
        }

        private void submit() {
            if (batch.isEmpty()) {
                return;
            }
            List<Group> full = batch;
            batch = new ArrayList<>();
            batchBytes = 0;
            while (running.size() >= threads * BATCHES_PER_THREAD) {
                finishOldest();
            }
            Callable<Done> work = () -> handle(full);
            running.add(pool.submit(work));
        }

        private Done handle(List<Group> groups) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            List<GroupFailure> failed = new ArrayList<>();
            for (Group group : groups) {
                List<List<@Nullable Object>> own = new ArrayList<>();
                try {
                    function.apply(group.rows(), own::add);
                    rows.addAll(own);
                } catch (VirtualMachineError e) {
                    if (!(e instanceof StackOverflowError)) {
                        throw e;
                    }
                    failed.add(new GroupFailure(group.key(), e));
                } catch (Throwable e) {
                    failed.add(new GroupFailure(group.key(), e));
                }
            }
            return new Done(rows, failed);
        }

        private void finishOldest() {
            try {
                Done done = running.remove().get();
                if (failures.isEmpty()) {
                    done.rows().forEach(output::accept);
                }
                done.failures().stream()
                        .limit(FAILURES_MAX - (long) failures.size())
                        .forEach(failures::add);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw TidemarkException.of(ErrorCode.INTERRUPTED, "the run was interrupted")
                        .cause(e)
                        .build();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Error error) {
                    throw error;
                }
                throw new IllegalStateException(e.getCause());
            }
        }

        private static long bytes(List<@Nullable Object> values) {
            long bytes = 0;
            for (Object value : values) {
                bytes += VALUE_BYTES;
                if (value instanceof byte[] binary) {
                    bytes += binary.length;
                } else if (value instanceof String text) {
                    bytes += text.length();
                }
            }
            return bytes;
        }
    }
}
