package io.tidemark.s3;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;

/** Sends files; large ones in parts, so that a broken connection costs one part. */
final class PartUpload {
    private static final Logger LOG = LoggerFactory.getLogger(PartUpload.class);
    private static final String CONTENT_TYPE = "application/octet-stream";
    /** The most parts that the interface allows. */
    private static final long PARTS_MAX = 10_000;

    private final S3Client client;
    private final long partBytesMin;

    PartUpload(S3Connection connection, long partBytesMin) {
        this.client = connection.repeating();
        this.partBytesMin = partBytesMin;
    }

    void put(Path source, S3Path object) throws IOException {
        long size = Files.size(source);
        if (size <= partBytesMin) {
            client.putObject(
                    request -> request.bucket(object.bucket()).key(object.key()), RequestBody.fromFile(source));
            return;
        }
        long partBytes = Math.max(partBytesMin, (size + PARTS_MAX - 1) / PARTS_MAX);
        String upload = client.createMultipartUpload(
                        request -> request.bucket(object.bucket()).key(object.key()))
                .uploadId();
        boolean completed = false;
        try {
            List<CompletedPart> parts = new ArrayList<>();
            for (long from = 0; from < size; from += partBytes) {
                parts.add(part(source, object, upload, parts.size() + 1, from, Math.min(partBytes, size - from)));
            }
            client.completeMultipartUpload(request -> request.bucket(object.bucket())
                    .key(object.key())
                    .uploadId(upload)
                    .multipartUpload(whole -> whole.parts(parts)));
            completed = true;
        } finally {
            if (!completed) {
                abort(object, upload);
            }
        }
    }

    private CompletedPart part(Path source, S3Path object, String upload, int number, long from, long bytes) {
        String tag = client.uploadPart(
                        request -> request.bucket(object.bucket())
                                .key(object.key())
                                .uploadId(upload)
                                .partNumber(number),
                        RequestBody.fromContentProvider(() -> slice(source, from, bytes), bytes, CONTENT_TYPE))
                .eTag();
        return CompletedPart.builder().partNumber(number).eTag(tag).build();
    }

    private static InputStream slice(Path source, long from, long bytes) {
        try {
            SeekableByteChannel channel = Files.newByteChannel(source);
            channel.position(from);
            return new Slice(Channels.newInputStream(channel), bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Parts that are not put together cost money until they are thrown away. */
    private void abort(S3Path object, String upload) {
        try {
            client.abortMultipartUpload(
                    request -> request.bucket(object.bucket()).key(object.key()).uploadId(upload));
        } catch (SdkException e) {
            LOG.warn("the parts of an unfinished upload of {} stay behind", object, e);
        }
    }

    /** The next bytes of a stream. */
    private static final class Slice extends InputStream {
        private final InputStream source;
        private long left;

        Slice(InputStream source, long bytes) {
            this.source = source;
            this.left = bytes;
        }

        @Override
        public int read() throws IOException {
            if (left == 0) {
                return -1;
            }
            int value = source.read();
            left -= value < 0 ? 0 : 1;
            return value;
        }

        @Override
        public int read(byte[] target, int offset, int count) throws IOException {
            if (left == 0 && count > 0) {
                return -1;
            }
            int copied = source.read(target, offset, (int) Math.min(count, left));
            left -= Math.max(0, copied);
            return copied;
        }

        @Override
        public void close() throws IOException {
            source.close();
        }
    }
}
