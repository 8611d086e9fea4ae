package io.tidemark.app.output;

/** How results are printed. */
public enum OutputFormat {
    /** Aligned columns for people. */
    TEXT,
    /** One JSON object a line. */
    JSON,
    /** Comma-separated values with a header; NULL is empty, an empty text is {@code ""}. */
    CSV
}
