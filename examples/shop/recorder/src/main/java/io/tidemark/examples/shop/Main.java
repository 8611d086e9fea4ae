// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.io.PrintStream;

/** Entry point: {@code record} makes the feed and the expected content, {@code verify} checks one against the other. */
public final class Main {

    private Main() {
    }

    /**
     * Runs one command.
     *
     * @param arguments {@code record} or {@code verify}, then options; see {@link Options}
     */
    public static void main(String[] arguments) {
        int status;
        try {
            status = run(arguments, System.out);
        } catch (IllegalArgumentException wrongUse) {
            System.err.println(wrongUse.getMessage());
            status = 2;
        } catch (Exception failure) {
            failure.printStackTrace();
            status = 1;
        }
        System.exit(status);
    }

    private static int run(String[] arguments, PrintStream out) throws Exception {
        String command = arguments.length == 0 ? "" : arguments[0];
        Options options = Options.parse(arguments, 1);
        switch (command) {
            case "record":
                new Recording(options, out).run();
                return 0;
            case "verify":
                return new Verifier(options.data(), out).run() ? 0 : 1;
            default:
                throw new IllegalArgumentException("usage: record|verify " + Options.USAGE);
        }
    }
}
