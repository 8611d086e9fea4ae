package io.tidemark.delta.storage;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A temporary file beside its final name. */
final class LocalStagedFile extends StagedFile {
    private static final Logger LOG = LoggerFactory.getLogger(LocalStagedFile.class);
    private static final int BUFFER_BYTES = 64 * 1024;

    private final Path target;
    private final Path temporary;
    private final FileChannel channel;
    private final OutputStream stream;
    private long position;
    private boolean closed;

    LocalStagedFile(Path path) throws IOException {
        target = path.toAbsolutePath();
        temporary = target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
        channel = FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        stream = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void write(int value) throws IOException {
        stream.write(value);
        position++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        stream.write(bytes, offset, length);
        position += length;
    }

    @Override
    public void flush() throws IOException {
        stream.flush();
    }

    @Override
    public boolean publishIfAbsent() {
        try {
            finishTemporary();
            boolean created = linkToTarget();
            if (created) {
                synchroniseFolder(target.getParent());
            }
            return created;
        } catch (IOException e) {
            throw StorageErrors.translate(e, "create", target.toString());
        }
    }

    @Override
    public void publish() {
        try {
            finishTemporary();
            // Replacing is the purpose here, so a rename is right: readers see the old or the new content.
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            synchroniseFolder(target.getParent());
        } catch (IOException e) {
            throw StorageErrors.translate(e, "write", target.toString());
        }
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        channel.close();
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            // Only a leftover; what was asked for is done or has failed with its own error.
            LOG.debug("temporary file {} stays behind", temporary, e);
        }
    }

    private void finishTemporary() throws IOException {
        stream.flush();
        channel.force(true);
    }

    private boolean linkToTarget() throws IOException {
        try {
            Files.createLink(target, temporary);
            return true;
        } catch (FileAlreadyExistsException e) {
            // A network file system may carry out a link, lose the answer and then see its own repetition fail.
            return Files.isSameFile(temporary, target);
        } catch (UnsupportedOperationException e) {
            return copyToTarget();
        } catch (AccessDeniedException | NoSuchFileException e) {
            throw e;
        } catch (FileSystemException e) {
            if (!isLinkUnsupported(e)) {
                throw e;
            }
            return copyToTarget();
        }
    }

    private static boolean isLinkUnsupported(FileSystemException e) {
        String reason = e.getReason();
        return reason != null
                && (reason.contains("not permitted")
                        || reason.contains("not supported")
                        || reason.contains("not implemented")
                        || reason.contains("Too many links"));
    }

    private boolean copyToTarget() throws IOException {
        return copyExclusively(temporary, target);
    }

    /**
     * For file systems without hard links, such as FAT. Still exclusive. The first byte is written last, so that no
     * program takes the file for whole that a crash leaves in the middle: neither a JSON nor a Parquet file begins with
     * a zero. After any other failure the file is not there.
     */
    static boolean copyExclusively(Path source, Path target) throws IOException {
        try (FileChannel output = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            try (FileChannel input = FileChannel.open(source, StandardOpenOption.READ)) {
                long size = input.size();
                output.position(Math.min(1, size));
                for (long copied = output.position(); copied < size; ) {
                    copied += input.transferTo(copied, size - copied, output);
                }
                output.force(true);
                output.position(0);
                input.transferTo(0, Math.min(1, size), output);
                output.force(true);
                return true;
            } catch (IOException e) {
                deleteAfter(e, target);
                throw e;
            }
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    private static void deleteAfter(IOException failure, Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Makes the names in a folder durable, where the system can. */
    static void synchroniseFolder(@Nullable Path folder) throws IOException {
        if (folder == null) {
            return;
        }
        FileChannel channel;
        try {
            channel = FileChannel.open(folder, StandardOpenOption.READ);
        } catch (IOException e) {
            // Not every system opens folders; those that do not keep names without being asked.
            LOG.trace("folder {} cannot be opened", folder, e);
            return;
        }
        try (channel) {
            channel.force(true);
        }
    }
}
