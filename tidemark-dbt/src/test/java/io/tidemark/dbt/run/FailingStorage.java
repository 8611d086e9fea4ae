package io.tidemark.dbt.run;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** The local disk, on which one operation of a number of them can fail, as when the machine stops there. */
final class FailingStorage {
    private final Storage disk = new LocalStorage();
    private long operations;
    private long failAt = -1;

    /** The storage. */
    Storage storage() {
        return (Storage) Proxy.newProxyInstance(
                Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, (proxy, method, arguments) -> {
                    operations++;
                    if (failAt >= 0 && operations > failAt) {
                        throw TidemarkException.of(ErrorCode.IO_FAILED, "the disk is gone")
                                .build();
                    }
                    return invoke(method, arguments);
                });
    }

    private @Nullable Object invoke(java.lang.reflect.Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(disk, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /** Lets all operations fail from the given one on. */
    void failFrom(long operation) {
        operations = 0;
        failAt = operation;
    }

    /** Lets no operation fail. */
    void heal() {
        failAt = -1;
    }
}
