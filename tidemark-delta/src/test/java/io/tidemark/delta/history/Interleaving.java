package io.tidemark.delta.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Runs actors one step at a time in an order that a seed decides. A step ends where the actor calls {@link #pause}: at
 * each access to the storage. Threads are only used to hold actors between their steps; never do two run at once.
 */
final class Interleaving {
    private final Random random;
    private final int crashOneIn;
    private final List<Actor> actors = new ArrayList<>();
    private final Semaphore control = new Semaphore(0);
    private @Nullable Actor current;

    /**
     * An order of steps.
     *
     * @param crashOneIn at one of this many steps an actor stops for ever, as if its process were killed
     */
    Interleaving(Random random, int crashOneIn) {
        this.random = random;
        this.crashOneIn = crashOneIn;
    }

    /** Ends an actor at a step. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    private final class Actor {
        final Semaphore turn = new Semaphore(0);
        final Thread thread;
        boolean done;

        @Nullable
        Throwable failure;

        Actor(Runnable work) {
            thread = new Thread(() -> {
                turn.acquireUninterruptibly();
                try {
                    work.run();
                } catch (Killed e) {
                    // the process is gone, and nobody cleans up behind it
                } catch (Throwable e) {
                    failure = e;
                } finally {
                    done = true;
                    control.release();
                }
            });
            thread.setDaemon(true);
        }
    }

    void add(Runnable work) {
        actors.add(new Actor(work));
    }

    /** Runs all actors to their end. */
    void run() {
        actors.forEach(actor -> actor.thread.start());
        List<Actor> running = new ArrayList<>(actors);
        while (!running.isEmpty()) {
            Actor actor = running.get(random.nextInt(running.size()));
            current = actor;
            actor.turn.release();
            control.acquireUninterruptibly();
            if (actor.done) {
                running.remove(actor);
                Throwable failure = actor.failure;
                if (failure != null) {
                    throw new AssertionError("an actor failed: " + failure, failure);
                }
            }
        }
        current = null;
    }

    /** Called by the running actor: lets others go first. Outside of a run it does nothing. */
    void pause() {
        Actor self = current;
        if (self == null || Thread.currentThread() != self.thread) {
            return;
        }
        boolean stays = random.nextBoolean();
        if (!stays) {
            control.release();
            self.turn.acquireUninterruptibly();
        }
        if (crashOneIn > 0 && random.nextInt(crashOneIn) == 0) {
            throw new Killed();
        }
    }
}
