package io.tidemark.dbt.project;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.project.SnapshotSettings.HardDeletes;
import io.tidemark.dbt.project.SnapshotSettings.MetaColumns;
import io.tidemark.dbt.project.SnapshotSettings.Strategy;
import io.tidemark.dbt.yaml.YamlNode;
import io.tidemark.sql.grammar.Words;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Checks the merged options of a snapshot. Options that are not supported are refused, and those that are not known. */
final class SettingsReader {
    /** Options that say what a snapshot does, and those of names and selection. */
    static final Set<String> SUPPORTED = Set.of(
            "strategy",
            "unique_key",
            "updated_at",
            "check_cols",
            "hard_deletes",
            "invalidate_hard_deletes",
            "dbt_valid_to_current",
            "snapshot_meta_column_names",
            "schema",
            "database",
            "alias",
            "target_schema",
            "target_database",
            "materialized",
            "enabled",
            "tags",
            "meta",
            "quoting",
            "file_format",
            "persist_docs",
            "grants",
            "pre_hook",
            "post_hook",
            "allow_empty_source",
            "null_updated_at",
            "detect");
    /** Options that change nothing about the rows of a snapshot: texts, and what dbt ignores for snapshots itself. */
    private static final Set<String> WITHOUT_EFFECT =
            Set.of("docs", "description", "group", "full_refresh", "event_time", "threads", "columns", "data_tests");

    private static final Set<String> REFUSED = Set.of(
            "indexes",
            "partition_by",
            "location_root",
            "sql_header",
            "tblproperties",
            "cluster_by",
            "clustered_by",
            "liquid_clustered_by",
            "transient",
            "contract",
            "on_schema_change");
    /** Own options may also stand below {@code meta: tidemark:}, where newer releases of dbt want foreign ones. */
    private static final String OWN_META = "tidemark";

    private static final String ALL = "all";
    private static final String RELATION = "relation";
    private static final String COLUMNS = "columns";
    private static final List<String> DOCS = List.of(RELATION, COLUMNS);

    private final String snapshot;
    private final Map<String, YamlNode> config;
    private final Supplier<PersistedDocs> docs;
    private final TextLocation location;

    private SettingsReader(
            String snapshot, Map<String, YamlNode> config, Supplier<PersistedDocs> docs, TextLocation location) {
        this.snapshot = snapshot;
        this.config = config;
        this.docs = docs;
        this.location = location;
    }

    /**
     * Checks options.
     *
     * @param docs the snapshot's descriptions, asked for only if they are to be persisted
     */
    static SnapshotSettings read(
            String snapshot, Map<String, YamlNode> config, Supplier<PersistedDocs> docs, TextLocation location) {
        Map<String, YamlNode> all = new LinkedHashMap<>(config);
        Optional.ofNullable(config.get("meta"))
                .filter(YamlNode::isMapping)
                .flatMap(meta -> meta.get(OWN_META))
                .ifPresent(own -> own.entries().forEach(all::putIfAbsent));
        return new SettingsReader(snapshot, all, docs, location).read();
    }

    private SnapshotSettings read() {
        checkNames();
        Strategy strategy = strategy();
        List<String> key = texts("unique_key");
        if (key.isEmpty() || key.stream().anyMatch(String::isBlank)) {
            throw invalid("unique_key", "has no unique_key")
                    .hint("name the column or columns that tell its rows apart: unique_key='id'")
                    .build();
        }
        Optional<String> updatedAt = text("updated_at");
        if (strategy == Strategy.TIMESTAMP && updatedAt.isEmpty()) {
            throw invalid("strategy", "has strategy timestamp and no updated_at")
                    .build();
        }
        return new SnapshotSettings(
                strategy,
                key,
                updatedAt,
                checkColumns(strategy),
                hardDeletes(),
                text("dbt_valid_to_current"),
                metaColumns(),
                flag("allow_empty_source"),
                word("null_updated_at", "fail", "run_time").equals("run_time"),
                word("detect", "updated_at", "hash").equals("hash"),
                persistedDocs(),
                ignored(),
                location);
    }

    private PersistedDocs persistedDocs() {
        Optional<YamlNode> node = given("persist_docs");
        if (node.isEmpty()) {
            return PersistedDocs.NONE;
        }
        if (!node.get().isMapping()) {
            throw invalid("persist_docs", "has persist_docs " + node.get())
                    .hint("write {'relation': true, 'columns': true}")
                    .build();
        }
        Map<String, YamlNode> parts = node.get().entries();
        parts.keySet().stream().filter(part -> !DOCS.contains(part)).findFirst().ifPresent(part -> {
            throw invalid("persist_docs", "has persist_docs of " + part + ", which is not known")
                    .hint("there are " + String.join(" and ", DOCS))
                    .build();
        });
        boolean table = isSet(parts.getOrDefault(RELATION, YamlNode.scalar(null, location)));
        boolean columns = isSet(parts.getOrDefault(COLUMNS, YamlNode.scalar(null, location)));
        if (!table && !columns) {
            return PersistedDocs.NONE;
        }
        PersistedDocs all = docs.get();
        return new PersistedDocs(table ? all.table() : Optional.empty(), columns ? all.columns() : Map.of());
    }

    /** What is left out, as it has no meaning here, and must be said at each run. */
    private List<String> ignored() {
        return given("grants").filter(SettingsReader::isSet).isPresent()
                ? List.of(
                        "grants are not applied: a Delta table has no users of its own; who may read its folder is for the"
                                + " storage to say")
                : List.of();
    }

    private void checkNames() {
        for (Map.Entry<String, YamlNode> option : config.entrySet()) {
            String name = option.getKey();
            boolean set = isSet(option.getValue());
            if (REFUSED.contains(name) && set) {
                throw TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE,
                                "snapshot " + snapshot + " has " + name + ", which is not supported")
                        .at(option.getValue().location())
                        .hint("leave it out, or set it to null for this target")
                        .build();
            }
            if (!SUPPORTED.contains(name) && !WITHOUT_EFFECT.contains(name) && !REFUSED.contains(name)) {
                Set<String> known = new HashSet<>(SUPPORTED);
                known.addAll(WITHOUT_EFFECT);
                TidemarkException.Builder error = invalid(name, "has an option " + name + ", which is not known");
                throw error.hint(Words.nearest(name, known)
                                .map(near -> "did you mean " + near + "?")
                                .orElse("free entries belong below meta"))
                        .build();
            }
        }
        given("materialized").filter(node -> !node.text().equals("snapshot")).ifPresent(node -> {
            throw invalid("materialized", "has materialized " + node.text())
                    .hint("a snapshot is always materialized as snapshot")
                    .build();
        });
        given("file_format").filter(node -> !node.text().equals("delta")).ifPresent(node -> {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE,
                            "snapshot " + snapshot + " has file_format " + node.text() + "; its table is a Delta table")
                    .at(node.location())
                    .hint("file_format='delta'")
                    .build();
        });
    }

    /** Empty values switch an option off. */
    private static boolean isSet(YamlNode value) {
        if (value.isNull()) {
            return false;
        }
        if (value.isMapping()) {
            return value.entries().values().stream().anyMatch(SettingsReader::isSet);
        }
        if (value.isSequence()) {
            return !value.items().isEmpty();
        }
        return !value.text().isEmpty() && !value.text().equals("false");
    }

    private Strategy strategy() {
        YamlNode node = given("strategy")
                .orElseThrow(() -> invalid("strategy", "has no strategy")
                        .hint("strategy='timestamp' with updated_at, or strategy='check' with check_cols")
                        .build());
        return switch (node.text()) {
            case "timestamp" -> Strategy.TIMESTAMP;
            case "check" -> Strategy.CHECK;
            default ->
                throw TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE,
                                "snapshot " + snapshot + " has the strategy " + node.text())
                        .at(node.location())
                        .detail("Strategies of a project's own are macros that make SQL, which are not run.")
                        .hint("use timestamp or check")
                        .build();
        };
    }

    private List<String> checkColumns(Strategy strategy) {
        Optional<YamlNode> given = given("check_cols");
        if (strategy == Strategy.TIMESTAMP) {
            if (given.isPresent()) {
                throw invalid("check_cols", "has strategy timestamp and check_cols")
                        .build();
            }
            return List.of();
        }
        YamlNode node = given.orElseThrow(() -> invalid("strategy", "has strategy check and no check_cols")
                .hint("check_cols='all', or a list of columns")
                .build());
        if (!node.isSequence()) {
            if (text("check_cols").orElse("").equals(ALL)) {
                return List.of();
            }
            throw invalid("check_cols", "has check_cols '" + node.text() + "'")
                    .hint("write a list of columns, or 'all'")
                    .build();
        }
        if (node.items().isEmpty()) {
            throw invalid("check_cols", "has an empty list of check_cols").build();
        }
        return texts("check_cols");
    }

    private HardDeletes hardDeletes() {
        Optional<YamlNode> mode =
                Optional.ofNullable(config.get("hard_deletes")).filter(node -> !node.isNull());
        YamlNode legacy = config.get("invalidate_hard_deletes");
        if (mode.isPresent() && legacy != null && !legacy.isNull()) {
            throw invalid("hard_deletes", "has both hard_deletes and invalidate_hard_deletes")
                    .hint("invalidate_hard_deletes=true is hard_deletes='invalidate'; leave the older one out")
                    .build();
        }
        if (legacy != null && !legacy.isNull()) {
            return legacy.flag() ? HardDeletes.INVALIDATE : HardDeletes.IGNORE;
        }
        return switch (text("hard_deletes").orElse("ignore")) {
            case "ignore" -> HardDeletes.IGNORE;
            case "invalidate" -> HardDeletes.INVALIDATE;
            case "new_record" -> HardDeletes.NEW_RECORD;
            default ->
                throw invalid("hard_deletes", "has hard_deletes '" + mode.orElseThrow() + "'")
                        .hint("write ignore, invalidate or new_record")
                        .build();
        };
    }

    private MetaColumns metaColumns() {
        Optional<YamlNode> names = given("snapshot_meta_column_names");
        if (names.isEmpty()) {
            return MetaColumns.DEFAULT;
        }
        MetaColumns usual = MetaColumns.DEFAULT;
        names.get().entries().keySet().forEach(name -> {
            if (!usual.all().contains(name)) {
                throw invalid(
                                "snapshot_meta_column_names",
                                "has a name for " + name + ", which is no column of snapshots")
                        .hint("there are " + String.join(", ", usual.all()))
                        .build();
            }
        });
        YamlNode node = names.get();
        MetaColumns columns = new MetaColumns(
                node.text(usual.validFrom()).orElse(usual.validFrom()),
                node.text(usual.validTo()).orElse(usual.validTo()),
                node.text(usual.scdId()).orElse(usual.scdId()),
                node.text(usual.updatedAt()).orElse(usual.updatedAt()),
                node.text(usual.isDeleted()).orElse(usual.isDeleted()));
        long distinct = columns.all().stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .distinct()
                .count();
        if (distinct < columns.all().size()) {
            throw invalid("snapshot_meta_column_names", "gives one name to two of its columns")
                    .build();
        }
        return columns;
    }

    private boolean flag(String name) {
        return given(name).map(YamlNode::flag).orElse(false);
    }

    private String word(String name, String usual, String other) {
        String text = text(name).orElse(usual);
        if (!text.equals(usual) && !text.equals(other)) {
            throw invalid(name, "has " + name + " '" + text + "'")
                    .hint("write " + usual + " or " + other)
                    .build();
        }
        return text;
    }

    /** The text of an option; a text of spaces alone is none. */
    private Optional<String> text(String name) {
        return given(name).map(node -> scalar(name, node)).filter(text -> !text.isBlank());
    }

    private List<String> texts(String name) {
        return given(name).map(YamlNode::items).orElse(List.of()).stream()
                .map(node -> scalar(name, node))
                .toList();
    }

    private String scalar(String name, YamlNode node) {
        if (node.isMapping() || node.isSequence() || node.isNull()) {
            throw invalid(name, "has " + name + " " + node + ", where a text is expected")
                    .build();
        }
        return node.text();
    }

    private Optional<YamlNode> given(String name) {
        return Optional.ofNullable(config.get(name)).filter(node -> !node.isNull());
    }

    private TidemarkException.Builder invalid(String option, String text) {
        YamlNode node = config.get(option);
        return TidemarkException.of(ErrorCode.SNAPSHOT_CONFIG_INVALID, "snapshot " + snapshot + " " + text)
                .at(node == null || !node.location().isKnown() ? location : node.location());
    }
}
