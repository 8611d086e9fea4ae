package io.tidemark.delta.storage;

import java.io.OutputStream;

/**
 * A file that is being written and that nobody sees under its final name yet. Closing it without publishing it
 * discards what was written.
 */
public abstract class StagedFile extends OutputStream {
    /** For implementations. */
    protected StagedFile() {}

    /** How many bytes were written so far. */
    public abstract long position();

    /**
     * Makes the content durable and visible under the final name, unless a file of that name exists.
     *
     * @return whether this call created the file; false when another file has the name, which is left as it is
     * @throws io.tidemark.core.error.TidemarkException when it failed, as {@link Storage#createIfAbsent} says
     */
    public abstract boolean publishIfAbsent();

    /** Makes the content durable and visible under the final name, in place of a file of that name. */
    public abstract void publish();
}
