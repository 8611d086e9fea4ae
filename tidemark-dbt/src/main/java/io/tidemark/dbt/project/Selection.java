package io.tidemark.dbt.project;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.grammar.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Which snapshots of a project are meant. A selector is a name or dotted full name, in which {@code *} stands for any
 * text, {@code tag:…}, {@code path:…} or a path, {@code package:…}, {@code resource_type:snapshot}; several in one text,
 * separated by commas, must all hold, and of several texts or words one must.
 */
public final class Selection {
    private Selection() {}

    /**
     * Chooses snapshots.
     *
     * @param snapshots those of the project, in their order
     * @param select selectors; none = all
     * @param exclude selectors of those to leave out
     * @throws TidemarkException {@code UNKNOWN_NODE} if a selector chooses nothing, {@code UNSUPPORTED_FEATURE}
     */
    public static List<SnapshotNode> of(List<SnapshotNode> snapshots, List<String> select, List<String> exclude) {
        List<SnapshotNode> chosen = select.isEmpty() ? snapshots : union(snapshots, select, true);
        List<SnapshotNode> left = new ArrayList<>(chosen);
        left.removeAll(union(snapshots, exclude, false));
        return left;
    }

    private static List<SnapshotNode> union(List<SnapshotNode> snapshots, List<String> selectors, boolean mustFind) {
        List<String> words = selectors.stream()
                .flatMap(text -> List.of(text.strip().split("\\s+")).stream())
                .filter(word -> !word.isEmpty())
                .toList();
        for (String word : words) {
            if (mustFind && snapshots.stream().noneMatch(node -> all(node, word))) {
                List<String> names = snapshots.stream().map(SnapshotNode::name).toList();
                throw TidemarkException.of(ErrorCode.UNKNOWN_NODE, "no snapshot is selected by " + word)
                        .hint(Words.nearest(word, names)
                                .map(near -> "did you mean " + near + "?")
                                .orElse("the project's snapshots are " + String.join(", ", names)))
                        .build();
            }
        }
        return snapshots.stream()
                .filter(node -> words.stream().anyMatch(word -> all(node, word)))
                .toList();
    }

    private static boolean all(SnapshotNode node, String word) {
        return List.of(word.split(",")).stream().allMatch(part -> holds(node, part));
    }

    private static boolean holds(SnapshotNode node, String selector) {
        if (selector.startsWith("+") || selector.endsWith("+") || selector.startsWith("@")) {
            throw TidemarkException.of(ErrorCode.UNSUPPORTED_FEATURE, "the selector " + selector + " is not supported")
                    .detail("Only snapshots are run, so there is nothing before or behind them to add.")
                    .hint("leave out the plus sign")
                    .build();
        }
        int colon = selector.indexOf(':');
        if (colon < 0) {
            return selector.contains("/") ? inPath(node, selector) : named(node, selector);
        }
        String value = selector.substring(colon + 1);
        return switch (selector.substring(0, colon).toLowerCase(Locale.ROOT)) {
            case "tag" ->
                node.tags().stream().anyMatch(tag -> pattern(value).matcher(tag).matches());
            case "path", "file" -> inPath(node, value) || node.path().endsWith("/" + value);
            case "resource_type" -> value.equals("snapshot");
            case "package" ->
                value.equals("this") || value.equals(node.fullName().get(0));
            case "fqn" -> named(node, value);
            default ->
                throw TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE, "the selector " + selector + " is not supported")
                        .hint("select by name, tag:NAME or path:FOLDER")
                        .build();
        };
    }

    private static boolean inPath(SnapshotNode node, String path) {
        String folder = path.endsWith("/") ? path : path + "/";
        return pattern(path).matcher(node.path()).matches() || node.path().startsWith(folder);
    }

    private static boolean named(SnapshotNode node, String name) {
        Pattern pattern = pattern(name);
        if (pattern.matcher(node.name()).matches()) {
            return true;
        }
        // A full name may be given without the project, and may stop at a folder.
        List<String> parts = node.fullName();
        for (int from = 0; from <= 1; from++) {
            for (int to = from + 1; to <= parts.size(); to++) {
                if (pattern.matcher(String.join(".", parts.subList(from, to))).matches()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Pattern pattern(String text) {
        StringBuilder regex = new StringBuilder();
        for (String part : text.split("\\*", -1)) {
            regex.append(Pattern.quote(part)).append(".*");
        }
        return Pattern.compile(regex.substring(0, regex.length() - 2));
    }
}
