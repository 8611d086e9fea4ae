package io.tidemark.compile.fingerprint;

import io.tidemark.compile.codec.Codec;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Digests of functions: of the class files that hold their code, and of what lambdas have captured.
 *
 * <p>Read are the class in which a function is written and those classes that it refers to, directly or not, which lie in
 * the same folder or archive. Captured texts, numbers, collections, records and functions count with their values, all
 * else with its class alone: a counter or logger that a lambda uses does not change what it computes. A captured lambda
 * counts as itself if its interface is serializable, else with the class around it.
 */
public final class CodeDigest {
    private static final int DEPTH_MAX = 20;

    private final Hasher hasher = new Hasher();
    private final Set<String> digested = new HashSet<>();

    private CodeDigest() {}

    /** The digest of functions, in lower-case hexadecimal. */
    public static String of(List<Object> functions) {
        CodeDigest digest = new CodeDigest();
        functions.forEach(function -> digest.function(function, 0));
        return digest.hasher.hex();
    }

    private void function(Object function, int depth) {
        Class<?> type = function.getClass();
        SerializedLambda lambda = lambda(function);
        if (lambda != null) {
            hasher.text("lambda")
                    .text(lambda.getImplClass())
                    .text(lambda.getImplMethodName())
                    .text(lambda.getImplMethodSignature());
            closure(lambda.getImplClass(), type.getClassLoader());
            for (int i = 0; i < lambda.getCapturedArgCount(); i++) {
                value(lambda.getCapturedArg(i), depth + 1);
            }
            return;
        }
        // A lambda that cannot be written down has a name of its own in each process; the class around it has not.
        String name = type.isHidden() ? type.getName().replaceFirst("\\$\\$Lambda.*", "") : type.getName();
        hasher.text("class").text(name);
        closure(name.replace('.', '/'), type.getClassLoader());
        if (type.isRecord()) {
            record(function, type);
        }
    }

    /** What a lambda is made of; null if the object is none. */
    private static @Nullable SerializedLambda lambda(Object function) {
        if (!function.getClass().isSynthetic() && !function.getClass().isHidden()) {
            return null;
        }
        try {
            Method method = function.getClass().getDeclaredMethod("writeReplace");
            method.setAccessible(true);
            return method.invoke(function) instanceof SerializedLambda lambda ? lambda : null;
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("a lambda cannot be looked into", e);
        }
    }

    private void value(@Nullable Object value, int depth) {
        if (value == null) {
            hasher.text("null");
        } else if (depth > DEPTH_MAX) {
            hasher.text("deep").text(value.getClass().getName());
        } else if (isPlain(value)) {
            hasher.text(value.getClass().getName()).text(value.toString());
        } else if (value instanceof Enum<?> constant) {
            hasher.text(constant.getDeclaringClass().getName()).text(constant.name());
        } else if (value instanceof Class<?> type) {
            hasher.text("type").text(type.getName());
        } else if (value instanceof byte[] bytes) {
            hasher.text("bytes").bytes(bytes);
        } else if (value instanceof List<?> list) {
            hasher.text("list").number(list.size());
            list.forEach(element -> value(element, depth + 1));
        } else if (value instanceof Set<?> set) {
            unordered("set", set, depth);
        } else if (value instanceof Map<?, ?> map) {
            unordered("map", map.entrySet(), depth);
        } else if (value instanceof Map.Entry<?, ?> entry) {
            value(entry.getKey(), depth + 1);
            value(entry.getValue(), depth + 1);
        } else if (value.getClass().isRecord()) {
            record(value, value.getClass());
        } else {
            function(value, depth);
        }
    }

    private static boolean isPlain(Object value) {
        return value instanceof String
                || value instanceof Boolean
                || value instanceof Character
                || value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte
                || value instanceof Double
                || value instanceof Float
                || value instanceof java.math.BigDecimal
                || value instanceof java.math.BigInteger
                || value instanceof java.util.UUID
                || value instanceof java.time.temporal.Temporal
                || value instanceof java.time.Duration
                || value instanceof java.util.regex.Pattern;
    }

    /** The order in which a hash table gives its elements is nobody's intention. */
    private void unordered(String what, Iterable<?> elements, int depth) {
        Map<String, Integer> digests = new TreeMap<>();
        for (Object element : elements) {
            CodeDigest own = new CodeDigest();
            own.value(element, depth + 1);
            digests.merge(own.hasher.hex(), 1, Integer::sum);
        }
        hasher.text(what).text(digests.toString());
    }

    private <T> void record(Object value, Class<T> type) {
        hasher.text("record").text(type.getName());
        try {
            hasher.bytes(Codec.of(type).encode(type.cast(value)));
        } catch (TidemarkException e) {
            // Its components are no plain values; they count with their classes.
            closure(type.getName().replace('.', '/'), type.getClassLoader());
        }
    }

    /** Digests a class and what it needs of its own folder or archive. */
    private void closure(String name, @Nullable ClassLoader loader) {
        URL first = resource(name, loader);
        if (first == null) {
            hasher.text("no file").text(name);
            return;
        }
        String root = root(first, name);
        Map<String, byte[]> files = new TreeMap<>();
        Deque<String> open = new ArrayDeque<>(List.of(name));
        Set<String> seen = new HashSet<>(open);
        while (!open.isEmpty()) {
            String next = open.remove();
            URL place = resource(next, loader);
            if (place == null || !root(place, next).equals(root)) {
                continue;
            }
            byte[] file = read(place);
            files.put(next, file);
            for (String reference : ClassReferences.of(file)) {
                if (seen.add(reference)) {
                    open.add(reference);
                }
            }
        }
        files.forEach((each, file) -> {
            if (digested.add(each)) {
                hasher.text(each).bytes(file);
            }
        });
    }

    private static @Nullable URL resource(String name, @Nullable ClassLoader loader) {
        return loader == null ? null : loader.getResource(name + ".class");
    }

    private static String root(URL place, String name) {
        String text = place.toString();
        return text.substring(0, text.length() - name.length() - ".class".length());
    }

    private static byte[] read(URL place) {
        try (InputStream stream = place.openStream()) {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
