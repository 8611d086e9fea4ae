package io.tidemark.compile.catalog;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.StagedFile;
import io.tidemark.delta.storage.Storage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files of large payloads, in the folder {@value #FOLDER} of the catalog: named by the SHA-256 of their content, so
 * that equal payloads share one and writing one again changes nothing. The name's underscore keeps VACUUM away, of
 * whichever program.
 */
final class PayloadFiles {
    static final String FOLDER = "_payloads";

    /** Folder of files that are being written. */
    static final String INCOMING = "incoming";

    /** Digits of a name that make the name of its folder, so that no folder gets too many files. */
    private static final int FOLDER_DIGITS = 2;

    private final Storage storage;
    private final String location;
    private final Set<String> folders = ConcurrentHashMap.newKeySet();

    PayloadFiles(Storage storage, String location) {
        this.storage = storage;
        this.location = location;
    }

    /** The path within the catalog of the file for a content. */
    static String handle(String sha256) {
        return FOLDER + "/" + sha256.substring(0, FOLDER_DIGITS) + "/" + sha256;
    }

    /** The full path of a file. */
    String path(String handle) {
        return storage.child(location, handle);
    }

    /**
     * Where a file is written whose name is not known yet: on the catalog's own disk, if that is a local one, so that it is
     * written once. What a crash leaves there is as old as other files that nobody names, and goes with them.
     *
     * @param scratch where it is written else
     */
    Path spoolFolder(Path scratch) {
        String folder = path(FOLDER + "/" + INCOMING);
        Optional<Path> local = storage.localFolder(folder);
        if (local.isPresent() && folders.add(INCOMING)) {
            storage.createFolders(folder);
        }
        return local.orElse(scratch);
    }

    /** Moves a finished local file to its place, unless a file of its content is there. */
    void put(Path source, String handle, long size) {
        if (isThere(handle, size)) {
            return;
        }
        createFolder(handle);
        storage.moveIn(source, path(handle));
    }

    boolean isThere(String handle, long size) {
        return storage.info(path(handle)).filter(file -> file.size() == size).isPresent();
    }

    private void createFolder(String handle) {
        String folder = handle.substring(0, handle.lastIndexOf('/'));
        if (folders.add(folder)) {
            storage.createFolders(path(folder));
        }
    }

    /**
     * Makes sure that a file which a commit is about to name is there and will stay: one that lay around unused for long
     * is written anew, since the garbage collection may be about to take it.
     *
     * @param young files that are younger than this are safe
     */
    void secure(String handle, long size, Duration young) {
        Optional<FileInfo> file = storage.info(path(handle));
        if (file.isEmpty() || file.get().size() != size) {
            throw TidemarkException.of(
                            ErrorCode.CORRUPT_PAYLOAD,
                            "the payload file " + path(handle) + " is "
                                    + (file.isEmpty()
                                            ? "not there"
                                            : "of " + file.get().size() + " bytes instead of " + size))
                    .hint("stage the payload again, with a stager of this catalog")
                    .build();
        }
        if (file.get().modified().isBefore(Instant.now().minus(young))) {
            try (InputStream input = storage.open(path(handle));
                    StagedFile copy = storage.stage(path(handle))) {
                input.transferTo(copy);
                copy.publish();
            } catch (IOException e) {
                throw TidemarkException.of(
                                ErrorCode.IO_FAILED, "the payload file " + path(handle) + " cannot be copied")
                        .cause(e)
                        .build();
            }
        }
    }

    InputStream open(PartitionMeta meta, String handle) {
        try {
            return storage.open(path(handle));
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.FILE_NOT_FOUND) {
                throw corrupt(meta, "its file " + path(handle) + " is not there", e);
            }
            throw e;
        }
    }

    static TidemarkException corrupt(PartitionMeta meta, String why, TidemarkException cause) {
        return corruption(meta, why).cause(cause).build();
    }

    static TidemarkException corrupt(PartitionMeta meta, String why) {
        return corruption(meta, why).build();
    }

    private static TidemarkException.Builder corruption(PartitionMeta meta, String why) {
        return TidemarkException.of(
                        ErrorCode.CORRUPT_PAYLOAD,
                        "the payload of partition " + meta.layer() + "/" + meta.partition() + " is not what version "
                                + meta.version() + " published")
                .detail("The reason: " + why + ".")
                .hint(
                        "restore the catalog's files from a copy, or publish the partition again; 'tidemark catalog verify' "
                                + "lists all damaged payloads");
    }
}
