package io.tidemark.delta.conflict;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.List;

/**
 * Why a commit must not follow one that came first.
 *
 * @param code one of the {@code CONCURRENT_}, {@code METADATA_CHANGED} and {@code PROTOCOL_CHANGED} codes
 * @param winningVersion version of the commit that came first
 * @param winningOperation its operation
 * @param reason one sentence
 * @param files paths of the files in question, as in the log; a sample
 */
public record Conflict(
        ErrorCode code, long winningVersion, String winningOperation, String reason, List<String> files) {
    private static final int FILES_MAX = 5;

    /** Keeps a sample of the files. */
    public Conflict {
        files = List.copyOf(files.subList(0, Math.min(files.size(), FILES_MAX)));
    }

    /** The exception's name in delta-spark, which users of Delta Lake know. */
    public String deltaName() {
        return switch (code) {
            case CONCURRENT_APPEND -> "ConcurrentAppendException";
            case CONCURRENT_DELETE_READ -> "ConcurrentDeleteReadException";
            case CONCURRENT_DELETE_DELETE -> "ConcurrentDeleteDeleteException";
            case CONCURRENT_TRANSACTION -> "ConcurrentTransactionException";
            case METADATA_CHANGED -> "MetadataChangedException";
            case PROTOCOL_CHANGED -> "ProtocolChangedException";
            default -> code.name();
        };
    }

    /** The error to throw. */
    public TidemarkException toException(String table) {
        TidemarkException.Builder error = TidemarkException.of(
                        code,
                        "the commit to table " + table + " conflicts with version " + winningVersion + " ("
                                + winningOperation + ")")
                .hint("Nothing was committed. Run the operation again; it then sees version " + winningVersion + ".");
        String sample = files.isEmpty() ? "" : " Files: " + String.join(", ", files) + ".";
        return error.detail(reason + sample + " Delta Lake calls this " + deltaName() + ".")
                .build();
    }
}
