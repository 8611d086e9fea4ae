// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** A gzip stream of the highest level whose {@link #flush()} makes everything written so far readable. */
final class BestGzipOutputStream extends GZIPOutputStream {

    private BestGzipOutputStream(OutputStream target) throws IOException {
        super(target, 1 << 16, true);
        def.setLevel(Deflater.BEST_COMPRESSION);
    }

    static BestGzipOutputStream create(Path file) throws IOException {
        return new BestGzipOutputStream(Files.newOutputStream(file));
    }
}
