package io.tidemark.sql.parse;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.PipelineDefinition;
import java.util.List;

/**
 * What the files of a pipeline define.
 *
 * @param definition what could be understood; complete only if there are no errors
 * @param errors all faults found, in the order of the text
 */
public record ParseResult(PipelineDefinition definition, List<TidemarkException> errors) {
    /** Copies the list. */
    public ParseResult {
        errors = List.copyOf(errors);
    }

    /** The definition, or the first error. */
    public PipelineDefinition orThrow() {
        if (!errors.isEmpty()) {
            throw errors.get(0);
        }
        return definition;
    }
}
