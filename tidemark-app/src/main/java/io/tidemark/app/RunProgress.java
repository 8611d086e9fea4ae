package io.tidemark.app;

import io.tidemark.core.engine.Engine;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.RunListener;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Shows the progress of a run: a bar on a terminal, plain lines otherwise. */
final class RunProgress implements RunListener, AutoCloseable {
    private static final int BAR_WIDTH = 30;
    private static final long REFRESH_MILLIS = 200;

    private final PrintWriter err;
    private final boolean bar;
    private final boolean plain;
    private final List<FlowResult> results = new ArrayList<>();
    private final @Nullable ScheduledExecutorService painter;
    private final @Nullable Future<?> painting;
    private volatile @Nullable Current current;
    private int steps;

    private record Current(String flow, String target, Engine engine, long beginNanos) {}

    RunProgress(PrintWriter err, boolean verbose) {
        this.err = err;
        this.bar = verbose && Terminal.isInteractive();
        this.plain = verbose && !bar;
        if (bar) {
            ScheduledExecutorService service = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "progress");
                thread.setDaemon(true);
                return thread;
            });
            this.painting =
                    service.scheduleAtFixedRate(this::paint, REFRESH_MILLIS, REFRESH_MILLIS, TimeUnit.MILLISECONDS);
            this.painter = service;
        } else {
            this.painting = null;
            this.painter = null;
        }
    }

    /** What has ended so far. */
    List<FlowResult> results() {
        return List.copyOf(results);
    }

    @Override
    public void planned(List<String> lines) {
        steps = lines.size();
        if (bar || plain) {
            err.println("plan: " + steps + (steps == 1 ? " step" : " steps"));
            lines.forEach(line -> err.println("  " + line));
        }
    }

    @Override
    public void started(String name, String target, Engine engine) {
        if (plain) {
            err.println("updating " + target + " by " + name);
        }
        current = new Current(name, target, engine, System.nanoTime());
    }

    @Override
    public synchronized void finished(FlowResult result) {
        current = null;
        results.add(result);
        clearLine();
        if (bar || plain) {
            String version = result.version().isPresent()
                    ? ", version " + result.version().getAsLong()
                    : "";
            err.println("  " + result.name() + " -> " + result.target() + ": "
                    + result.status().name().toLowerCase(Locale.ROOT).replace('_', ' ') + version + ", "
                    + result.millis() + " ms");
        }
    }

    @Override
    public synchronized void warned(String text) {
        clearLine();
        err.println("warning: " + text);
    }

    private synchronized void paint() {
        Current now = current;
        if (now == null) {
            return;
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - now.beginNanos());
        OptionalDouble done = now.engine().progress();
        int filled = (int) Math.round(BAR_WIDTH * Math.max(0, Math.min(1, done.orElse(0))));
        err.print("\r\u001b[K[" + "#".repeat(filled) + ".".repeat(BAR_WIDTH - filled) + "] " + now.flow() + " -> "
                + now.target() + " " + seconds + " s");
        err.flush();
    }

    private void clearLine() {
        if (bar) {
            err.print("\r\u001b[K");
            err.flush();
        }
    }

    @Override
    public void close() {
        stop();
    }

    /** Ends the bar; what comes next on the terminal begins on a clean line. */
    void stop() {
        current = null;
        if (painting != null) {
            painting.cancel(false);
        }
        if (painter != null) {
            painter.shutdownNow();
        }
        synchronized (this) {
            clearLine();
        }
    }
}
