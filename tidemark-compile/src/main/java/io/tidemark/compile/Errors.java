package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;

/** Errors that several classes of the package throw. */
final class Errors {
    private Errors() {}

    static TidemarkException invalidTask(String message) {
        return TidemarkException.of(ErrorCode.TASK_INVALID, message).build();
    }

    static TidemarkException undeclaredRead(String task, PartitionKey key, String why) {
        return TidemarkException.of(ErrorCode.UNDECLARED_READ, "task " + task + " reads " + key + ", " + why)
                .build();
    }

    static TidemarkException undeclaredOutput(String task, PartitionKey key) {
        return TidemarkException.of(
                        ErrorCode.UNDECLARED_OUTPUT,
                        "task " + task + " makes " + key + ", and " + key.layer() + " is no output layer of it")
                .hint("declare the layer with out(\"" + key.layer() + "\")")
                .build();
    }
}
