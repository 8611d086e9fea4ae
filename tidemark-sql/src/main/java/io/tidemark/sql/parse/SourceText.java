package io.tidemark.sql.parse;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.text.LocatedText;

/**
 * One file of a pipeline.
 *
 * @param fileName the name that errors show, or a label such as {@code <command line>}
 * @param text the content; a byte order mark is ignored
 */
public record SourceText(String fileName, String text) {
    /**
     * Adds the source line and a caret to the detail of an error whose place lies in this text, unless it shows them
     * already.
     */
    public TidemarkException explain(TidemarkException error) {
        return LocatedText.ofFile(fileName, text).explain(error);
    }
}
