package io.tidemark.delta.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Typed access to the fields of one JSON object, with errors that name the field. */
final class Fields {
    private final String owner;
    private final Map<String, @Nullable Object> values;

    private Fields(String owner, Map<String, @Nullable Object> values) {
        this.owner = owner;
        this.values = values;
    }

    @SuppressWarnings("unchecked")
    static Fields of(String owner, @Nullable Object value) throws IOException {
        if (!(value instanceof Map<?, ?> map)) {
            throw new IOException(owner + " is not a JSON object");
        }
        return new Fields(owner, (Map<String, @Nullable Object>) map);
    }

    Map<String, @Nullable Object> values() {
        return values;
    }

    boolean has(String name) {
        return values.get(name) != null;
    }

    String text(String name) throws IOException {
        String text = textOrNull(name);
        if (text == null) {
            throw missing(name);
        }
        return text;
    }

    @Nullable
    String textOrNull(String name) throws IOException {
        Object value = values.get(name);
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw wrong(name, "a text");
    }

    long number(String name) throws IOException {
        Long number = numberOrNull(name);
        if (number == null) {
            throw missing(name);
        }
        return number;
    }

    @Nullable
    Long numberOrNull(String name) throws IOException {
        Object value = values.get(name);
        if (value == null || value instanceof Long) {
            return (Long) value;
        }
        throw wrong(name, "a 64-bit integer");
    }

    int smallNumber(String name) throws IOException {
        long number = number(name);
        if (number != (int) number) {
            throw wrong(name, "a 32-bit integer");
        }
        return (int) number;
    }

    @Nullable
    Integer smallNumberOrNull(String name) throws IOException {
        return has(name) ? Integer.valueOf(smallNumber(name)) : null;
    }

    boolean flag(String name) throws IOException {
        Object value = values.get(name);
        if (value == null) {
            throw missing(name);
        }
        if (value instanceof Boolean flag) {
            return flag;
        }
        throw wrong(name, "true or false");
    }

    boolean flagOr(String name, boolean absent) throws IOException {
        return has(name) ? flag(name) : absent;
    }

    Map<String, @Nullable String> textMap(String name) throws IOException {
        Object value = values.get(name);
        if (value == null) {
            return Map.of();
        }
        if (!(value instanceof Map<?, ?> map)) {
            throw wrong(name, "an object of texts");
        }
        Map<String, @Nullable String> texts = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            Object element = entry.getValue();
            if (element != null && !(element instanceof String)) {
                throw wrong(name, "an object of texts");
            }
            texts.put((String) entry.getKey(), (String) element);
        }
        return texts;
    }

    Map<String, String> textMapWithoutNulls(String name) throws IOException {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Map.Entry<String, @Nullable String> entry : textMap(name).entrySet()) {
            String value = entry.getValue();
            if (value != null) {
                texts.put(entry.getKey(), value);
            }
        }
        return texts;
    }

    List<String> texts(String name) throws IOException {
        Object value = values.get(name);
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> list)) {
            throw wrong(name, "a list of texts");
        }
        List<String> texts = new ArrayList<>();
        for (Object element : list) {
            if (!(element instanceof String text)) {
                throw wrong(name, "a list of texts");
            }
            texts.add(text);
        }
        return texts;
    }

    @Nullable
    Fields objectOrNull(String name) throws IOException {
        Object value = values.get(name);
        return value == null ? null : of(owner + "." + name, value);
    }

    private IOException missing(String name) {
        return new IOException(owner + " has no " + name);
    }

    private IOException wrong(String name, String expected) {
        return new IOException(owner + "." + name + " is not " + expected);
    }
}
