package io.tidemark.duckdb.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.Locale;
import java.util.Optional;

/** Turns DuckDB's messages, which begin with a kind such as {@code Conversion Error:}, into errors of the product. */
public final class Failures {
    /** What stands before the message of an exception that a function in the JVM threw. */
    private static final String JAVA_EXCEPTION = "^(?:[a-z]+\\.)+[A-Za-z]+(?:Exception|Error): ";

    private final KnownFiles files;

    /** Uses the files that relations read to recognise errors about them. */
    public Failures(KnownFiles files) {
        this.files = files;
    }

    /** The error for a failure at run time of a plan or of a query that was checked before. */
    public TidemarkException translate(Exception failure) {
        String message = message(failure);
        String kind = kind(message);
        Optional<TidemarkException> outside = outside(failure, message, kind);
        if (outside.isPresent()) {
            return outside.get();
        }
        Optional<String> file = files.namedIn(message);
        if (file.isPresent()) {
            return aboutFile(failure, message, file.get());
        }
        if (kind.equals("Invalid") && files.hasDataFiles()) {
            return TidemarkException.of(ErrorCode.FILE_UNREADABLE, "a data file that the query reads is broken")
                    .detail(primary(message))
                    .hint("one of the table's files was damaged after it was written; restore it from a copy")
                    .cause(failure)
                    .build();
        }
        if (message.contains("java heap space")) {
            return TidemarkException.of(ErrorCode.MEMORY_EXCEEDED, "the statement is too large for the memory")
                    .hint("put long lists of values into a table or file and join it")
                    .cause(failure)
                    .build();
        }
        ErrorCode code = switch (kind) {
            case "IO" -> ErrorCode.IO_FAILED;
            case "Conversion", "Out of Range", "Invalid Input", "Constraint", "Mismatch Type", "Invalid type" ->
                ErrorCode.QUERY_FAILED;
            default -> ErrorCode.INTERNAL;
        };
        return build(code, primary(message), failure, message);
    }

    private static Optional<TidemarkException> outside(Exception failure, String message, String kind) {
        if (kind.equals("INTERRUPT")) {
            return Optional.of(TidemarkException.of(ErrorCode.INTERRUPTED, "the query was interrupted")
                    .cause(failure)
                    .build());
        }
        if (message.contains("No space left") || message.contains("max_temp_directory_size")) {
            return Optional.of(TidemarkException.of(ErrorCode.DISK_FULL, "the disk has no space left")
                    .detail(primary(message))
                    .hint("Free space in the temporary folder and in the folder of the target.")
                    .cause(failure)
                    .build());
        }
        if (kind.equals("Out of Memory")) {
            return Optional.of(TidemarkException.of(ErrorCode.MEMORY_EXCEEDED, "the memory limit was reached")
                    .detail(primary(message))
                    .hint("Raise the memory limit or lower the number of threads.")
                    .cause(failure)
                    .build());
        }
        if (message.contains("Permission denied")) {
            return Optional.of(build(ErrorCode.PERMISSION_DENIED, primary(message), failure, message));
        }
        return Optional.empty();
    }

    private TidemarkException aboutFile(Exception failure, String message, String path) {
        String shown = files.shown(path);
        boolean missing = message.contains("No such file") || message.contains("No files found");
        if (missing && files.isDataFile(path)) {
            return TidemarkException.of(ErrorCode.DATA_FILE_MISSING, "data file " + shown + " is not there")
                    .hint("The table's log names it: was the folder cleaned by hand, or the file vacuumed too early?")
                    .cause(failure)
                    .build();
        }
        if (missing) {
            return TidemarkException.of(ErrorCode.FILE_NOT_FOUND, "file " + shown + " does not exist")
                    .cause(failure)
                    .build();
        }
        return TidemarkException.of(ErrorCode.FILE_UNREADABLE, "file " + shown + " cannot be read")
                .detail(primary(message).replace(path, shown))
                .cause(failure)
                .build();
    }

    private static TidemarkException build(ErrorCode code, String primary, Exception failure, String message) {
        TidemarkException.Builder builder = TidemarkException.of(code, primary).cause(failure);
        if (code == ErrorCode.INTERNAL) {
            builder.detail(message);
        }
        return builder.build();
    }

    /** The text of a failure, never null. */
    public static String message(Exception failure) {
        String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }

    /** What stands before {@code Error:}, for example {@code Binder}; empty if nothing does. */
    public static String kind(String message) {
        int end = message.indexOf(" Error:");
        int line = message.indexOf('\n');
        return end < 0 || (line >= 0 && line < end) ? "" : message.substring(0, end);
    }

    /** The first sentence of a message, without its kind and without the excerpt of the SQL text. */
    public static String primary(String message) {
        String kind = kind(message);
        String text = kind.isEmpty() ? message : message.substring(kind.length() + " Error:".length());
        int excerpt = text.indexOf("\n\nLINE ");
        String whole = excerpt < 0 ? text : text.substring(0, excerpt);
        String line = whole.strip().lines().findFirst().orElse(whole).strip();
        if (line.startsWith("Division by zero")) {
            return "division by zero";
        }
        line = line.replaceFirst(JAVA_EXCEPTION, "");
        boolean word = line.length() > 1 && !Character.isUpperCase(line.charAt(1));
        return word ? line.substring(0, 1).toLowerCase(Locale.ROOT) + line.substring(1) : line;
    }
}
