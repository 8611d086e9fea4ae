package io.tidemark.dbt.project;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.jinja.Templates.Template;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the snapshot blocks of a file; what stands between them is left out, as dbt does. */
final class SnapshotBlocks {
    private static final Pattern TAG =
            Pattern.compile("\\{#|\\{%-?\\+?\\s*(raw|snapshot|endsnapshot)\\b([^%]*?)[-+]?%}", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("\\s*([A-Za-z_][A-Za-z0-9_]*)\\s*");
    private static final Pattern RAW_END = Pattern.compile("\\{%-?\\s*endraw\\s*-?%}");

    private SnapshotBlocks() {}

    /**
     * A block.
     *
     * @param name the snapshot's name
     * @param template what stands in the block
     * @param location where the block begins
     */
    record Block(String name, Template template, TextLocation location) {}

    static List<Block> find(String file, String text) {
        List<Block> blocks = new ArrayList<>();
        Matcher tag = TAG.matcher(text);
        String name = null;
        int begin = 0;
        int nameAt = 0;
        int position = 0;
        while (tag.find(position)) {
            position = tag.end();
            String word = tag.group(1);
            if (word == null) {
                int end = text.indexOf("#}", tag.end());
                if (end < 0) {
                    throw fault(file, text, tag.start(), "a comment of the template has no end");
                }
                position = end + 2;
            } else if (word.equals("raw")) {
                Matcher end = RAW_END.matcher(text);
                if (!end.find(tag.end())) {
                    throw fault(file, text, tag.start(), "a raw block has no end");
                }
                position = end.end();
            } else if (word.equals("snapshot")) {
                Matcher given = NAME.matcher(tag.group(2));
                if (!given.matches()) {
                    throw fault(file, text, tag.start(), "a snapshot block has no name, or more than a name");
                }
                if (name != null) {
                    throw fault(file, text, tag.start(), "a snapshot block begins before another one has ended");
                }
                name = given.group(1);
                begin = tag.end();
                nameAt = tag.start();
            } else {
                if (name == null) {
                    throw fault(file, text, tag.start(), "a snapshot block ends that has not begun");
                }
                Template body = new Template(text.substring(begin, tag.start()), file, line(text, begin));
                blocks.add(new Block(name, body, place(file, text, nameAt)));
                name = null;
            }
        }
        if (name != null) {
            throw fault(file, text, nameAt, "the snapshot block " + name + " has no end");
        }
        return blocks;
    }

    private static TidemarkException fault(String file, String text, int at, String what) {
        return TidemarkException.of(ErrorCode.PROJECT_INVALID, what)
                .at(place(file, text, at))
                .hint("{% snapshot name %} … {% endsnapshot %}")
                .build();
    }

    private static TextLocation place(String file, String text, int at) {
        int lineStart = text.lastIndexOf('\n', at - 1) + 1;
        return new TextLocation(file, line(text, at), at - lineStart + 1);
    }

    private static int line(String text, int at) {
        return (int) text.substring(0, at)
                        .chars()
                        .filter(character -> character == '\n')
                        .count()
                + 1;
    }
}
