package io.tidemark.delta.storage;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
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
     * <p>When it fails, the file may or may not exist, but whichever it is stays: a failed creation must not take effect
     * after this method has thrown. The committer relies on it to tell "failed" from "committed" by a look.
     *
     * @return whether this call created the file
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
}
