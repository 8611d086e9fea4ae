package io.tidemark.app;

import io.tidemark.core.engine.Engine;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Lets Ctrl-C end a run: the running query is stopped, and nothing is half-written whenever the process ends. */
final class Interrupts {
    private static final AtomicReference<@Nullable Engine> RUNNING = new AtomicReference<>();
    private static final Thread HOOK = new Thread(Interrupts::cancel, "cancel");
    private static boolean installed;

    private Interrupts() {}

    static synchronized void cancelOnSignal(Engine engine) {
        RUNNING.set(engine);
        if (!installed) {
            Runtime.getRuntime().addShutdownHook(HOOK);
            installed = true;
        }
    }

    private static void cancel() {
        Engine engine = RUNNING.get();
        if (engine != null) {
            engine.cancel();
        }
    }
}
