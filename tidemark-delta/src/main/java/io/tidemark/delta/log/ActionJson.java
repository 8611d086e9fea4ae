package io.tidemark.delta.log;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Actions as lines of a log entry. Keys are always written in the same order; numbers are exact. */
public final class ActionJson {
    private ActionJson() {}

    /**
     * Reads one line of a log entry.
     *
     * @return the action, or nothing if the line is of a kind that readers must pass over
     * @throws IOException if the line is not one whole JSON object with the fields that its kind needs
     */
    public static Optional<Action> parse(String line) throws IOException {
        Map<String, @Nullable Object> object = JsonValues.parseObject(line);
        if (object.size() != 1) {
            throw new IOException("a line of a log entry must hold one action, this has " + object.keySet());
        }
        Map.Entry<String, @Nullable Object> entry = object.entrySet().iterator().next();
        String kind = entry.getKey();
        if (entry.getValue() == null) {
            return Optional.empty();
        }
        Fields fields = Fields.of(kind, entry.getValue());
        return switch (kind) {
            case "add" -> Optional.of(add(fields));
            case "remove" -> Optional.of(remove(fields));
            case "cdc" ->
                Optional.of(new CdcFile(
                        fields.text("path"),
                        fields.textMap("partitionValues"),
                        fields.number("size"),
                        fields.textMap("tags")));
            case "txn" ->
                Optional.of(new SetTransaction(
                        fields.text("appId"), fields.number("version"), fields.numberOrNull("lastUpdated")));
            case "domainMetadata" ->
                Optional.of(new DomainMetadata(
                        fields.text("domain"), fields.text("configuration"), fields.flag("removed")));
            case "metaData" -> Optional.of(metadata(fields));
            case "protocol" -> Optional.of(protocol(fields));
            case "commitInfo" -> Optional.of(new CommitInfo(fields.values()));
            default -> Optional.empty();
        };
    }

    /** The line of a log entry, without the line end. */
    public static String write(Action action) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JsonValues.FACTORY.createGenerator(text)) {
            write(generator, action);
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory failed", e);
        }
        return text.toString();
    }

    /**
     * The content of a checksum file: what a version is made of, for readers that want to know without replay.
     *
     * @param numFiles how many files are part of the table
     * @param sizeBytes the sum of their lengths
     * @param inCommitTimestamp the version's time in the log, if the table keeps it there
     */
    public static String writeChecksum(
            Protocol protocol, Metadata metadata, long numFiles, long sizeBytes, @Nullable Long inCommitTimestamp) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonValues.FACTORY.createGenerator(text)) {
            json.writeStartObject();
            json.writeNumberField("tableSizeBytes", sizeBytes);
            json.writeNumberField("numFiles", numFiles);
            json.writeNumberField("numMetadata", 1);
            json.writeNumberField("numProtocol", 1);
            writeNumber(json, "inCommitTimestampOpt", inCommitTimestamp);
            json.writeObjectFieldStart("metadata");
            writeMetadata(json, metadata);
            json.writeEndObject();
            json.writeObjectFieldStart("protocol");
            writeProtocol(json, protocol);
            json.writeEndObject();
            json.writeEndObject();
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory failed", e);
        }
        return text.toString();
    }

    private static AddFile add(Fields fields) throws IOException {
        return new AddFile(
                fields.text("path"),
                fields.textMap("partitionValues"),
                fields.number("size"),
                fields.number("modificationTime"),
                fields.flag("dataChange"),
                fields.textOrNull("stats"),
                fields.textMap("tags"),
                vector(fields.objectOrNull("deletionVector")),
                fields.numberOrNull("baseRowId"),
                fields.numberOrNull("defaultRowCommitVersion"),
                fields.textOrNull("clusteringProvider"));
    }

    private static RemoveFile remove(Fields fields) throws IOException {
        return new RemoveFile(
                fields.text("path"),
                fields.numberOrNull("deletionTimestamp"),
                fields.flagOr("dataChange", true),
                fields.flagOr("extendedFileMetadata", false),
                fields.textMap("partitionValues"),
                fields.numberOrNull("size"),
                fields.textMap("tags"),
                vector(fields.objectOrNull("deletionVector")),
                fields.numberOrNull("baseRowId"),
                fields.numberOrNull("defaultRowCommitVersion"),
                fields.textOrNull("stats"));
    }

    private static @Nullable DeletionVectorDescriptor vector(@Nullable Fields fields) throws IOException {
        return fields == null
                ? null
                : new DeletionVectorDescriptor(
                        fields.text("storageType"),
                        fields.text("pathOrInlineDv"),
                        fields.smallNumberOrNull("offset"),
                        fields.smallNumber("sizeInBytes"),
                        fields.number("cardinality"));
    }

    private static Metadata metadata(Fields fields) throws IOException {
        Fields format = fields.objectOrNull("format");
        return new Metadata(
                fields.text("id"),
                fields.textOrNull("name"),
                fields.textOrNull("description"),
                format == null ? "parquet" : format.text("provider"),
                format == null ? Map.of() : format.textMapWithoutNulls("options"),
                fields.text("schemaString"),
                fields.texts("partitionColumns"),
                fields.textMapWithoutNulls("configuration"),
                fields.numberOrNull("createdTime"));
    }

    private static Protocol protocol(Fields fields) throws IOException {
        return new Protocol(
                fields.smallNumber("minReaderVersion"),
                fields.smallNumber("minWriterVersion"),
                new LinkedHashSet<>(fields.texts("readerFeatures")),
                new LinkedHashSet<>(fields.texts("writerFeatures")));
    }

    private static void write(JsonGenerator json, Action action) throws IOException {
        json.writeStartObject();
        if (action instanceof AddFile add) {
            json.writeObjectFieldStart("add");
            writeAdd(json, add);
        } else if (action instanceof RemoveFile remove) {
            json.writeObjectFieldStart("remove");
            writeRemove(json, remove);
        } else if (action instanceof CdcFile cdc) {
            json.writeObjectFieldStart("cdc");
            json.writeStringField("path", cdc.path());
            writeTexts(json, "partitionValues", cdc.partitionValues());
            json.writeNumberField("size", cdc.size());
            json.writeBooleanField("dataChange", false);
            writeTextsIfAny(json, "tags", cdc.tags());
        } else if (action instanceof SetTransaction txn) {
            json.writeObjectFieldStart("txn");
            json.writeStringField("appId", txn.appId());
            json.writeNumberField("version", txn.version());
            writeNumber(json, "lastUpdated", txn.lastUpdated());
        } else if (action instanceof DomainMetadata domain) {
            json.writeObjectFieldStart("domainMetadata");
            json.writeStringField("domain", domain.domain());
            json.writeStringField("configuration", domain.configuration());
            json.writeBooleanField("removed", domain.removed());
        } else if (action instanceof Metadata metadata) {
            json.writeObjectFieldStart("metaData");
            writeMetadata(json, metadata);
        } else if (action instanceof Protocol protocol) {
            json.writeObjectFieldStart("protocol");
            writeProtocol(json, protocol);
        } else if (action instanceof CommitInfo info) {
            json.writeObjectFieldStart("commitInfo");
            for (Map.Entry<String, @Nullable Object> entry : info.values().entrySet()) {
                json.writeFieldName(entry.getKey());
                JsonValues.write(json, entry.getValue());
            }
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private static void writeAdd(JsonGenerator json, AddFile add) throws IOException {
        json.writeStringField("path", add.path());
        writeTexts(json, "partitionValues", add.partitionValues());
        json.writeNumberField("size", add.size());
        json.writeNumberField("modificationTime", add.modificationTime());
        json.writeBooleanField("dataChange", add.dataChange());
        writeText(json, "stats", add.stats());
        writeTextsIfAny(json, "tags", add.tags());
        writeVector(json, add.deletionVector());
        writeNumber(json, "baseRowId", add.baseRowId());
        writeNumber(json, "defaultRowCommitVersion", add.defaultRowCommitVersion());
        writeText(json, "clusteringProvider", add.clusteringProvider());
    }

    private static void writeRemove(JsonGenerator json, RemoveFile remove) throws IOException {
        json.writeStringField("path", remove.path());
        writeNumber(json, "deletionTimestamp", remove.deletionTimestamp());
        json.writeBooleanField("dataChange", remove.dataChange());
        json.writeBooleanField("extendedFileMetadata", remove.extendedFileMetadata());
        if (remove.extendedFileMetadata()) {
            writeTexts(json, "partitionValues", remove.partitionValues());
        }
        writeNumber(json, "size", remove.size());
        writeText(json, "stats", remove.stats());
        writeTextsIfAny(json, "tags", remove.tags());
        writeVector(json, remove.deletionVector());
        writeNumber(json, "baseRowId", remove.baseRowId());
        writeNumber(json, "defaultRowCommitVersion", remove.defaultRowCommitVersion());
    }

    private static void writeVector(JsonGenerator json, @Nullable DeletionVectorDescriptor vector) throws IOException {
        if (vector == null) {
            return;
        }
        json.writeObjectFieldStart("deletionVector");
        json.writeStringField("storageType", vector.storageType());
        json.writeStringField("pathOrInlineDv", vector.pathOrInlineDv());
        Integer offset = vector.offset();
        if (offset != null) {
            json.writeNumberField("offset", offset);
        }
        json.writeNumberField("sizeInBytes", vector.sizeInBytes());
        json.writeNumberField("cardinality", vector.cardinality());
        json.writeEndObject();
    }

    private static void writeMetadata(JsonGenerator json, Metadata metadata) throws IOException {
        json.writeStringField("id", metadata.id());
        writeText(json, "name", metadata.name());
        writeText(json, "description", metadata.description());
        json.writeObjectFieldStart("format");
        json.writeStringField("provider", metadata.formatProvider());
        writeTexts(json, "options", new TreeMap<>(metadata.formatOptions()));
        json.writeEndObject();
        json.writeStringField("schemaString", metadata.schemaString());
        json.writeArrayFieldStart("partitionColumns");
        for (String column : metadata.partitionColumns()) {
            json.writeString(column);
        }
        json.writeEndArray();
        writeTexts(json, "configuration", new TreeMap<>(metadata.configuration()));
        writeNumber(json, "createdTime", metadata.createdTime());
    }

    private static void writeProtocol(JsonGenerator json, Protocol protocol) throws IOException {
        json.writeNumberField("minReaderVersion", protocol.minReaderVersion());
        json.writeNumberField("minWriterVersion", protocol.minWriterVersion());
        if (protocol.hasReaderFeatures()) {
            writeSorted(json, "readerFeatures", protocol.readerFeatures());
        }
        if (protocol.hasWriterFeatures()) {
            writeSorted(json, "writerFeatures", protocol.writerFeatures());
        }
    }

    private static void writeSorted(JsonGenerator json, String name, Iterable<String> texts) throws IOException {
        TreeSet<String> sorted = new TreeSet<>();
        texts.forEach(sorted::add);
        json.writeArrayFieldStart(name);
        for (String text : sorted) {
            json.writeString(text);
        }
        json.writeEndArray();
    }

    private static <V extends @Nullable String> void writeTexts(JsonGenerator json, String name, Map<String, V> texts)
            throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, V> entry : texts.entrySet()) {
            json.writeFieldName(entry.getKey());
            JsonValues.write(json, entry.getValue());
        }
        json.writeEndObject();
    }

    private static void writeTextsIfAny(JsonGenerator json, String name, Map<String, @Nullable String> texts)
            throws IOException {
        if (!texts.isEmpty()) {
            writeTexts(json, name, texts);
        }
    }

    private static void writeText(JsonGenerator json, String name, @Nullable String text) throws IOException {
        if (text != null) {
            json.writeStringField(name, text);
        }
    }

    private static void writeNumber(JsonGenerator json, String name, @Nullable Long number) throws IOException {
        if (number != null) {
            json.writeNumberField(name, number);
        }
    }
}
