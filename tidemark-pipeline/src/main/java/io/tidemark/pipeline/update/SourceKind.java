package io.tidemark.pipeline.update;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.pipeline.source.FlowSources;
import java.util.function.Supplier;

/** A flow reads a stream, a ONCE flow does not. */
final class SourceKind {
    private SourceKind() {}

    /**
     * Checks a flow whose query was prepared.
     *
     * @param stream where the query reads a stream
     * @param source where the query reads anything
     * @param otherwise what to do if a flow shall not read a stream
     * @throws TidemarkException {@code SOURCE_NOT_BATCH} or {@code SOURCE_NOT_STREAMING}
     */
    static void check(
            FlowDefinition flow,
            FlowSources sources,
            Supplier<TextLocation> stream,
            Supplier<TextLocation> source,
            String otherwise) {
        if (flow.once() && sources.isStreaming()) {
            throw TidemarkException.of(
                            ErrorCode.SOURCE_NOT_BATCH, "flow " + flow.name() + " is ONCE and reads a stream")
                    .at(stream.get())
                    .hint("leave out ONCE, or STREAM")
                    .build();
        }
        if (!flow.once() && !sources.isStreaming()) {
            throw TidemarkException.of(
                            ErrorCode.SOURCE_NOT_STREAMING, "flow " + flow.name() + " does not read a stream")
                    .at(source.get())
                    .hint("read the source as STREAM(…), " + otherwise)
                    .build();
        }
    }
}
