package io.tidemark.delta;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.Protocol;
import io.tidemark.delta.log.SchemaJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * What we can do with which features of the protocol. Features that are only listed are no obstacle where the protocol
 * lets writers pass over them; those that are used are.
 */
final class TableFeatures {
    static final String APPEND_ONLY = "appendOnly";
    static final String CHANGE_DATA_FEED = "changeDataFeed";
    static final String CLUSTERING = "clustering";
    static final String DELETION_VECTORS = "deletionVectors";
    static final String DOMAIN_METADATA = "domainMetadata";
    static final String IN_COMMIT_TIMESTAMP = "inCommitTimestamp";
    static final String INVARIANTS = "invariants";
    static final String TIMESTAMP_NTZ = "timestampNtz";
    static final String V2_CHECKPOINT = "v2Checkpoint";
    static final String VACUUM_PROTOCOL_CHECK = "vacuumProtocolCheck";
    static final String VARIANT_TYPE = "variantType";

    /** Features that readers must know, of those that we know. */
    static final Set<String> READER_FEATURES = Set.of(
            "columnMapping",
            DELETION_VECTORS,
            TIMESTAMP_NTZ,
            "typeWidening",
            "typeWidening-preview",
            V2_CHECKPOINT,
            VACUUM_PROTOCOL_CHECK,
            VARIANT_TYPE,
            "variantType-preview");

    private static final Set<String> WRITER_FEATURES = Set.of(
            APPEND_ONLY,
            CHANGE_DATA_FEED,
            CLUSTERING,
            DELETION_VECTORS,
            DOMAIN_METADATA,
            IN_COMMIT_TIMESTAMP,
            INVARIANTS,
            TIMESTAMP_NTZ,
            V2_CHECKPOINT,
            VACUUM_PROTOCOL_CHECK,
            VARIANT_TYPE,
            "variantType-preview",
            "typeWidening",
            "typeWidening-preview",
            "checkpointProtection",
            // Harmless while they are not used, which the checks below make sure of.
            "allowColumnDefaults",
            "checkConstraints",
            "columnMapping",
            "generatedColumns",
            "identityColumns");

    private static final int READER_VERSION_MAX = 3;
    private static final int WRITER_VERSION_MAX = 7;

    private TableFeatures() {}

    /** Refuses tables whose rows we would misread. */
    static void checkReadable(String table, Protocol protocol) {
        Set<String> unknown = new TreeSet<>(protocol.readerFeatures());
        unknown.removeAll(READER_FEATURES);
        if (protocol.minReaderVersion() > READER_VERSION_MAX) {
            throw unsupported(table, "read", "reader version " + protocol.minReaderVersion());
        }
        if (!unknown.isEmpty()) {
            throw unsupported(table, "read", "the features " + String.join(", ", unknown));
        }
    }

    /** Refuses tables whose rules for writers we would break. */
    static void checkWritable(String table, Protocol protocol, Metadata metadata) {
        checkReadable(table, protocol);
        if (protocol.minWriterVersion() > WRITER_VERSION_MAX) {
            throw unsupported(table, "written", "writer version " + protocol.minWriterVersion());
        }
        Set<String> obstacles = new TreeSet<>(protocol.writerFeatures());
        obstacles.removeAll(WRITER_FEATURES);
        obstacles.addAll(usedObstacles(metadata));
        if (!obstacles.isEmpty()) {
            throw unsupported(table, "written", String.join(", ", obstacles));
        }
    }

    /** Names what a table uses that we cannot write. */
    static List<String> usedObstacles(Metadata metadata) {
        List<String> obstacles = new ArrayList<>();
        metadata.configuration().forEach((name, value) -> {
            if (name.startsWith("delta.constraints.")) {
                obstacles.add("checkConstraints (" + name + ")");
            }
        });
        if (!TableProperties.columnMappingMode(metadata).equals("none")) {
            obstacles.add("columnMapping (mode " + TableProperties.columnMappingMode(metadata) + ")");
        }
        if (TableProperties.flag(metadata, "delta.enableRowTracking")) {
            obstacles.add("rowTracking");
        }
        for (String version : List.of("V1", "V2", "V3")) {
            if (TableProperties.flag(metadata, "delta.enableIcebergCompat" + version)) {
                obstacles.add("icebergCompat" + version);
            }
        }
        forEachField(SchemaJson.parse(metadata.schemaString()), field -> {
            for (String key : field.metadata().keySet()) {
                String feature = featureOf(key);
                if (!feature.isEmpty()) {
                    obstacles.add(feature + " (column " + field.name() + ")");
                }
            }
        });
        return obstacles;
    }

    /** Whether writers may let a table list the feature. */
    static boolean isWritable(String feature) {
        return WRITER_FEATURES.contains(feature);
    }

    /** Calls for a type and each type within it. */
    static void forEachType(DataType type, Consumer<DataType> action) {
        action.accept(type);
        if (type instanceof StructType struct) {
            struct.fields().forEach(field -> forEachType(field.type(), action));
        } else if (type instanceof ArrayType array) {
            forEachType(array.element(), action);
        } else if (type instanceof MapType map) {
            forEachType(map.key(), action);
            forEachType(map.value(), action);
        }
    }

    /** Calls for each field of a schema, nested ones included. */
    static void forEachField(DataType type, Consumer<StructField> action) {
        forEachType(type, part -> {
            if (part instanceof StructType struct) {
                struct.fields().forEach(action);
            }
        });
    }

    private static String featureOf(String metadataKey) {
        return switch (metadataKey) {
            case "delta.invariants" -> "invariants";
            case "delta.generationExpression" -> "generatedColumns";
            case "delta.identity.start", "delta.identity.step" -> "identityColumns";
            case "CURRENT_DEFAULT" -> "allowColumnDefaults";
            default -> "";
        };
    }

    static TidemarkException unsupported(String table, String action, String what) {
        return TidemarkException.of(
                        ErrorCode.TABLE_FEATURE_UNSUPPORTED,
                        "table " + table + " cannot be " + action + ": it uses " + what)
                .build();
    }
}
