package io.tidemark.sql.parse;

import io.tidemark.sql.text.LocatedText;
import java.util.List;

/** Parses the files of a pipeline. */
public final class PipelineParser {
    private PipelineParser() {}

    /**
     * Parses files in order. After a fault parsing goes on behind the next semicolon, so one run reports faults of
     * several statements; each shows its place and the source line.
     */
    public static ParseResult parse(List<SourceText> files) {
        PipelineReader reader = new PipelineReader();
        for (SourceText file : files) {
            reader.readFile(LocatedText.ofFile(file.fileName(), file.text()));
        }
        return reader.result();
    }
}
