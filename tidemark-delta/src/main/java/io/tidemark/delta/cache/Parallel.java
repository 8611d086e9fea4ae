package io.tidemark.delta.cache;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs transfers at the same time, since each of them mostly waits. */
final class Parallel {
    private static final long CHECK_MILLIS = 100;
    private static final long END_SECONDS_MAX = 60;

    private Parallel() {}

    /**
     * Runs all tasks and waits for them. The first failure ends those that have not begun, interrupts the others, and is
     * thrown when all have ended.
     *
     * @param check called now and then by the calling thread; what it throws counts as a failure
     */
    static void run(List<Runnable> tasks, int threads, Runnable check) {
        if (tasks.isEmpty()) {
            return;
        }
        ExecutorService pool = Executors.newFixedThreadPool(Math.min(threads, tasks.size()), task -> {
            Thread thread = new Thread(task, "tidemark-transfer");
            thread.setDaemon(true);
            return thread;
        });
        try {
            CompletionService<Boolean> completion = new ExecutorCompletionService<>(pool);
            List<Future<Boolean>> running = new ArrayList<>();
            for (Runnable task : tasks) {
                running.add(completion.submit(task, Boolean.TRUE));
            }
            for (int ended = 0; ended < running.size(); ) {
                check.run();
                Future<Boolean> done = completion.poll(CHECK_MILLIS, TimeUnit.MILLISECONDS);
                if (done != null) {
                    done.get();
                    ended++;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw unwrapped(e);
        } finally {
            end(pool);
        }
    }

    /** A task that is still at work could use files that the caller is about to delete. */
    private static void end(ExecutorService pool) {
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

    private static RuntimeException unwrapped(ExecutionException e) {
        Throwable cause = e.getCause();
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
    }

    private static TidemarkException interrupted(InterruptedException e) {
        return TidemarkException.of(ErrorCode.INTERRUPTED, "the run was interrupted")
                .cause(e)
                .build();
    }
}
