package io.tidemark.dbt.yaml;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Reads YAML texts with anchors and merge keys; no object is ever made of a tag. */
public final class YamlReader {
    private static final String MERGE_KEY = "<<";

    private final String file;

    private YamlReader(String file) {
        this.file = file;
    }

    /**
     * Reads a file's text.
     *
     * @param file the file's name for errors
     * @throws TidemarkException {@code PROJECT_INVALID} with the place of the fault
     */
    public static YamlNode read(String file, String text) {
        try {
            Node root = new Yaml(new SafeConstructor(new LoaderOptions())).compose(new StringReader(text));
            return root == null ? YamlNode.scalar(null, new TextLocation(file, 1, 1)) : new YamlReader(file).node(root);
        } catch (MarkedYAMLException e) {
            throw TidemarkException.of(ErrorCode.PROJECT_INVALID, "the file is not YAML: " + e.getProblem())
                    .at(place(file, e.getProblemMark()))
                    .cause(e)
                    .build();
        } catch (YAMLException e) {
            throw TidemarkException.of(ErrorCode.PROJECT_INVALID, "the file is not YAML: " + e.getMessage())
                    .at(new TextLocation(file, 1, 1))
                    .cause(e)
                    .build();
        }
    }

    /** The type that a plain scalar of this text would have. */
    public static YamlNode scalarOf(String text, TextLocation location) {
        try {
            Node node = new Yaml(new SafeConstructor(new LoaderOptions())).compose(new StringReader(text));
            return node instanceof ScalarNode scalar
                    ? YamlNode.scalar(value(scalar), location)
                    : YamlNode.scalar(text, location);
        } catch (YAMLException e) {
            return YamlNode.scalar(text, location);
        }
    }

    private YamlNode node(Node node) {
        TextLocation place = place(file, node.getStartMark());
        if (node instanceof MappingNode mapping) {
            return YamlNode.mapping(entries(mapping), place);
        }
        if (node instanceof SequenceNode sequence) {
            List<YamlNode> items = new ArrayList<>();
            sequence.getValue().forEach(item -> items.add(node(item)));
            return YamlNode.sequence(items, place);
        }
        return YamlNode.scalar(value((ScalarNode) node), place);
    }

    private Map<String, YamlNode> entries(MappingNode mapping) {
        Map<String, YamlNode> merged = new LinkedHashMap<>();
        Map<String, YamlNode> own = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                throw TidemarkException.of(ErrorCode.PROJECT_INVALID, "a key is no text")
                        .at(place(file, tuple.getKeyNode().getStartMark()))
                        .build();
            }
            if (key.getValue().equals(MERGE_KEY) && key.isPlain()) {
                node(tuple.getValueNode())
                        .items()
                        .forEach(each -> each.entries().forEach(merged::putIfAbsent));
            } else if (own.put(key.getValue(), valued(key, tuple.getValueNode())) != null) {
                throw TidemarkException.of(ErrorCode.PROJECT_INVALID, "the key " + key.getValue() + " stands twice")
                        .at(place(file, key.getStartMark()))
                        .build();
            }
        }
        merged.keySet().removeAll(own.keySet());
        merged.putAll(own);
        return merged;
    }

    /** An empty value has no place of its own. */
    private YamlNode valued(ScalarNode key, Node value) {
        YamlNode read = node(value);
        return read.isNull() ? YamlNode.scalar(null, place(file, key.getStartMark())) : read;
    }

    private static @Nullable Object value(ScalarNode scalar) {
        String text = scalar.getValue();
        Tag tag = scalar.getTag();
        if (tag.equals(Tag.NULL)) {
            return null;
        }
        if (tag.equals(Tag.BOOL)) {
            return List.of("true", "yes", "on").contains(text.toLowerCase(Locale.ROOT));
        }
        try {
            if (tag.equals(Tag.INT)) {
                return Long.valueOf(text);
            }
            if (tag.equals(Tag.FLOAT)) {
                return Double.valueOf(text);
            }
        } catch (NumberFormatException e) {
            // Numbers in other spellings, such as 1_000 or .inf, stay texts: no option of a project takes them.
            return text;
        }
        return text;
    }

    private static TextLocation place(String file, @Nullable Mark mark) {
        return mark == null
                ? new TextLocation(file, 1, 1)
                : new TextLocation(file, mark.getLine() + 1, mark.getColumn() + 1);
    }
}
