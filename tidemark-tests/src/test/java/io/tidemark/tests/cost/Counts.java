package io.tidemark.tests.cost;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.delta.storage.Storage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts what is asked of an engine and of a storage, which work as ever. Used by one thread. */
final class Counts {
    /** Methods that cost nothing worth counting. */
    private static final List<String> FREE = List.of("name", "dialect", "close", "progress", "cancel", "toString");

    private final Map<String, Integer> calls = new TreeMap<>();
    private final List<String> files = new ArrayList<>();
    private long rows;

    /** The engine, counted. */
    Engine engine(Engine engine) {
        return (Engine) Proxy.newProxyInstance(
                Engine.class.getClassLoader(), new Class<?>[] {Engine.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("registerFiles")) {
                        ((FileScan) arguments[1]).files().forEach(file -> files.add(file.location()));
                    } else if (method.getName().equals("stream")) {
                        RowConsumer consumer = (RowConsumer) arguments[1];
                        arguments[1] = (RowConsumer) row -> {
                            rows++;
                            return consumer.accept(row);
                        };
                    }
                    Object result = call(engine, method, arguments);
                    if (method.getName().equals("rows")) {
                        rows += ((List<?>) result).size();
                    }
                    return result;
                });
    }

    /** The storage, counted. */
    Storage storage(Storage storage) {
        return (Storage) Proxy.newProxyInstance(
                Storage.class.getClassLoader(),
                new Class<?>[] {Storage.class},
                (proxy, method, arguments) -> call(storage, method, arguments));
    }

    private Object call(Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        if (!FREE.contains(method.getName())) {
            calls.merge(method.getName(), 1, Integer::sum);
        }
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failure) {
            throw failure.getTargetException();
        }
    }

    /** How often some methods were called; all of them if none is named. */
    int calls(String... methods) {
        return calls.entrySet().stream()
                .filter(call -> methods.length == 0 || List.of(methods).contains(call.getKey()))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    /** How many rows have left the engine. */
    long rows() {
        return rows;
    }

    /** The files that were made relations, as often as they were. */
    List<String> files() {
        return files;
    }

    @Override
    public String toString() {
        return calls() + " calls " + calls + ", " + rows + " rows, " + files.size() + " files";
    }
}
