package io.tidemark.compile;

import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.fingerprint.CodeDigest;
import io.tidemark.compile.fingerprint.Hasher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What besides the input decides the output of a task, part by part, so that a difference can be named. Threads, memory,
 * engine, paths and logging have no part in it.
 *
 * @param parts digests by the name of the part
 */
record TaskFingerprint(Map<String, String> parts) {
    /** Copies the map. */
    TaskFingerprint {
        parts = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(parts));
    }

    /**
     * The fingerprint of a task.
     *
     * @param inputs versions of the input catalogs
     * @param fixed versions of inputs that are always read at one version
     * @param output the output catalog
     */
    static TaskFingerprint of(
            Task task, Map<String, CatalogVersion> inputs, Map<String, Long> fixed, CatalogVersion output) {
        Pattern pattern = task.pattern();
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put("pattern", new Hasher().text(task.id()).text(pattern.name()).hex());
        parts.put("version", new Hasher().text(task.version()).hex());
        parts.put("code", CodeDigest.of(pattern.functions()));
        Hasher config = new Hasher();
        task.config().forEach((name, value) -> config.text(name).text(value));
        parts.put("config", config.hex());
        Hasher filter = new Hasher();
        task.filters().forEach((catalog, each) -> filter.text(catalog).text(each.description()));
        parts.put("filter", filter.hex());
        parts.put("layers", layers(task, inputs, output));
        parts.put("codec", codec(pattern));
        Hasher references = new Hasher().number(task.recordsReads() ? 1 : 0);
        if (pattern instanceof Pattern.RefTree<?> tree) {
            references.text(tree.references().toString());
        }
        parts.put("references", references.hex());
        Hasher versions = new Hasher();
        task.inputLayers().keySet().stream()
                .filter(fixed::containsKey)
                .forEach(id -> versions.text(id).number(Objects.requireNonNull(fixed.get(id))));
        parts.put("fixed", versions.hex());
        Hasher broadcast = new Hasher();
        task.broadcasts().forEach((name, data) -> broadcast.text(name).bytes(data));
        parts.put("broadcast", broadcast.hex());
        return new TaskFingerprint(parts);
    }

    /** Of input layers counts which names they may have, of output layers also how payloads are told apart. */
    private static String layers(Task task, Map<String, CatalogVersion> inputs, CatalogVersion output) {
        Hasher hasher = new Hasher();
        for (Task.Input input : task.inputs()) {
            hasher.text(input.toString()).number(input.isSubject() ? 1 : 0);
            LayerDefinition layer =
                    inputs.getOrDefault(input.catalog(), output).layers().get(input.layer());
            if (layer != null) {
                hasher.text(layer.partitioning().toString()).text(layer.contentType());
            }
        }
        for (String id : task.outputs()) {
            hasher.text(id);
            LayerDefinition layer = output.layers().get(id);
            if (layer != null) {
                hasher.text(layer.partitioning().toString())
                        .text(layer.contentType())
                        .text(layer.digest().algorithm())
                        .number(layer.allowsEmptyPayloads() ? 1 : 0);
            }
        }
        return hasher.hex();
    }

    private static String codec(Pattern pattern) {
        Hasher hasher = new Hasher();
        if (pattern instanceof Pattern.WithIntermediates<?> values) {
            hasher.text(values.backEnd().codec().getClass().getName())
                    .text(values.backEnd().codec().schema())
                    .number(values.backEnd().keepsValues() ? 1 : 0);
        }
        return hasher.hex();
    }

    /** One text, as it is recorded. */
    String text() {
        return parts.entrySet().stream()
                .map(part -> part.getKey() + "=" + part.getValue())
                .collect(Collectors.joining(";"));
    }

    /** The names of the parts in which a recorded text differs; the text need not be one of this release. */
    List<String> differencesTo(String recorded) {
        Map<String, String> before = new LinkedHashMap<>();
        for (String part : recorded.split(";", -1)) {
            int sign = part.indexOf('=');
            if (sign > 0) {
                before.put(part.substring(0, sign), part.substring(sign + 1));
            }
        }
        List<String> different = new ArrayList<>();
        parts.forEach((name, digest) -> {
            if (!digest.equals(before.remove(name))) {
                different.add(name);
            }
        });
        different.addAll(before.keySet());
        return different;
    }
}
