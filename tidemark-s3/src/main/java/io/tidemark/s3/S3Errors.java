package io.tidemark.s3;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.InterruptedIOException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Turns failures of requests into errors of the product. */
final class S3Errors {
    static final int NOT_FOUND = 404;
    static final int CONFLICT = 409;
    static final int PRECONDITION_FAILED = 412;
    static final int RANGE_NOT_SATISFIABLE = 416;
    static final int NOT_IMPLEMENTED = 501;

    private static final int BAD_REQUEST = 400;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int MOVED = 301;
    private static final int TOO_LARGE_FOR_DISK = 507;
    private static final String CREDENTIALS =
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile of ~/.aws with AWS_PROFILE";

    /** Where the requests go, for messages. */
    private final String store;

    S3Errors(String store) {
        this.store = store;
    }

    /** The error for a failed request. */
    TidemarkException translate(SdkException e, String action, S3Path path) {
        if (isInterrupt(e)) {
            return TidemarkException.of(ErrorCode.INTERRUPTED, "interrupted: could not " + action + " " + path)
                    .cause(e)
                    .build();
        }
        return e instanceof S3Exception answer ? answered(answer, action, path) : unanswered(e, action, path);
    }

    private TidemarkException answered(S3Exception e, String action, S3Path path) {
        String said = "The store " + store + " says: " + text(e) + ".";
        String code = e.awsErrorDetails() == null
                ? ""
                : String.valueOf(e.awsErrorDetails().errorCode());
        return switch (e.statusCode()) {
            case NOT_FOUND -> {
                boolean bucket = code.equals("NoSuchBucket");
                String what = bucket ? "there is no bucket " + path.bucket() : "file not found: " + path;
                TidemarkException.Builder error =
                        TidemarkException.of(ErrorCode.FILE_NOT_FOUND, what).cause(e);
                yield bucket
                        ? error.detail(said)
                                .hint("make the bucket, or correct the path or the endpoint")
                                .build()
                        : error.build();
            }
            case UNAUTHORIZED, FORBIDDEN ->
                TidemarkException.of(ErrorCode.PERMISSION_DENIED, "no permission to " + action + " " + path)
                        .detail(said)
                        .hint(CREDENTIALS + "; they need the rights to list the bucket and to get, put and delete"
                                + " its objects")
                        .cause(e)
                        .build();
            case MOVED, BAD_REQUEST ->
                failed(e, action, path, said, "is the region right? AWS_REGION or --s3-region names it");
            case TOO_LARGE_FOR_DISK ->
                TidemarkException.of(ErrorCode.DISK_FULL, "no space left to " + action + " " + path)
                        .detail(said)
                        .cause(e)
                        .build();
            default -> failed(e, action, path, said, "try again; if it stays, ask who runs the store");
        };
    }

    private TidemarkException unanswered(SdkException e, String action, S3Path path) {
        String text = text(e);
        if (text.contains("credentials")) {
            return TidemarkException.of(ErrorCode.PERMISSION_DENIED, "no permission to " + action + " " + path)
                    .detail("No credentials for the store " + store + " were found.")
                    .hint(CREDENTIALS)
                    .cause(e)
                    .build();
        }
        return failed(
                e,
                action,
                path,
                "The store " + store + " did not answer: " + text + ".",
                "is the endpoint right? AWS_ENDPOINT_URL_S3 or --s3-endpoint names it");
    }

    private static TidemarkException failed(SdkException e, String action, S3Path path, String detail, String hint) {
        return TidemarkException.of(ErrorCode.IO_FAILED, "cannot " + action + " " + path)
                .detail(detail)
                .hint(hint)
                .cause(e)
                .build();
    }

    static boolean isInterrupt(SdkException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof AbortedException
                    || cause instanceof InterruptedException
                    || (cause instanceof InterruptedIOException && !isTimeout(cause))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isTimeout(Throwable cause) {
        return cause instanceof java.net.SocketTimeoutException
                || String.valueOf(cause.getMessage())
                        .toLowerCase(java.util.Locale.ROOT)
                        .contains("timed out");
    }

    /** What a failure says, in one line. */
    static String text(SdkException e) {
        if (e instanceof S3Exception answer && answer.awsErrorDetails() != null) {
            String code = answer.awsErrorDetails().errorCode();
            String message = answer.awsErrorDetails().errorMessage();
            return answer.statusCode()
                    + (code == null ? "" : " " + code)
                    + (message == null || message.isBlank() ? "" : ", " + stripped(message));
        }
        return stripped(e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage());
    }

    private static String stripped(String text) {
        String line = text.lines().findFirst().orElse(text).strip();
        return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
    }
}
