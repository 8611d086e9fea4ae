// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The options of the command line, each written as {@code --name value}. */
public final class Options {

    static final String USAGE = "--data DIR [--port N] [--database NAME] [--user NAME] [--work DIR]"
            + " [--seed N] [--rounds N] [--lines-per-file N]";

    private static final Set<String> NAMES =
            Set.of("data", "port", "database", "user", "work", "seed", "rounds", "lines-per-file");

    private final Map<String, String> values;

    private Options(Map<String, String> values) {
        this.values = values;
    }

    /**
     * Reads options from an argument list.
     *
     * @param arguments the whole command line
     * @param from      index of the first option
     * @return the options
     * @throws IllegalArgumentException for an unknown option or a missing value
     */
    public static Options parse(String[] arguments, int from) {
        Map<String, String> values = new HashMap<>();
        for (int i = from; i < arguments.length; i += 2) {
            String name = arguments[i].startsWith("--") ? arguments[i].substring(2) : "";
            if (!NAMES.contains(name) || i + 1 == arguments.length) {
                throw new IllegalArgumentException("cannot read option " + arguments[i] + "; options: " + USAGE);
            }
            values.put(name, arguments[i + 1]);
        }
        return new Options(values);
    }

    /** @return the folder that holds {@code feed}, {@code expected} and {@code counts.csv} */
    public Path data() {
        return Path.of(required("data"));
    }

    /** @return the folder for the engine's offset file */
    public Path work() {
        return Path.of(required("work"));
    }

    /** @return the server's port on the loopback interface */
    public int port() {
        return Integer.parseInt(required("port"));
    }

    /** @return the database's name */
    public String database() {
        return values.getOrDefault("database", "shop");
    }

    /** @return the database user */
    public String user() {
        return values.getOrDefault("user", "postgres");
    }

    /** @return the seed of all random choices */
    public long seed() {
        return Long.parseLong(values.getOrDefault("seed", "20250106"));
    }

    /** @return how many steps the workload makes */
    public int rounds() {
        return Integer.parseInt(values.getOrDefault("rounds", "80000"));
    }

    /** @return how many events go into one feed file before the next one is begun */
    public int linesPerFile() {
        return Integer.parseInt(values.getOrDefault("lines-per-file", "5000"));
    }

    private String required(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("option --" + name + " is missing; options: " + USAGE);
        }
        return value;
    }
}
