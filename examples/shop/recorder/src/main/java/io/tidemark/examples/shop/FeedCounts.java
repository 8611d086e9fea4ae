// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How many events of each kind each table has. */
final class FeedCounts {

    static final String FILE = "counts.csv";
    static final String TOMBSTONE = "tombstone";

    private final Map<String, Map<String, Integer>> counts = new TreeMap<>();

    void add(String table, String op) {
        counts.computeIfAbsent(table, name -> new TreeMap<>()).merge(op, 1, Integer::sum);
    }

    /** The counts as lines of CSV with a header, sorted. */
    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of("table,op,events"));
        counts.forEach((table, ops) -> ops.forEach((op, events) -> lines.add(table + "," + op + "," + events)));
        return lines;
    }

    int total() {
        return counts.values().stream().flatMap(ops -> ops.values().stream()).mapToInt(Integer::intValue).sum();
    }

    void write(Path file) throws IOException {
        Files.write(file, lines(), StandardCharsets.UTF_8);
    }

    void print(PrintStream out) {
        counts.forEach((table, ops) -> out.println("  " + table + " " + ops));
        out.println("  " + total() + " events in all");
    }
}
