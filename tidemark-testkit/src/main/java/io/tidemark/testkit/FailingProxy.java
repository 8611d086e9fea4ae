package io.tidemark.testkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Something behind an interface that stops working at a chosen call, as when the machine stops there: that call and all
 * later ones fail, those that would clean up too, until it is healed.
 *
 * @param <T> the interface
 */
public final class FailingProxy<T> {
    private final T target;
    private final T proxy;
    private final Supplier<? extends RuntimeException> failure;
    private final AtomicLong calls = new AtomicLong();
    private volatile long failAt = Long.MAX_VALUE;

    /**
     * A proxy that works, for the time being.
     *
     * @param type the interface
     * @param target what does the work
     * @param failure makes what failing calls throw
     */
    public FailingProxy(Class<T> type, T target, Supplier<? extends RuntimeException> failure) {
        this.target = target;
        this.failure = failure;
        this.proxy = type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> call(method, arguments)));
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        if (calls.incrementAndGet() > failAt) {
            throw failure.get();
        }
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /** What the code under test gets. */
    public T get() {
        return proxy;
    }

    /** Lets so many calls pass, counted from now, and all later ones fail. */
    public void failAfter(long count) {
        calls.set(0);
        failAt = count;
    }

    /** Lets no call fail any more, and tells how many there were since {@link #failAfter}, failed ones among them. */
    public long heal() {
        failAt = Long.MAX_VALUE;
        return calls.get();
    }
}
