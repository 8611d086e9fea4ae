package io.tidemark.spark.engine.failure;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.FileNotFoundException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.apache.spark.SparkThrowable;

/** Turns Spark's failures, which say their condition by a name, into errors of the product. */
public final class Failures {
    /** What stands before and behind the sentence that a user can read. */
    private static final Pattern CONDITION = Pattern.compile("^\\[[A-Z0-9_.]+] ");

    private static final Pattern STATE = Pattern.compile("\\s*SQLSTATE: [0-9A-Z]{5}.*", Pattern.DOTALL);
    private static final List<String> VALUE_CONDITIONS = List.of(
            "CAST_",
            "DIVIDE_BY_ZERO",
            "REMAINDER_BY_ZERO",
            "INTERVAL_DIVIDED_BY_ZERO",
            "ARITHMETIC_OVERFLOW",
            "BINARY_ARITHMETIC_OVERFLOW",
            "NUMERIC_VALUE_OUT_OF_RANGE",
            "NUMERIC_OUT_OF_SUPPORTED_RANGE",
            "INVALID_ARRAY_INDEX",
            "MAP_KEY_DOES_NOT_EXIST",
            "ELEMENT_AT_BY_INDEX_ZERO",
            "CANNOT_PARSE",
            "INVALID_PARAMETER_VALUE",
            "DATETIME_OVERFLOW",
            "SCALAR_SUBQUERY_TOO_MANY_ROWS",
            "DUPLICATED_MAP_KEY",
            "NULL_MAP_KEY",
            "USER_RAISED_EXCEPTION",
            "COLLECTION_SIZE_LIMIT_EXCEEDED",
            "CONVERSION_INVALID_INPUT",
            "MALFORMED_",
            "INVALID_BITMAP_POSITION",
            "COMPARATOR_RETURNS_NULL");
    private static final Set<String> DISK_TEXTS = Set.of("no space left", "disk quota exceeded");

    private Failures() {}

    /** Runs an action of Spark, which throws checked exceptions without declaring them. */
    public static <T> T run(Callable<T> action) {
        try {
            return action.call();
        } catch (Exception failure) {
            throw translate(failure);
        } catch (OutOfMemoryError failure) {
            throw TidemarkException.of(
                            ErrorCode.MEMORY_EXCEEDED, "the memory of the driver or of an executor is used up")
                    .hint("Give Spark more memory (spark.driver.memory, spark.executor.memory).")
                    .cause(failure)
                    .build();
        }
    }

    /** The error for a failure while a query ran. */
    public static TidemarkException translate(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof TidemarkException known) {
                return known;
            }
        }
        String all = messages(failure);
        boolean cancelled = all.contains("cancelled") && (all.contains("job group") || all.contains("Job"));
        if (cancelled || failure instanceof InterruptedException) {
            return TidemarkException.of(ErrorCode.INTERRUPTED, "the query was interrupted")
                    .cause(failure)
                    .build();
        }
        if (all.contains("CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND")) {
            return TidemarkException.of(ErrorCode.WORK_LOST, "an executor was lost with rows that the query needs")
                    .detail("Nothing was committed.")
                    .hint("run it again; if it happens often, look into the executors' logs")
                    .cause(failure)
                    .build();
        }
        if (DISK_TEXTS.stream().anyMatch(all.toLowerCase(Locale.ROOT)::contains)) {
            return TidemarkException.of(ErrorCode.DISK_FULL, "the disk has no space left")
                    .detail(sentence(failure))
                    .cause(failure)
                    .build();
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof OutOfMemoryError) {
                return TidemarkException.of(ErrorCode.MEMORY_EXCEEDED, "the memory of an executor is used up")
                        .hint("Give Spark more memory (spark.executor.memory) or more partitions.")
                        .cause(failure)
                        .build();
            }
            if (cause instanceof FileNotFoundException) {
                return TidemarkException.of(ErrorCode.FILE_NOT_FOUND, "a file that the query reads is not there")
                        .detail(sentence(cause))
                        .cause(failure)
                        .build();
            }
            if (cause instanceof SparkThrowable known && isAboutValues(known)) {
                return TidemarkException.of(ErrorCode.QUERY_FAILED, primary(cause))
                        .cause(failure)
                        .build();
            }
        }
        return TidemarkException.of(ErrorCode.INTERNAL, "Spark could not run a query")
                .detail(all)
                .cause(failure)
                .build();
    }

    private static boolean isAboutValues(SparkThrowable failure) {
        String condition = failure.getCondition();
        return condition != null && VALUE_CONDITIONS.stream().anyMatch(condition::startsWith);
    }

    /** The sentence that says what is wrong, with a lower-case start and no full stop. */
    public static String primary(Throwable failure) {
        if (failure instanceof SparkThrowable known && "DIVIDE_BY_ZERO".equals(known.getCondition())) {
            return "division by zero";
        }
        String text = sentence(failure);
        int end = text.indexOf(". ");
        String first = end < 0 ? text : text.substring(0, end);
        first = first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
        boolean word = first.length() > 1 && !Character.isUpperCase(first.charAt(1));
        return word ? first.substring(0, 1).toLowerCase(Locale.ROOT) + first.substring(1) : first;
    }

    private static String sentence(Throwable failure) {
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        String text = CONDITION.matcher(message.strip()).replaceFirst("");
        text = STATE.matcher(text).replaceFirst("");
        return text.lines().findFirst().orElse(text).strip();
    }

    private static String messages(Throwable failure) {
        StringBuilder all = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause.getMessage() != null && all.indexOf(cause.getMessage()) < 0) {
                all.append(all.isEmpty() ? "" : "\n").append(cause.getMessage());
            }
        }
        return all.isEmpty() ? failure.toString() : all.toString();
    }
}
