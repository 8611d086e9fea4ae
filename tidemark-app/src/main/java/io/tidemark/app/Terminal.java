package io.tidemark.app;

import picocli.CommandLine.Help.Ansi;

/** What is known of the terminal. */
final class Terminal {
    private Terminal() {}

    /** Whether a person watches: a terminal that can repaint a line, and no wish for plain output. */
    static boolean isInteractive() {
        return Ansi.AUTO.enabled() && System.getenv("NO_COLOR") == null;
    }
}
