package io.tidemark.tests.faults;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.tests.faults.FaultPlan.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An engine whose writing of files fails as a plan says; the rest of its work goes through. */
final class FaultyEngine implements InvocationHandler {
    /** Name of the operation that writes files. */
    static final String WRITE = "write files";

    private final Engine inner;
    private FaultPlan plan = FaultPlan.none();

    FaultyEngine(Engine inner) {
        this.inner = inner;
    }

    /** Begins a run. */
    void follow(FaultPlan next) {
        plan = next;
    }

    /** The engine as the product sees it. */
    Engine engine() {
        return (Engine) Proxy.newProxyInstance(Engine.class.getClassLoader(), new Class<?>[] {Engine.class}, this);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getName().equals("write") && arguments != null) {
            String sql = (String) arguments[0];
            WriteSpec spec = (WriteSpec) arguments[1];
            return write(() -> inner.write(sql, spec), spec.directory());
        }
        try {
            return method.invoke(inner, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** A writer that died in the middle has written files, the last of them not to its end. */
    private List<WrittenFile> write(Supplier<List<WrittenFile>> work, String folder) {
        Consumer<WrittenFile> cut = file -> {
            Path path = Path.of(folder, file.name());
            try {
                byte[] bytes = Files.readAllBytes(path);
                Files.write(path, Arrays.copyOf(bytes, bytes.length / 2));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        return plan.run(Kind.WRITE, WRITE, work, () -> work.get().forEach(cut));
    }
}
