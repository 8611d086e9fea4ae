package io.tidemark.dbt.jinja;

import io.tidemark.core.error.TextLocation;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Something that an expression of a template can call. */
@FunctionalInterface
public interface Callable {
    /**
     * Is called.
     *
     * @param arguments what was given
     * @return what the expression is worth; a call for its effect gives an empty text
     * @throws io.tidemark.core.error.TidemarkException what is wrong; the template's place is added
     */
    @Nullable
    Object call(Arguments arguments);

    /**
     * Arguments of a call: strings, numbers, booleans, lists, maps, null.
     *
     * @param positional those without name
     * @param named those with one
     * @param location where the template calls
     */
    record Arguments(List<@Nullable Object> positional, Map<String, @Nullable Object> named, TextLocation location) {
        /** An argument by place or by name, if it was given and is not null. */
        public Optional<Object> get(int index, String name) {
            if (index < positional.size()) {
                return Optional.ofNullable(positional.get(index));
            }
            return Optional.ofNullable(named.get(name));
        }

        /** Whether an argument was given, be it null. */
        public boolean has(int index, String name) {
            return index < positional.size() || named.containsKey(name);
        }
    }
}
