package io.tidemark.app;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.TidemarkException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Lets Ctrl-C and other signals end a run in order: the running query is stopped, the program says what was done and
 * removes its temporary files, and then the process ends. Nothing is half-written whenever it ends.
 */
final class Interrupts {
    private static final AtomicReference<@Nullable Engine> RUNNING = new AtomicReference<>();
    private static final Thread HOOK = new Thread(Interrupts::cancel, "cancel");
    private static final CountDownLatch ENDED = new CountDownLatch(1);
    /** How long a signal waits for the program to end by itself. */
    private static final long WAIT_SECONDS_MAX = 10;

    private static final long CANCELS_PER_SECOND = 20;

    private static boolean installed;

    private Interrupts() {}

    static synchronized void cancelOnSignal(Engine engine) {
        RUNNING.set(engine);
        if (!installed) {
            Runtime.getRuntime().addShutdownHook(HOOK);
            installed = true;
        }
    }

    /** The program has said all that it has to say. */
    static void ended() {
        ENDED.countDown();
    }

    private static void cancel() {
        Engine engine = RUNNING.get();
        if (engine == null || ENDED.getCount() == 0) {
            return;
        }
        try {
            for (long waited = 0; waited < WAIT_SECONDS_MAX * CANCELS_PER_SECOND; waited++) {
                // Between two queries there is nothing to stop, so it is tried until the program has ended.
                engine.cancel();
                if (ENDED.await(1_000 / CANCELS_PER_SECOND, TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TidemarkException e) {
            // the engine is closed already; the program is about to end
        }
    }
}
