package io.tidemark.compile.catalog;

import java.io.IOException;
import java.io.OutputStream;

/** A payload that is being written. Closing it without {@link #finish} discards it. */
public abstract class PayloadOutput extends OutputStream {
    PayloadOutput() {}

    /**
     * Ends the payload.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code EMPTY_PAYLOAD} if it has no bytes and the layer forbids that
     */
    public abstract StagedPayload finish() throws IOException;
}
