package io.tidemark.tests.change;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.type.StructType;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One case of the conformance folder, for change flows.
 *
 * @param name the case's name
 * @param tags its tags
 * @param flow the flow that its options define
 * @param source columns of the source
 * @param batches events in the order of arrival, by the source's columns
 * @param expected rows at the end, as JSON objects
 * @param expectedAfter rows after each update
 * @param error the error that must come, if one must
 */
record ConformanceCase(
        String name,
        Set<String> tags,
        AutoCdcFlow flow,
        StructType source,
        List<List<List<@Nullable Object>>> batches,
        List<JsonNode> expected,
        List<List<JsonNode>> expectedAfter,
        Optional<ExpectedError> error) {
    /**
     * An error that must come.
     *
     * @param code its code
     * @param batch index of the batch that must be refused; empty = the definition is refused
     */
    record ExpectedError(ErrorCode code, Optional<Integer> batch) {}

    /** Whether the order of events decides nothing, so that they may be shuffled and split. */
    boolean isOrderFree() {
        return !tags.contains("ties") && error.isEmpty();
    }

    @Override
    public String toString() {
        return name;
    }
}
