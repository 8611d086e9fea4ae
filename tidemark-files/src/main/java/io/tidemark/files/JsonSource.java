package io.tidemark.files;

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
import io.tidemark.files.InputOptions.Mode;
import io.tidemark.files.TextValues.BadValue;
import java.io.Closeable;
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
    public Rows open(SourceFile file) throws IOException {
        return new Converted(new JsonObjects(file));
    }

    /** JsonObjects as rows. */
    private final class Converted implements Rows {
        private final JsonObjects objects;
        private final List<@Nullable Object> row = new ArrayList<>();

        Converted(JsonObjects objects) {
            this.objects = objects;
        }

        @Override
        public @Nullable List<@Nullable Object> next() throws IOException {
            for (JsonNode object = objects.next(); object != null; object = objects.next()) {
                row.clear();
                if (convert(object, objects.place(), row)) {
                    return row;
                }
            }
            return null;
        }

        @Override
        public void close() throws IOException {
            objects.close();
        }
    }

    /** The objects of a file. */
    private final class JsonObjects implements Closeable {
        private final SourceFile file;
        private final JsonParser parser;
        private boolean inArray;
        private InputErrors.Place place;

        JsonObjects(SourceFile file) throws IOException {
            this.file = file;
            this.place = new InputErrors.Place(file.path(), 1);
            this.parser = JSON.createParser(file.open(charset));
        }

        /** Where the last object begins. */
        InputErrors.Place place() {
            return place;
        }

        /** The next object; null at the end. */
        @Nullable
        JsonNode next() throws IOException {
            // An object without end is noticed lines later: what helps is where it begins.
            long begun = 0;
            try {
                for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                    place = new InputErrors.Place(
                            file.path(), parser.currentTokenLocation().getLineNr());
                    if (token == JsonToken.START_ARRAY && !inArray) {
                        inArray = true;
                    } else if (token == JsonToken.END_ARRAY && inArray) {
                        inArray = false;
                    } else if (token == JsonToken.START_OBJECT) {
                        begun = place.line();
                        return parser.readValueAsTree();
                    } else {
                        throw InputErrors.malformed(place, "an object was expected but " + token.asString() + " found");
                    }
                }
                return null;
            } catch (JsonProcessingException e) {
                throw broken(file, e, begun);
            }
        }

        /** Closes the file, too, as Jackson's parsers do with what they read from. */
        @Override
        public void close() throws IOException {
            parser.close();
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
            try (JsonObjects objects = new JsonObjects(file)) {
                for (JsonNode object = objects.next(); object != null; object = objects.next()) {
                    types.see(object);
                }
            } catch (IOException e) {
                throw InputErrors.reading(file.path(), e);
            }
        }
        return types.struct();
    }
}
