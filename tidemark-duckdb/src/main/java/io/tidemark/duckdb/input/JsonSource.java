package io.tidemark.duckdb.input;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.input.InputOptions.Mode;
import io.tidemark.duckdb.input.TextValues.BadValue;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** JSON files: objects one after another, on lines of their own or not, or in one array. */
final class JsonSource implements RowSource {
    /** Reads numbers exactly and texts of any length; a name that stands twice in an object is an error. */
    static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final Charset charset;
    private final Mode mode;
    private final JsonValues values;
    private final StructType columns;

    JsonSource(InputOptions options, Optional<StructType> declared, List<SourceFile> files) {
        this.charset = options.charset();
        this.mode = options.mode();
        options.flag("multiline", false);
        this.values = new JsonValues(TextValues.of(options), JsonValues.Times.SECONDS);
        this.columns = declared.orElseGet(() -> inferred(files));
    }

    @Override
    public StructType columns() {
        return columns;
    }

    @Override
    public void read(SourceFile file, Sink sink) throws IOException {
        List<@Nullable Object> row = new ArrayList<>();
        each(file, (node, place) -> {
            row.clear();
            if (convert(node, place, row)) {
                sink.add(row);
            }
        });
    }

    /** Receives objects. */
    @FunctionalInterface
    private interface Visitor {
        void visit(JsonNode node, InputErrors.Place place);
    }

    private void each(SourceFile file, Visitor visitor) throws IOException {
        long begun = 0;
        try (BufferedReader reader = file.open(charset);
                JsonParser parser = JSON.createParser(reader)) {
            boolean inArray = false;
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                InputErrors.Place place = new InputErrors.Place(
                        file.path(), parser.currentTokenLocation().getLineNr());
                if (token == JsonToken.START_ARRAY && !inArray) {
                    inArray = true;
                } else if (token == JsonToken.END_ARRAY && inArray) {
                    inArray = false;
                } else if (token == JsonToken.START_OBJECT) {
                    begun = place.line();
                    JsonNode object = parser.readValueAsTree();
                    begun = 0;
                    visitor.visit(object, place);
                } else {
                    throw InputErrors.malformed(place, "an object was expected but " + token.asString() + " found");
                }
            }
        } catch (JsonProcessingException e) {
            // An object without end is noticed lines later: what helps is where it begins.
            throw broken(file, e, begun);
        }
    }

    /** The error for text that is no JSON. */
    static TidemarkException broken(SourceFile file, JsonProcessingException failure, long line) {
        long place = failure.getLocation() == null ? 1 : failure.getLocation().getLineNr();
        return InputErrors.malformed(
                new InputErrors.Place(file.path(), line > 0 ? line : place),
                "this is no JSON: " + reason(failure.getOriginalMessage()));
    }

    /** What the parser says, without what it says of itself. */
    private static String reason(String message) {
        String text = message.startsWith("Unexpected end-of-input") ? "it ends too early" : message;
        for (String internal : List.of(" at [Source", " (start marker", ": was expecting", " for `", "\n")) {
            int cut = text.indexOf(internal);
            text = cut < 0 ? text : text.substring(0, cut);
        }
        return text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
    }

    private boolean convert(JsonNode node, InputErrors.Place place, List<@Nullable Object> row) {
        for (StructField field : columns.fields()) {
            JsonNode member = JsonValues.member(node, field.name());
            Object value = null;
            try {
                value = values.parse(member, field.type());
            } catch (BadValue e) {
                if (mode == Mode.DROPMALFORMED) {
                    return false;
                }
                if (mode == Mode.FAILFAST) {
                    String text = member.isTextual() ? member.textValue() : member.toString();
                    throw InputErrors.wrongValue(place, field.name(), text, field.type());
                }
            }
            if (value == null && !field.nullable()) {
                throw InputErrors.missing(place, field.name());
            }
            row.add(value);
        }
        return true;
    }

    private StructType inferred(List<SourceFile> files) {
        JsonTypes types = new JsonTypes();
        for (SourceFile file : files) {
            try {
                each(file, (node, place) -> types.see(node));
            } catch (IOException e) {
                throw InputErrors.reading(file.path(), e);
            }
        }
        return types.struct();
    }
}
