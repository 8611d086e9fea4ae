package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.storage.Storage;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A versioned container of layers, kept in one Delta table. A version is read as a whole: all layers of it belong
 * together.
 *
 * <p>Relations that are registered with an engine keep their names until {@link #drop}.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class Catalog {
    /** Name of the setting that holds the id of the reserved layer of the state. */
    public static final String STATE_LAYER = "stateLayer";
    /** Id of the reserved layer unless {@link #STATE_LAYER} names another. */
    public static final String STATE_LAYER_DEFAULT = "state";

    private Catalog() {}

    /** Makes a catalog at a place at which there is no table. */
    public static Catalog create(Storage storage, String location, CatalogDefinition definition) {
        throw new UnsupportedOperationException();
    }

    /** The catalog at a place. */
    public static Catalog open(Storage storage, String location) {
        throw new UnsupportedOperationException();
    }

    /** The catalog's id. */
    public String id() {
        throw new UnsupportedOperationException();
    }

    /** The catalog's folder. */
    public String location() {
        throw new UnsupportedOperationException();
    }

    /** The latest version, which is the empty one before the first publication. */
    public CatalogVersion latest() {
        throw new UnsupportedOperationException();
    }

    /**
     * A version.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code CATALOG_VERSION_NOT_FOUND}
     */
    public CatalogVersion version(long number) {
        throw new UnsupportedOperationException();
    }

    /** The versions that the log still holds, newest first, without the empty one. */
    public List<CatalogVersion> versions(int limit) {
        throw new UnsupportedOperationException();
    }

    /**
     * Registers what is known of the partitions of some layers: {@code layer}, {@code partition}, {@code version},
     * {@code digest}, {@code checksum}, {@code size}, {@code crc32c}, {@code handle}. No payload is read.
     */
    public void registerMeta(Engine engine, String relation, CatalogVersion version, Collection<String> layerIds) {
        throw new UnsupportedOperationException();
    }

    /**
     * Materializes the net changes between two versions: {@code layer}, {@code partition}, {@code kind} (added, changed or
     * deleted). What was changed and changed back is no change. The effort follows the changes. If {@code to} is the older
     * one, the changes are those that lead back.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code CHANGES_UNAVAILABLE} if the log or files no longer tell them
     */
    public void registerChanges(
            Engine engine, String relation, CatalogVersion from, CatalogVersion to, Collection<String> layerIds) {
        throw new UnsupportedOperationException();
    }

    /**
     * Registers partitions with their payloads: the columns of {@link #registerMeta} and {@code payload}, which is NULL if
     * the payload has a file of its own. Keys that are not published have no row.
     *
     * @param keys a relation with columns {@code layer} and {@code partition}
     */
    public void registerPayloads(Engine engine, String relation, CatalogVersion version, String keys) {
        throw new UnsupportedOperationException();
    }

    /** What is known of one partition; nothing if it is not published. */
    public Optional<PartitionMeta> meta(Engine engine, CatalogVersion version, String layer, String partition) {
        throw new UnsupportedOperationException();
    }

    /**
     * A payload as a stream that fails with {@code CORRUPT_PAYLOAD} at its end, or before, if size, CRC-32C or digest are
     * not those of the partition. May be called by many threads.
     *
     * @param inline the payload's bytes if they stand in the row, else null
     */
    public InputStream payload(PartitionMeta meta, byte @Nullable [] inline) {
        throw new UnsupportedOperationException();
    }

    /** The whole payload, checked as in {@link #payload}; for payloads that fit into memory. */
    public byte[] payloadBytes(PartitionMeta meta, byte @Nullable [] inline) {
        throw new UnsupportedOperationException();
    }

    /**
     * Makes payloads of the next version ready.
     *
     * @param scratch an existing local folder for payloads whose name is not known yet
     */
    public PayloadStager stager(CatalogVersion base, Path scratch) {
        throw new UnsupportedOperationException();
    }

    /** Begins the next version. */
    public Publication publish(CatalogVersion base) {
        throw new UnsupportedOperationException();
    }

    /**
     * Registers a relation of the state, rows of all its files; no rows if the version has no such relation.
     *
     * @param fileColumn if present, name of a BIGINT column with the index of the row's file, oldest first
     * @return whether the version has such a relation
     * @throws io.tidemark.core.error.TidemarkException {@code STATE_MISSING}, {@code STATE_CORRUPT}
     */
    public boolean registerState(
            Engine engine,
            String relation,
            CatalogVersion version,
            String name,
            StructType columns,
            Optional<String> fileColumn) {
        throw new UnsupportedOperationException();
    }

    /** Begins the state of the next version, with all relations of the base. */
    public StateDraft draftState(CatalogVersion base) {
        throw new UnsupportedOperationException();
    }

    /** Forgets a relation that this class registered. */
    public static void drop(Engine engine, String relation) {
        throw new UnsupportedOperationException();
    }
}
