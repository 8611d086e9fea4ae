package io.tidemark.sql.parse;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.PipelineDefinition;
import java.util.List;
import java.util.stream.Collectors;

/** Short forms for tests of the pipeline parser. */
final class Parsing {
    static final String FILE = "p.sql";

    private Parsing() {}

    static PipelineDefinition parse(String text) {
        ParseResult result = PipelineParser.parse(List.of(new SourceText(FILE, text)));
        assertThat(result.errors()).as(rendered(result)).isEmpty();
        return result.definition();
    }

    static AutoCdcFlow cdc(String text) {
        return (AutoCdcFlow) parse(text).flows().get(0);
    }

    /** All errors as the user sees them. */
    static String errors(String text) {
        return rendered(PipelineParser.parse(List.of(new SourceText(FILE, text))));
    }

    static List<ErrorCode> codes(String text) {
        return PipelineParser.parse(List.of(new SourceText(FILE, text))).errors().stream()
                .map(TidemarkException::code)
                .toList();
    }

    private static String rendered(ParseResult result) {
        return result.errors().stream().map(TidemarkException::render).collect(Collectors.joining("\n"));
    }
}
