package io.tidemark.delta;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.Protocol;
import io.tidemark.delta.log.SchemaJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Which features a table must list for what it uses, and the protocol that lists them. */
final class ProtocolUpgrade {
    /** What a new table begins with. */
    static final Protocol MINIMUM = new Protocol(1, 2, Set.of(), Set.of());

    private static final String FEATURE_PREFIX = "delta.feature.";

    /** What a writer version implies, in versions that do not list features. */
    private static final Map<Integer, List<String>> IMPLIED_BY_WRITER_VERSION = Map.of(
            2, List.of(TableFeatures.APPEND_ONLY, TableFeatures.INVARIANTS),
            3, List.of("checkConstraints"),
            4, List.of(TableFeatures.CHANGE_DATA_FEED, "generatedColumns"),
            5, List.of("columnMapping"),
            6, List.of("identityColumns"));

    private static final int COLUMN_MAPPING_READER_VERSION = 2;

    private ProtocolUpgrade() {}

    /** The features that schema and properties need. */
    static Set<String> needed(Metadata metadata) {
        Set<String> features = new TreeSet<>();
        addIf(features, TableFeatures.APPEND_ONLY, TableProperties.flag(metadata, TableProperties.APPEND_ONLY));
        addIf(
                features,
                TableFeatures.CHANGE_DATA_FEED,
                TableProperties.flag(metadata, TableProperties.ENABLE_CHANGE_DATA_FEED));
        addIf(
                features,
                TableFeatures.DELETION_VECTORS,
                TableProperties.flag(metadata, TableProperties.ENABLE_DELETION_VECTORS));
        addIf(
                features,
                TableFeatures.IN_COMMIT_TIMESTAMP,
                TableProperties.flag(metadata, TableProperties.ENABLE_IN_COMMIT_TIMESTAMPS));
        addIf(features, "typeWidening", TableProperties.flag(metadata, "delta.enableTypeWidening"));
        addIf(
                features,
                TableFeatures.V2_CHECKPOINT,
                "v2".equals(metadata.configuration().get(TableProperties.CHECKPOINT_POLICY)));
        TableFeatures.forEachType(SchemaJson.parse(metadata.schemaString()), type -> {
            addIf(features, TableFeatures.TIMESTAMP_NTZ, type == ScalarType.TIMESTAMP_NTZ);
            addIf(features, TableFeatures.VARIANT_TYPE, type == ScalarType.VARIANT);
        });
        return features;
    }

    /** The features that properties ask for by name. */
    static Set<String> requested(String table, Map<String, String> properties) throws TidemarkException {
        Set<String> features = new TreeSet<>();
        properties.forEach((name, value) -> {
            if (name.startsWith(FEATURE_PREFIX)) {
                features.add(name.substring(FEATURE_PREFIX.length()));
            }
        });
        for (String feature : features) {
            if (!TableFeatures.isWritable(feature)) {
                throw TableFeatures.unsupported(table, "given the feature", feature);
            }
        }
        return features;
    }

    /** Properties as they are stored, without those that only speak about the protocol. */
    static Map<String, String> stored(Map<String, String> properties) {
        Map<String, String> stored = new LinkedHashMap<>(properties);
        stored.keySet()
                .removeIf(name -> name.startsWith(FEATURE_PREFIX)
                        || name.equals("delta.minReaderVersion")
                        || name.equals("delta.minWriterVersion"));
        return stored;
    }

    /** The protocol with these features too; nothing if it has them already. */
    static Optional<Protocol> upgrade(Protocol current, Set<String> features) {
        Set<String> writer = new TreeSet<>(current.writerFeatures());
        Set<String> reader = new TreeSet<>(current.readerFeatures());
        if (!current.hasWriterFeatures()) {
            IMPLIED_BY_WRITER_VERSION.forEach((version, implied) -> {
                if (version <= current.minWriterVersion()) {
                    writer.addAll(implied);
                }
            });
        }
        boolean mappedByVersion = current.minReaderVersion() == COLUMN_MAPPING_READER_VERSION;
        if (mappedByVersion) {
            reader.add("columnMapping");
        }
        Set<String> readerNeeds = new TreeSet<>(features);
        readerNeeds.retainAll(TableFeatures.READER_FEATURES);
        boolean complete = writer.containsAll(features) && reader.containsAll(readerNeeds);
        if (complete) {
            return Optional.empty();
        }
        writer.addAll(features);
        reader.addAll(readerNeeds);
        boolean listReaders = current.hasReaderFeatures() || !readerNeeds.isEmpty();
        return Optional.of(new Protocol(
                listReaders ? Protocol.READER_FEATURES_VERSION : current.minReaderVersion(),
                Protocol.WRITER_FEATURES_VERSION,
                listReaders ? reader : Set.of(),
                writer));
    }

    private static void addIf(Set<String> features, String feature, boolean used) {
        if (used) {
            features.add(feature);
        }
    }
}
