package io.tidemark.s3;

import io.tidemark.delta.storage.SeekableInput;
import java.io.IOException;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * An object as a stream. It is read piece by piece, each by a request of its own that can be repeated as a whole; a
 * reader that goes on from the end of a piece gets larger ones.
 */
final class S3Input extends SeekableInput {
    private static final int PIECE_BYTES_MIN = 128 * 1024;
    private static final int PIECE_BYTES_MAX = 4 * 1024 * 1024;
    private static final byte[] NOTHING = new byte[0];

    private final S3Connection connection;
    private final S3Path object;
    private byte[] piece = NOTHING;
    private long pieceStart;
    private int pieceBytes = PIECE_BYTES_MIN;
    private long position;
    private long length;
    private String version = "";

    private S3Input(S3Connection connection, S3Path object) {
        this.connection = connection;
        this.object = object;
    }

    /** Opens an object; small ones are there with this one request. */
    static S3Input open(S3Connection connection, S3Path object) {
        S3Input input = new S3Input(connection, object);
        try {
            input.load(0);
        } catch (S3Exception e) {
            if (e.statusCode() != S3Errors.RANGE_NOT_SATISFIABLE) {
                throw connection.errors().translate(e, "read", object);
            }
            // An empty object has no first byte.
        } catch (SdkException e) {
            throw connection.errors().translate(e, "read", object);
        }
        return input;
    }

    private void load(long from) {
        boolean first = version.isEmpty();
        ResponseBytes<GetObjectResponse> bytes = connection
                .repeating()
                .getObject(
                        S3Storage.range(object, from, pieceBytes).toBuilder()
                                .ifMatch(first ? null : version)
                                .build(),
                        ResponseTransformer.toBytes());
        piece = bytes.asByteArrayUnsafe();
        String range = bytes.response().contentRange();
        boolean part = range != null && range.contains("/");
        pieceStart = part ? from : 0;
        if (first) {
            length = part ? Long.parseLong(range.substring(range.indexOf('/') + 1)) : piece.length;
            version = bytes.response().eTag() == null ? "" : bytes.response().eTag();
        }
    }

    private boolean fill() throws IOException {
        if (position >= length) {
            return false;
        }
        if (position >= pieceStart && position < pieceStart + piece.length) {
            return true;
        }
        pieceBytes =
                position == pieceStart + piece.length ? Math.min(PIECE_BYTES_MAX, pieceBytes * 2) : PIECE_BYTES_MIN;
        try {
            load(position);
        } catch (SdkException e) {
            throw new IOException(S3Errors.text(e), e);
        }
        if (position >= pieceStart + piece.length) {
            throw new IOException("the store sent too few bytes of " + object);
        }
        return true;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void seek(long target) throws IOException {
        if (target < 0) {
            throw new IOException("negative position " + target);
        }
        position = target;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public int read() throws IOException {
        return fill() ? piece[(int) (position++ - pieceStart)] & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int from = (int) (position - pieceStart);
        int copied = Math.min(count, piece.length - from);
        System.arraycopy(piece, from, target, offset, copied);
        position += copied;
        return copied;
    }

    @Override
    public int available() {
        boolean here = position >= pieceStart && position < pieceStart + piece.length;
        return here ? (int) (pieceStart + piece.length - position) : 0;
    }
}
