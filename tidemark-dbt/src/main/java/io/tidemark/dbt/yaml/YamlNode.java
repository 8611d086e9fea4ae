package io.tidemark.dbt.yaml;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A part of a YAML file: a mapping, a sequence or a scalar, with its place. Scalars are String, Boolean, Long, Double or
 * null.
 */
public final class YamlNode {
    private final @Nullable Object value;
    private final TextLocation location;

    private YamlNode(@Nullable Object value, TextLocation location) {
        this.value = value;
        this.location = location;
    }

    /** A scalar. */
    public static YamlNode scalar(@Nullable Object value, TextLocation location) {
        return new YamlNode(value, location);
    }

    /** A sequence. */
    public static YamlNode sequence(List<YamlNode> items, TextLocation location) {
        return new YamlNode(List.copyOf(items), location);
    }

    /** A mapping; the order of its entries is kept. */
    public static YamlNode mapping(Map<String, YamlNode> entries, TextLocation location) {
        return new YamlNode(Collections.unmodifiableMap(new LinkedHashMap<>(entries)), location);
    }

    /** Java values as a node without places of its own: maps, lists and scalars. */
    public static YamlNode of(@Nullable Object value, TextLocation location) {
        if (value instanceof YamlNode node) {
            return node;
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, YamlNode> entries = new LinkedHashMap<>();
            map.forEach((key, each) -> entries.put(String.valueOf(key), of(each, location)));
            return mapping(entries, location);
        }
        if (value instanceof List<?> list) {
            List<YamlNode> items = new ArrayList<>();
            list.forEach(each -> items.add(of(each, location)));
            return sequence(items, location);
        }
        if (value instanceof Integer number) {
            return scalar(number.longValue(), location);
        }
        return scalar(value, location);
    }

    /** Where the part begins. */
    public TextLocation location() {
        return location;
    }

    /** Whether this is a mapping. */
    public boolean isMapping() {
        return value instanceof Map;
    }

    /** Whether this is a sequence. */
    public boolean isSequence() {
        return value instanceof List;
    }

    /** Whether this is an empty scalar. */
    public boolean isNull() {
        return value == null;
    }

    /** The entries of a mapping. An empty scalar has none, as a key with nothing behind it. */
    public Map<String, YamlNode> entries() {
        if (value == null) {
            return Map.of();
        }
        if (!(value instanceof Map<?, ?> map)) {
            throw invalid("a mapping (name: value) is expected here, not " + shown())
                    .build();
        }
        Map<String, YamlNode> entries = new LinkedHashMap<>();
        map.forEach((key, node) -> entries.put((String) key, (YamlNode) node));
        return entries;
    }

    /** The items of a sequence; a scalar is a sequence of one, an empty scalar has none. */
    public List<YamlNode> items() {
        if (value == null) {
            return List.of();
        }
        if (value instanceof List<?> list) {
            return list.stream().map(YamlNode.class::cast).toList();
        }
        return List.of(this);
    }

    /** An entry of a mapping that is there and not empty. */
    public Optional<YamlNode> get(String key) {
        return Optional.ofNullable(entries().get(key)).filter(node -> !node.isNull());
    }

    /** The text of a scalar; numbers and booleans as YAML spells them. */
    public String text() {
        if (value == null || value instanceof Map || value instanceof List) {
            throw invalid("a text is expected here, not " + shown()).build();
        }
        return value.toString();
    }

    private String shown() {
        return isMapping() ? "a mapping" : isSequence() ? "a list" : isNull() ? "nothing" : "'" + value + "'";
    }

    /** The texts of a sequence of scalars, or of one scalar. */
    public List<String> texts() {
        return items().stream().map(YamlNode::text).toList();
    }

    /** A boolean; texts that a template gave count, too. */
    public boolean flag() {
        if (value instanceof Boolean flag) {
            return flag;
        }
        String text = text();
        if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
            return Boolean.parseBoolean(text);
        }
        throw invalid("true or false is expected here, not " + text).build();
    }

    /** The text of an entry, if it is there. */
    public Optional<String> text(String key) {
        return get(key).map(YamlNode::text);
    }

    /**
     * The text of an entry that must be there.
     *
     * @throws TidemarkException {@code PROJECT_INVALID}
     */
    public String required(String key) {
        return text(key).orElseThrow(() -> invalid("there is no " + key).build());
    }

    /** The value as Java objects: maps, lists and scalars. */
    public @Nullable Object plain() {
        if (value instanceof Map) {
            Map<String, @Nullable Object> map = new LinkedHashMap<>();
            entries().forEach((key, node) -> map.put(key, node.plain()));
            return map;
        }
        if (value instanceof List) {
            List<@Nullable Object> list = new ArrayList<>();
            items().forEach(item -> list.add(item.plain()));
            return list;
        }
        return value;
    }

    /**
     * The same tree with other scalars.
     *
     * @param except entries that stay as they are, wherever they stand
     */
    public YamlNode scalars(UnaryOperator<YamlNode> change, Predicate<String> except) {
        if (isMapping()) {
            Map<String, YamlNode> changed = new LinkedHashMap<>();
            entries().forEach((key, node) -> changed.put(key, except.test(key) ? node : node.scalars(change, except)));
            return mapping(changed, location);
        }
        if (isSequence()) {
            return sequence(
                    items().stream().map(item -> item.scalars(change, except)).toList(), location);
        }
        return change.apply(this);
    }

    /** The start of an error about this part. */
    public TidemarkException.Builder invalid(String text) {
        return TidemarkException.of(ErrorCode.PROJECT_INVALID, text).at(location);
    }

    @Override
    public String toString() {
        return String.valueOf(plain());
    }
}
