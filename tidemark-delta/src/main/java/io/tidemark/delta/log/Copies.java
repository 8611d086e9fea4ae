package io.tidemark.delta.log;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Copies of maps that may hold NULL as a value, which {@link Map#copyOf} refuses. */
final class Copies {
    private Copies() {}

    static <V extends @Nullable Object> Map<String, V> of(Map<String, V> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }
}
