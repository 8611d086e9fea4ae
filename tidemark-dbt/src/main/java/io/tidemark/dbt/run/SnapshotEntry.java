package io.tidemark.dbt.run;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.JsonValues;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a snapshot's table remembers beside its rows, in the domain {@value #DOMAIN}.
 *
 * @param sentinels values of the end of current rows that were ever used, as canonical texts
 * @param fingerprint what the last commit's query and options were
 * @param sources what it read, by name with version; empty if that cannot be told
 * @param key SQL of the parts of the key by which its rows were told apart; empty if nobody looked at them
 */
record SnapshotEntry(List<String> sentinels, String fingerprint, Map<String, String> sources, List<String> key) {
    static final String DOMAIN = "tidemark.snapshot";
    private static final long FORMAT_VERSION = 1;

    SnapshotEntry {
        sentinels = List.copyOf(sentinels);
        sources = Map.copyOf(sources);
        key = List.copyOf(key);
    }

    /** The entry of a table; absent if it has none, or one of another table that it was copied from. */
    static Optional<SnapshotEntry> of(Snapshot table) {
        Optional<String> text = table.domain(DOMAIN);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            Map<String, @Nullable Object> json = JsonValues.parseObject(text.get());
            if (!Long.valueOf(FORMAT_VERSION).equals(json.get("formatVersion"))) {
                throw TidemarkException.of(
                                ErrorCode.STATE_CORRUPT,
                                "table " + table.location() + " was written by a newer release of Tidemark")
                        .build();
            }
            Map<String, String> sources = new TreeMap<>();
            boolean own = table.tableId().equals(json.get("tableId"));
            if (own && json.get("sources") instanceof Map<?, ?> map) {
                map.forEach((name, version) -> sources.put(String.valueOf(name), String.valueOf(version)));
            }
            return Optional.of(new SnapshotEntry(
                    texts(json.get("sentinels")),
                    own ? String.valueOf(json.get("fingerprint")) : "",
                    sources,
                    texts(json.get("key"))));
        } catch (IOException e) {
            throw TidemarkException.of(
                            ErrorCode.STATE_CORRUPT,
                            "the domain " + DOMAIN + " of table " + table.location() + " cannot be read")
                    .cause(e)
                    .build();
        }
    }

    private static List<String> texts(@Nullable Object array) {
        List<String> texts = new ArrayList<>();
        if (array instanceof List<?> list) {
            list.forEach(each -> texts.add(String.valueOf(each)));
        }
        return texts;
    }

    String json(String tableId) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("formatVersion", FORMAT_VERSION);
        json.put("tableId", tableId);
        json.put("sentinels", sentinels);
        json.put("fingerprint", fingerprint);
        json.put("sources", new TreeMap<>(sources));
        json.put("key", key);
        return JsonValues.write(json);
    }
}
