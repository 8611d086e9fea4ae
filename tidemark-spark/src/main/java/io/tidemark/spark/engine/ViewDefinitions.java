package io.tidemark.spark.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The texts of views, and which of them read a relation that is registered again. */
final class ViewDefinitions {
    private final Map<String, View> views = new LinkedHashMap<>();
    private final Set<String> registered = new HashSet<>();

    /**
     * A view.
     *
     * @param name its name
     * @param sql what it selects
     */
    record View(String name, String sql) {}

    void define(String name, String sql) {
        views.put(key(name), new View(name, sql));
    }

    void forget(String name) {
        views.remove(key(name));
    }

    /**
     * The views that read a relation, directly or through others, each behind those that it reads; none if the relation is
     * registered for the first time.
     */
    List<View> readersOf(String relation) {
        if (registered.add(key(relation))) {
            return List.of();
        }
        Set<String> changed = new HashSet<>(Set.of(key(relation)));
        List<View> readers = new ArrayList<>();
        // A view is defined behind those that it reads, so that one pass finds all.
        for (View view : views.values()) {
            String text = view.sql().toLowerCase(Locale.ROOT);
            if (!key(view.name()).equals(key(relation)) && changed.stream().anyMatch(text::contains)) {
                changed.add(key(view.name()));
                readers.add(view);
            }
        }
        return readers;
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
