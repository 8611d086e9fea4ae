package io.tidemark.tests.change;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.ColumnSelection;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.sql.parse.DataTypeParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the conformance cases; their form is described in the README beside them. */
final class ConformanceCases {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    private static final Map<String, ScdType> MODES =
            Map.of("scd1", ScdType.SCD1, "scd2", ScdType.SCD2, "bitemporal", ScdType.BITEMPORAL);

    /** The folder of cases for each rule. */
    static final String RULES = "/conformance";
    /** The folder of cases at the edges of the rules. */
    static final String EDGES = "/conformance-edges";

    private ConformanceCases() {}

    /** All cases of change flows in a folder, sorted by name. */
    static List<ConformanceCase> changeFlows(String name) {
        URL folder = Objects.requireNonNull(ConformanceCases.class.getResource(name));
        List<ConformanceCase> cases = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of(folder.toURI()))) {
            List<Path> sorted = files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
            for (Path file : sorted) {
                JsonNode json = MAPPER.readTree(file.toFile());
                if (MODES.containsKey(json.path("mode").asText())) {
                    cases.add(read(json));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        return cases;
    }

    private static ConformanceCase read(JsonNode json) {
        StructType source = source(json.path("columns"));
        List<List<List<@Nullable Object>>> batches = new ArrayList<>();
        for (JsonNode batch : json.path("batches")) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            batch.forEach(event -> rows.add(values(event, source)));
            batches.add(rows);
        }
        List<List<JsonNode>> after = new ArrayList<>();
        json.path("expected_after").forEach(rows -> after.add(list(rows)));
        return new ConformanceCase(
                json.path("name").asText(),
                Set.copyOf(texts(json.path("tags"))),
                flow(json),
                source,
                batches,
                list(json.path("expected")),
                after,
                error(json.path("expected_error")));
    }

    private static Optional<ConformanceCase.ExpectedError> error(JsonNode json) {
        if (!json.isObject()) {
            return Optional.empty();
        }
        Optional<Integer> batch =
                json.path("batch").isInt() ? Optional.of(json.path("batch").asInt()) : Optional.empty();
        return Optional.of(new ConformanceCase.ExpectedError(
                ErrorCode.valueOf(json.path("code").asText()), batch));
    }

    private static AutoCdcFlow flow(JsonNode json) {
        JsonNode options = json.path("options");
        JsonNode sql = options.path("sql");
        return new AutoCdcFlow(
                "f",
                TableName.of("t"),
                false,
                text("SELECT * FROM s"),
                texts(json.path("keys")).stream().map(ColumnReference::of).toList(),
                ignoreNulls(options.path("ignore_nulls")),
                condition(sql.path("delete_when")),
                condition(sql.path("truncate_when")),
                sequence(options.path("seq")),
                condition(options.path("system_seq")),
                selection(options.path("columns")),
                Objects.requireNonNull(MODES.get(json.path("mode").asText())),
                selection(options.path("track_history")),
                options.path("columns_to_update").isTextual()
                        ? Optional.of(ColumnReference.of(
                                options.path("columns_to_update").asText()))
                        : Optional.empty(),
                Optional.empty(),
                TextLocation.NONE,
                Map.of());
    }

    private static QueryText sequence(JsonNode json) {
        if (!json.isArray()) {
            return text(json.asText());
        }
        List<String> parts = new ArrayList<>();
        texts(json).forEach(column -> parts.add("'" + column + "', " + column));
        return text("named_struct(" + String.join(", ", parts) + ")");
    }

    private static Optional<ColumnSelection> ignoreNulls(JsonNode json) {
        return json.isTextual() ? Optional.of(ColumnSelection.all()) : selection(json);
    }

    private static Optional<ColumnSelection> selection(JsonNode json) {
        if (json.has("on")) {
            return Optional.of(ColumnSelection.include(texts(json.path("on")).toArray(String[]::new)));
        }
        if (json.has("except")) {
            List<String> names = texts(json.path("except"));
            return names.isEmpty()
                    ? Optional.empty()
                    : Optional.of(ColumnSelection.except(names.toArray(String[]::new)));
        }
        return Optional.empty();
    }

    private static Optional<QueryText> condition(JsonNode json) {
        return json.isTextual() ? Optional.of(text(json.asText())) : Optional.empty();
    }

    private static QueryText text(String sql) {
        return new QueryText(sql, TextLocation.NONE);
    }

    private static StructType source(JsonNode columns) {
        List<StructField> fields = new ArrayList<>();
        for (JsonNode column : columns) {
            DataType type = DataTypeParser.parse(column.path("type").asText(), TextLocation.NONE);
            fields.add(StructField.of(column.path("name").asText(), type));
        }
        return new StructType(fields);
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    private static List<JsonNode> list(JsonNode array) {
        List<JsonNode> nodes = new ArrayList<>();
        array.forEach(nodes::add);
        return nodes;
    }

    /** The values of a JSON object in the order of a schema, as engines return them. */
    static List<@Nullable Object> values(JsonNode row, StructType schema) {
        Set<String> unknown = new LinkedHashSet<>();
        row.fieldNames().forEachRemaining(unknown::add);
        List<@Nullable Object> values = new ArrayList<>();
        for (StructField field : schema.fields()) {
            unknown.remove(field.name());
            values.add(value(row.path(field.name()), field.type()));
        }
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("no columns " + unknown + " in " + schema.sql());
        }
        return values;
    }

    private static @Nullable Object value(JsonNode json, DataType type) {
        if (json.isNull() || json.isMissingNode()) {
            return null;
        }
        return switch (type.kind()) {
            case SCALAR -> scalar(json, (ScalarType) type);
            case DECIMAL -> new BigDecimal(json.asText()).setScale(((DecimalType) type).scale());
            case STRUCT -> {
                Map<String, @Nullable Object> struct = new LinkedHashMap<>();
                List<StructField> fields = ((StructType) type).fields();
                for (int i = 0; i < fields.size(); i++) {
                    StructField field = fields.get(i);
                    JsonNode part = json.isArray() ? json.path(i) : json.path(field.name());
                    struct.put(field.name(), value(part, field.type()));
                }
                yield struct;
            }
            case ARRAY -> {
                List<@Nullable Object> elements = new ArrayList<>();
                json.forEach(each -> elements.add(value(each, ((ArrayType) type).element())));
                yield elements;
            }
            case MAP -> throw new IllegalArgumentException("cases have no " + type.sql());
        };
    }

    private static Object scalar(JsonNode json, ScalarType type) {
        return switch (type) {
            case STRING -> json.asText();
            case BOOLEAN -> json.asBoolean();
            case BYTE, SHORT, INTEGER, LONG -> json.bigIntegerValue().longValueExact();
            case DOUBLE -> json.asDouble();
            case DATE -> LocalDate.parse(json.asText());
            case TIMESTAMP -> Instant.parse(json.asText().replace(' ', 'T') + "Z");
            case FLOAT, BINARY, TIMESTAMP_NTZ, VARIANT, VOID ->
                throw new IllegalArgumentException("cases have no " + type.sql());
        };
    }
}
