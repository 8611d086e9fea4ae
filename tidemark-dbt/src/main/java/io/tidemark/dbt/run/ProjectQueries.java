package io.tidemark.dbt.run;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;

/** Errors of SQL that a project wrote and the engine runs as it is. */
public final class ProjectQueries {
    private ProjectQueries() {}

    /**
     * The error as one of the project's text. An engine takes all SQL that it runs unchanged for a plan of Tidemark, and
     * what is wrong with it for a defect.
     */
    public static TidemarkException asUserError(TidemarkException error, TextLocation location) {
        if (error.code() != ErrorCode.INTERNAL) {
            return error.at(location);
        }
        TidemarkException.Builder builder = TidemarkException.of(ErrorCode.QUERY_INVALID, error.primary())
                .at(location)
                .cause(error);
        error.detail().ifPresent(builder::detail);
        return builder.build();
    }
}
