package io.tidemark.app.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One case: a flow, its events in batches, and the rows or the error that they must lead to.
 *
 * @param name the name
 * @param mode scd1, scd2, bitemporal or a snapshot mode
 * @param tags marks; {@code ties} says that the order of equal sequences matters
 * @param keys key columns
 * @param columns source columns with their types in Spark SQL
 * @param options clauses of the flow
 * @param batches events in order of arrival, one batch for each update
 * @param expected rows at the end
 * @param expectedAfter rows after each batch; empty if the case does not say
 * @param expectedError the error that must come, if one must
 */
record ConformanceCase(
        String name,
        String mode,
        List<String> tags,
        List<String> keys,
        Map<String, String> columns,
        JsonNode options,
        List<List<JsonNode>> batches,
        List<JsonNode> expected,
        List<List<JsonNode>> expectedAfter,
        Optional<ExpectedError> expectedError) {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .build();

    /**
     * An error that a case expects.
     *
     * @param code its code
     * @param batch 0-based batch that is refused; absent = the definition is refused
     */
    record ExpectedError(String code, Optional<Integer> batch) {}

    static ConformanceCase parse(String text, String file) {
        JsonNode node;
        try {
            node = MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw TidemarkException.of(ErrorCode.FILE_UNREADABLE, "case " + file + " is not JSON")
                    .cause(e)
                    .build();
        }
        Map<String, String> columns = new LinkedHashMap<>();
        node.path("columns")
                .forEach(column -> columns.put(
                        column.path("name").asText(), column.path("type").asText()));
        JsonNode error = node.get("expected_error");
        Optional<ExpectedError> expectedError = error == null || error.isNull()
                ? Optional.empty()
                : Optional.of(new ExpectedError(
                        error.path("code").asText(),
                        error.path("batch").isNumber()
                                ? Optional.of(error.path("batch").asInt())
                                : Optional.empty()));
        return new ConformanceCase(
                node.path("name").asText(file),
                node.path("mode").asText(),
                texts(node.path("tags")),
                texts(node.path("keys")),
                columns,
                node.path("options"),
                lists(node.path("batches")),
                list(node.path("expected")),
                lists(node.path("expected_after")),
                expectedError);
    }

    /** Whether each batch is a whole snapshot. */
    boolean isSnapshot() {
        return mode.startsWith("snapshot_");
    }

    /** The version of the snapshot in a batch. */
    JsonNode version(int batch) {
        return options.path("versions").path(batch);
    }

    /** The type of the versions: the least one that holds all of them. */
    String versionType() {
        String type = "INT";
        for (JsonNode version : options.path("versions")) {
            if (version.isTextual()) {
                boolean time = version.asText().matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d+)?");
                return time ? "TIMESTAMP" : "STRING";
            }
            if (version.isNumber() && !version.isIntegralNumber()) {
                return "DOUBLE";
            }
            boolean large = version.isNumber() && !version.canConvertToInt();
            type = large ? "BIGINT" : type;
        }
        return type;
    }

    /** Whether the case may run with its events in another order or split. */
    boolean hasVariants() {
        return !isSnapshot() && !tags.contains("ties") && expectedError.isEmpty();
    }

    /** This case under another name and with other batches; only the rows at the end are expected. */
    ConformanceCase variant(String suffix, List<List<JsonNode>> otherBatches) {
        return new ConformanceCase(
                name + " (" + suffix + ")",
                mode,
                tags,
                keys,
                columns,
                options,
                otherBatches,
                expected,
                List.of(),
                expectedError);
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(value -> texts.add(value.asText()));
        return texts;
    }

    private static List<JsonNode> list(JsonNode array) {
        List<JsonNode> rows = new ArrayList<>();
        array.forEach(rows::add);
        return rows;
    }

    private static List<List<JsonNode>> lists(JsonNode array) {
        List<List<JsonNode>> batches = new ArrayList<>();
        array.forEach(batch -> batches.add(list(batch)));
        return batches;
    }
}
