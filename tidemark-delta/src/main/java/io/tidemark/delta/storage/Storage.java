package io.tidemark.delta.storage;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/**
 * The files of tables. Everything that the transaction layer reads or writes goes through here.
 *
 * <p>Failures are {@link TidemarkException}s that name the path: {@link ErrorCode#FILE_NOT_FOUND},
 * {@link ErrorCode#PERMISSION_DENIED}, {@link ErrorCode#DISK_FULL}, {@link ErrorCode#INTERRUPTED} or
 * {@link ErrorCode#IO_FAILED}. Paths are texts whose separator is {@code /}. Implementations are safe for use by many
 * threads.
 */
public interface Storage {
    /** The absolute form of a location that a user gave; equal locations give equal texts. */
    String canonical(String location);

    /**
     * Resolves a path as a Delta log writes it: percent-encoded, relative to a table or an absolute URI. A URI that
     * this storage cannot serve is returned unchanged, and fails when it is used.
     *
     * @param folder a canonical location
     * @param logPath the path of a data file, deletion vector or change file as in the log
     */
    String resolve(String folder, String logPath);

    /** The path of a child of a folder, by plain name. */
    default String child(String folder, String name) {
        return folder.endsWith("/") ? folder + name : folder + "/" + name;
    }

    /** Opens a file for reading. */
    SeekableInput open(String path);

    /** Reads a whole file. */
    default byte[] read(String path) {
        try (SeekableInput input = open(path)) {
            return input.readAllBytes();
        } catch (IOException e) {
            throw StorageErrors.translate(e, "read", path);
        }
    }

    /** Reads a part of a file; the file must be long enough. */
    default byte[] read(String path, long offset, int length) {
        try (SeekableInput input = open(path)) {
            input.seek(offset);
            byte[] bytes = input.readNBytes(length);
            if (bytes.length != length) {
                throw new IOException(
                        "the file ends after " + (offset + bytes.length) + " bytes, expected " + (offset + length));
            }
            return bytes;
        } catch (IOException e) {
            throw StorageErrors.translate(e, "read", path);
        }
    }

    /**
     * What tells files of this storage from files of the same path elsewhere, for example the address of a server;
     * empty where a path says all.
     */
    default String origin() {
        return "";
    }

    /** Copies a whole file to a new file of the local disk. */
    default void download(String path, Path target) {
        try (InputStream input = open(path);
                OutputStream output = Files.newOutputStream(target, StandardOpenOption.CREATE_NEW)) {
            input.transferTo(output);
        } catch (IOException e) {
            throw StorageErrors.translate(e, "copy", path);
        }
    }

    /** Copies a whole file of the local disk to a name that no other writer uses; its folder must exist. */
    default void upload(Path source, String path) {
        try (InputStream input = Files.newInputStream(source);
                StagedFile file = stage(path)) {
            input.transferTo(file);
            file.publish();
        } catch (IOException e) {
            throw StorageErrors.translate(e, "write", path);
        }
    }

    /**
     * As {@link #upload}, and the local file goes. Where it lies on the disk of this storage nothing is copied.
     */
    default void moveIn(Path source, String path) {
        upload(source, path);
        try {
            Files.deleteIfExists(source);
        } catch (IOException e) {
            throw StorageErrors.translate(e, "delete", source.toString());
        }
    }

    /** A folder as one of the local disk, on which a file can be written that is moved in later; nothing elsewhere. */
    default Optional<Path> localFolder(String folder) {
        return Optional.empty();
    }

    /**
     * Lists the files of a folder, without its sub-folders, whose name is equal to or after a name in order of UTF-8
     * bytes, in that order. A folder that does not exist has no files.
     */
    List<FileInfo> list(String folder, String fromName);

    /** The names of a folder's sub-folders, in no particular order; none if it does not exist. */
    List<String> folders(String folder);

    /**
     * Makes sure that a finished file, which another program may have written, outlives a loss of power. Does nothing
     * where every finished file does, nor for a file that is not there.
     */
    default void makeDurable(String path) {}

    /** What is known about a file, or nothing if it does not exist or is a folder. */
    Optional<FileInfo> info(String path);

    /** Whether there is a file or folder. */
    boolean exists(String path);

    /** Whether there is a folder. */
    boolean isFolder(String path);

    /** Begins a file; its folder must exist. */
    StagedFile stage(String path);

    /**
     * Creates a file with a content in one step, unless there is a file of that name: the primitive that gives a
     * version of a table to exactly one writer.
     *
     * <p>When it fails, the file may or may not exist, but whichever it is stays: a failed creation does not take effect
     * after this method has thrown. The committer relies on it to tell "failed" from "committed" by a look. A storage
     * that cannot promise this of a failure, since its request may still be on the way, throws
     * {@link ErrorCode#WRITE_OUTCOME_UNKNOWN} for it: then a look at a missing file proves nothing. A file that a crash
     * left in the middle of its creation, if that is possible, must not begin with its first byte, so that nobody takes
     * it for whole.
     *
     * @return whether this call created the file, be it by a request whose answer was lost
     */
    default boolean createIfAbsent(String path, byte[] content) {
        try (StagedFile file = stage(path)) {
            file.write(content);
            return file.publishIfAbsent();
        } catch (IOException e) {
            throw StorageErrors.translate(e, "create", path);
        }
    }

    /** Writes a file, in place of a file of that name. For names that no other writer uses. */
    default void write(String path, byte[] content) {
        try (StagedFile file = stage(path)) {
            file.write(content);
            file.publish();
        } catch (IOException e) {
            throw StorageErrors.translate(e, "write", path);
        }
    }

    /** Creates a folder and its parents, where they are missing. */
    void createFolders(String folder);

    /**
     * Deletes a file or an empty folder.
     *
     * @return whether it was there
     */
    boolean delete(String path);

    /** Deletes a folder with all that is in it; does nothing if it does not exist. */
    void deleteFolder(String folder);
}
