package io.tidemark.files;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.files.DebeziumEvent.Operation;
import io.tidemark.files.TextValues.BadValue;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Change events in the envelope of Debezium, one JSON text per line. */
final class DebeziumSource implements RowSource {
    private static final int POSITION_DIGITS = 12;
    private static final String UNAVAILABLE = "__debezium_unavailable_value";
    private static final List<String> SOURCE_TEXTS = List.of(
            "version", "connector", "name", "ts_ms", "snapshot", "db", "sequence", "schema", "table", "txId", "lsn");
    private static final Set<String> SOURCE_NUMBERS = Set.of("ts_ms", "txId", "lsn");
    private static final StructType SOURCE = new StructType(SOURCE_TEXTS.stream()
            .map(name -> StructField.of(name, SOURCE_NUMBERS.contains(name) ? ScalarType.LONG : ScalarType.STRING))
            .toList());
    private static final String HINT_KEYS = "Give the names of the key's columns: keyColumns => 'a,b'.";
    private static final String HINT_DECIMALS =
            "Configure the connector with decimal.handling.mode=string: other modes lose digits or the scale.";

    private final StructType declared;
    private final StructType columns;
    private final String folder;
    private final Charset charset;
    private final JsonValues values;
    private final List<String> keyColumns;
    private final Optional<String> table;
    private final String unavailable;
    private final String unavailableBytes;

    DebeziumSource(InputOptions options, Optional<StructType> schema) {
        this.declared = schema.orElseThrow(() -> options.invalid("the format debezium needs a schema")
                .hint("Give one: schema => 'id BIGINT, name STRING'.")
                .build());
        this.charset = options.charset();
        JsonValues.Times times = options.choice("timeprecision", JsonValues.Times.class, JsonValues.Times.MICROS);
        if (times == JsonValues.Times.SECONDS) {
            throw options.invalid("option timePrecision must be micros, millis or nanos")
                    .build();
        }
        this.values = new JsonValues(TextValues.of(options), times);
        this.keyColumns = options.names("keycolumns");
        for (String key : keyColumns) {
            if (!declared.has(key)) {
                throw options.invalid("option keyColumns names " + key + ", which is no declared column")
                        .build();
            }
        }
        this.folder = options.folder();
        this.table = options.text("table");
        this.unavailable = options.text("unavailablevalue").orElse(UNAVAILABLE);
        this.unavailableBytes = Base64.getEncoder().encodeToString(unavailable.getBytes(StandardCharsets.UTF_8));
        this.columns = withEnvelope(declared);
    }

    private static StructType withEnvelope(StructType declared) {
        // NOT NULL holds for the rows of the table, not for deletes and partial updates of them.
        List<StructField> fields = new ArrayList<>();
        declared.fields()
                .forEach(field -> fields.add(new StructField(field.name(), field.type(), true, field.metadata())));
        fields.add(StructField.of("_op", ScalarType.STRING));
        fields.add(StructField.of("_ts_ms", ScalarType.LONG));
        fields.add(StructField.of("_lsn", ScalarType.LONG));
        fields.add(StructField.of("_source", SOURCE));
        fields.add(StructField.of("_position", ScalarType.STRING));
        fields.add(StructField.of("_authored_columns", new ArrayType(ScalarType.STRING, true)));
        return new StructType(fields);
    }

    @Override
    public StructType columns() {
        return columns;
    }

    @Override
    public Rows open(SourceFile file) throws IOException {
        return new Events(file, file.open(charset));
    }

    /** The events of a file. */
    private final class Events implements Rows {
        private final SourceFile file;
        private final BufferedReader reader;
        private final String positionPrefix;
        private final List<@Nullable Object> row = new ArrayList<>();
        private long number;

        Events(SourceFile file, BufferedReader reader) {
            this.file = file;
            this.reader = reader;
            this.positionPrefix = file.within(folder) + "#";
        }

        @Override
        public @Nullable List<@Nullable Object> next() throws IOException {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                if (line.isBlank()) {
                    continue;
                }
                InputErrors.Place place = new InputErrors.Place(file.path(), number);
                Optional<DebeziumEvent> event = DebeziumEvent.read(parse(file, line, number), place);
                if (event.isPresent() && concerns(event.get())) {
                    row.clear();
                    convert(event.get(), place, row);
                    addEnvelope(event.get(), positionPrefix + padded(number), row);
                    return row;
                }
            }
            return null;
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }

    private static String padded(long number) {
        String digits = String.valueOf(number);
        return "0".repeat(Math.max(0, POSITION_DIGITS - digits.length())) + digits;
    }

    private static JsonNode parse(SourceFile file, String line, long number) {
        try {
            return JsonSource.JSON.readTree(line);
        } catch (JsonProcessingException e) {
            throw JsonSource.broken(file, e, number);
        }
    }

    private boolean concerns(DebeziumEvent event) {
        if (event.operation() == Operation.MESSAGE) {
            return false;
        }
        if (table.isEmpty()) {
            return true;
        }
        String wanted = table.get();
        String name = event.source().path("table").asText();
        String schema = event.source().path("schema").asText();
        String database = event.source().path("db").asText();
        return wanted.equals(name) || wanted.equals(schema + "." + name) || wanted.equals(database + "." + name);
    }

    private void convert(DebeziumEvent event, InputErrors.Place place, List<@Nullable Object> row) {
        Map<String, JsonNode> authored = switch (event.operation()) {
            case READ, CREATE, UPDATE -> members(event.after());
            case DELETE -> keyOf(event, place);
            case TRUNCATE, MESSAGE -> Map.of();
        };
        List<String> names = new ArrayList<>();
        for (StructField field : declared.fields()) {
            JsonNode node = authored.get(field.name().toLowerCase(Locale.ROOT));
            if (node == null || isUnavailable(node, field.type())) {
                row.add(null);
            } else {
                names.add(field.name());
                row.add(value(node, field, place));
            }
        }
        event.authored(names);
    }

    private static Map<String, JsonNode> members(JsonNode object) {
        Map<String, JsonNode> members = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            members.put(entry.getKey().toLowerCase(Locale.ROOT), entry.getValue());
        }
        return members;
    }

    /** Under the usual replica identity only the key's columns of a delete can be believed. */
    private Map<String, JsonNode> keyOf(DebeziumEvent event, InputErrors.Place place) {
        if (event.key().isObject() && !event.key().isEmpty()) {
            return members(event.key());
        }
        if (keyColumns.isEmpty() || !event.before().isObject()) {
            throw TidemarkException.of(
                            ErrorCode.FILE_UNREADABLE, place + ": the delete does not say which row it removes")
                    .detail("The line has no key" + (keyColumns.isEmpty() ? "." : ", and the event has no old row."))
                    .hint(HINT_KEYS)
                    .build();
        }
        Map<String, JsonNode> before = members(event.before());
        Set<String> keys = new HashSet<>();
        keyColumns.forEach(key -> keys.add(key.toLowerCase(Locale.ROOT)));
        before.keySet().retainAll(keys);
        return before;
    }

    private boolean isUnavailable(JsonNode node, DataType type) {
        if (node.isTextual()) {
            return node.textValue().equals(unavailable)
                    || (type == ScalarType.BINARY && node.textValue().equals(unavailableBytes));
        }
        if (node.isArray() && node.size() == 1) {
            return node.get(0).isTextual() && node.get(0).textValue().equals(unavailable);
        }
        return node.isObject() && node.size() == 1 && node.has(unavailable);
    }

    private @Nullable Object value(JsonNode node, StructField field, InputErrors.Place place) {
        try {
            return values.parse(node, field.type());
        } catch (BadValue e) {
            String text = node.isTextual() ? node.textValue() : node.toString();
            boolean encoded = field.type() instanceof DecimalType && node.isTextual();
            throw InputErrors.wrongValue(place, field.name(), text, field.type(), encoded ? HINT_DECIMALS : "");
        }
    }

    private static void addEnvelope(DebeziumEvent event, String position, List<@Nullable Object> row) {
        row.add(event.operation().letter());
        row.add(number(event.timestamp()));
        row.add(number(event.source().path("lsn")));
        row.add(event.source().isObject() ? source(event.source()) : null);
        row.add(position);
        row.add(event.authored());
    }

    private static Map<String, @Nullable Object> source(JsonNode node) {
        Map<String, @Nullable Object> source = new LinkedHashMap<>();
        for (String name : SOURCE_TEXTS) {
            JsonNode value = node.path(name);
            if (SOURCE_NUMBERS.contains(name)) {
                source.put(name, number(value));
            } else {
                source.put(name, value.isNull() || value.isMissingNode() ? null : value.asText());
            }
        }
        return source;
    }

    private static @Nullable Long number(JsonNode node) {
        return node.isIntegralNumber() && node.canConvertToLong() ? (Long) node.longValue() : null;
    }
}
