package io.tidemark.app;

import io.tidemark.compile.catalog.Digest;
import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.catalog.Partitioning;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The option {@code --layer ID[:OPTION…]}. */
final class LayerOption {
    private LayerOption() {}

    /** The layer's id. */
    static String id(String text) {
        return text.split(":", -1)[0];
    }

    /**
     * The layer that the text describes.
     *
     * @param known the layer as it is, whose options stay that the text does not name
     * @throws TidemarkException {@code USAGE}, or {@code LAYER_INVALID}
     */
    static LayerDefinition parse(String text, Optional<LayerDefinition> known) {
        LayerDefinition layer = known.orElseGet(() -> LayerDefinition.generic(id(text)));
        for (String option : Arrays.asList(text.split(":", -1)).subList(1, text.split(":", -1).length)) {
            int equals = option.indexOf('=');
            String name = equals < 0 ? option : option.substring(0, equals);
            String value = equals < 0 ? "" : option.substring(equals + 1);
            layer = switch (name) {
                case "levels" -> layer.withPartitioning(new Partitioning.HereTile(levels(value)));
                case "digest" ->
                    known.isPresent() ? layer.withDigest(Digest.of(value)) : layer.withFirstDigest(Digest.of(value));
                case "content-type" -> layer.withContentType(value);
                case "inline" -> layer.withInlineLimit(EngineLimits.bytes(value));
                case "empty" -> layer.allowingEmptyPayloads();
                default -> throw usage(text, "has no option '" + name + "'");
            };
        }
        return layer;
    }

    private static Set<Integer> levels(String text) {
        Set<Integer> levels = new TreeSet<>();
        try {
            for (String part : text.split("\\+", -1)) {
                String[] range = part.split("-", -1);
                int first = Integer.parseInt(range[0]);
                int last = Integer.parseInt(range[range.length - 1]);
                for (int level = first; level <= last && range.length <= 2; level++) {
                    levels.add(level);
                }
            }
        } catch (NumberFormatException e) {
            throw usage(text, "is no list of levels");
        }
        boolean right = !levels.isEmpty()
                && levels.stream().allMatch(level -> level >= 0 && level <= Partitioning.HereTile.LEVEL_MAX);
        if (!right) {
            throw usage(text, "is no list of levels from 0 to " + Partitioning.HereTile.LEVEL_MAX);
        }
        return levels;
    }

    private static TidemarkException usage(String text, String what) {
        return TidemarkException.of(ErrorCode.USAGE, "'" + text + "' " + what)
                .hint("write --layer ID[:levels=8-12][:digest=MD5][:content-type=TYPE][:inline=64KiB][:empty]")
                .build();
    }
}
