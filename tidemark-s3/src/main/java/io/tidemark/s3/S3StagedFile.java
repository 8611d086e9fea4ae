package io.tidemark.s3;

import io.tidemark.delta.storage.StagedFile;
import io.tidemark.delta.storage.StorageErrors;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A local file that becomes an object. */
final class S3StagedFile extends StagedFile {
    private final S3Storage storage;
    private final S3Path target;
    private final Path temporary;
    private final OutputStream stream;
    private long position;

    S3StagedFile(S3Storage storage, S3Path target) throws IOException {
        this.storage = storage;
        this.target = target;
        temporary = Files.createTempFile("tidemark-", ".upload");
        stream = new BufferedOutputStream(Files.newOutputStream(temporary));
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void write(int value) throws IOException {
        stream.write(value);
        position++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        stream.write(bytes, offset, length);
        position += length;
    }

    @Override
    public void flush() throws IOException {
        stream.flush();
    }

    @Override
    public boolean publishIfAbsent() {
        finish();
        return storage.putIfAbsent(ConditionalPut.of(temporary), target);
    }

    @Override
    public void publish() {
        finish();
        storage.put(temporary, target);
    }

    private void finish() {
        try {
            stream.flush();
        } catch (IOException e) {
            throw StorageErrors.translate(e, "write", temporary.toString());
        }
    }

    @Override
    public void close() throws IOException {
        try (stream) {
            Files.deleteIfExists(temporary);
        }
    }
}
