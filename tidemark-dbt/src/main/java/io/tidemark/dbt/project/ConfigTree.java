package io.tidemark.dbt.project;

import io.tidemark.dbt.jinja.Templates.Template;
import io.tidemark.dbt.yaml.YamlNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Options of nodes by folder, as {@code dbt_project.yml} has them; and how options of several places are merged. */
final class ConfigTree {
    private static final String META = "meta";
    private static final String TAGS = "tags";
    private static final String SQL = "sql";
    private static final Set<String> HOOKS = Set.of("pre_hook", "post_hook");

    private final YamlNode root;
    private final Set<String> options;

    /**
     * A tree.
     *
     * @param options names that are options even without a plus sign and with a mapping behind them
     */
    ConfigTree(YamlNode root, Set<String> options) {
        this.root = root;
        this.options = options;
    }

    /** The options of a node: those of its folder win over those of folders above. */
    Map<String, YamlNode> of(List<String> fullName) {
        Map<String, YamlNode> config = new LinkedHashMap<>();
        YamlNode level = root;
        merge(config, own(level));
        for (String part : fullName) {
            YamlNode next = level.isMapping() ? level.entries().get(part) : null;
            if (next == null || !next.isMapping() || options.contains(part)) {
                break;
            }
            level = next;
            merge(config, own(level));
        }
        return config;
    }

    private Map<String, YamlNode> own(YamlNode level) {
        Map<String, YamlNode> own = new LinkedHashMap<>();
        level.entries().forEach((key, value) -> {
            if (key.startsWith("+")) {
                own.put(key.substring(1), value);
            } else if (options.contains(key) || !(value.isMapping() || value.isNull())) {
                own.put(key, value);
            }
        });
        return own;
    }

    /** Puts more specific options over others: tags and hooks add up, meta is merged, others are replaced. */
    static void merge(Map<String, YamlNode> config, Map<String, YamlNode> more) {
        more.forEach((given, value) -> {
            String name = normalName(given);
            YamlNode known = config.get(name);
            if (known == null) {
                config.put(name, value);
            } else if (name.equals(TAGS) || HOOKS.contains(name)) {
                Map<String, YamlNode> distinct = new LinkedHashMap<>();
                List<YamlNode> all = new ArrayList<>(known.items());
                all.addAll(value.items());
                all.forEach(item -> distinct.putIfAbsent(item.toString(), item));
                config.put(name, YamlNode.sequence(List.copyOf(distinct.values()), value.location()));
            } else if (name.equals(META) && known.isMapping() && value.isMapping()) {
                Map<String, YamlNode> entries = new LinkedHashMap<>(known.entries());
                entries.putAll(value.entries());
                config.put(name, YamlNode.mapping(entries, value.location()));
            } else {
                config.put(name, value);
            }
        });
    }

    /** Whether an entry has hooks, which are rendered when they are run and not before. */
    static boolean hasHooks(String key) {
        return HOOKS.contains(normalName(key.startsWith("+") ? key.substring(1) : key));
    }

    /** The statements of a hook option; those that are empty are left out. */
    static List<Template> hooks(Map<String, YamlNode> config, String option) {
        YamlNode node = config.get(option);
        List<Template> hooks = new ArrayList<>();
        for (YamlNode item : node == null ? List.<YamlNode>of() : node.items()) {
            YamlNode sql = item.isMapping() ? item.get(SQL).orElse(item) : item;
            if (sql.isMapping() || sql.isSequence()) {
                throw item.invalid("a hook has no statement")
                        .hint("write a text, or {sql: a text}")
                        .build();
            }
            if (!sql.isNull() && !sql.text().isBlank()) {
                hooks.add(new Template(
                        sql.text(), sql.location().file(), sql.location().line()));
            }
        }
        return hooks;
    }

    private static String normalName(String name) {
        return name.equals("pre-hook") || name.equals("post-hook") ? name.replace('-', '_') : name;
    }

    /** The texts of a list option without duplicates. */
    static Set<String> texts(Map<String, YamlNode> config, String name) {
        YamlNode value = config.get(name);
        return value == null ? Set.of() : new LinkedHashSet<>(value.texts());
    }
}
