package io.tidemark.hadoop;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.StagedFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.UUID;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Options.CreateOpts;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A temporary file beside its final name.
 *
 * <p>The name node moves it without replacing anything, as one step. When the answer is lost, the temporary file tells
 * what happened, since nobody else knows its name: if it is gone, it was moved. If it is there, it is deleted; after that
 * a request that is still on its way has nothing to move.
 */
final class HadoopStagedFile extends StagedFile {
    private static final Logger LOG = LoggerFactory.getLogger(HadoopStagedFile.class);

    private final FileContext files;
    private final Renaming renaming;
    private final Path target;
    private final Path temporary;
    private final FSDataOutputStream stream;
    private boolean finished;

    /** The request that gives a file its name; tests lose answers of it. */
    @FunctionalInterface
    interface Renaming {
        void rename(FileContext files, Path from, Path to, Rename option) throws IOException;
    }

    HadoopStagedFile(FileContext files, Path target, Renaming renaming) throws IOException {
        this.files = files;
        this.target = target;
        this.renaming = renaming;
        String folder = String.valueOf(target.getParent());
        temporary = new Path((folder.endsWith("/") ? folder : folder + "/") + "." + target.getName() + "."
                + UUID.randomUUID() + ".tmp");
        stream = files.create(temporary, EnumSet.of(CreateFlag.CREATE), CreateOpts.donotCreateParent());
    }

    @Override
    public long position() {
        return stream.getPos();
    }

    @Override
    public void write(int value) throws IOException {
        stream.write(value);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        stream.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
        stream.flush();
    }

    @Override
    public boolean publishIfAbsent() {
        try {
            finish();
        } catch (IOException e) {
            throw HadoopErrors.translate(e, "create", target.toString());
        }
        try {
            renaming.rename(files, temporary, target, Rename.NONE);
            return true;
        } catch (FileAlreadyExistsException e) {
            // The client repeats requests, and may see its own earlier one.
            return lookAfter(e, false);
        } catch (IOException e) {
            return lookAfter(e, true);
        }
    }

    /** Whether the file got its name, although the request to give it reported a failure. */
    private boolean lookAfter(IOException failure, boolean fails) {
        // An interrupt is a reason to stop, but not to leave it open whether the file is there.
        boolean interrupted = Thread.interrupted();
        try {
            if (!deleteTemporary()) {
                LOG.warn("{} was created although its creation reported a failure", target, failure);
                return true;
            }
        } catch (IOException e) {
            failure.addSuppressed(e);
            throw TidemarkException.of(
                            ErrorCode.WRITE_OUTCOME_UNKNOWN, "it is not known whether " + target + " was created")
                    .detail("The file system did not answer for certain: " + failure.getMessage() + ".")
                    .hint("look whether the file is there once the file system answers again")
                    .cause(failure)
                    .build();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (fails) {
            throw HadoopErrors.translate(failure, "create", target.toString());
        }
        return false;
    }

    private boolean deleteTemporary() throws IOException {
        try {
            return files.delete(temporary, false);
        } catch (FileNotFoundException e) {
            LOG.trace("{} is gone", temporary, e);
            return false;
        }
    }

    @Override
    public void publish() {
        try {
            finish();
            renaming.rename(files, temporary, target, Rename.OVERWRITE);
        } catch (IOException e) {
            throw HadoopErrors.translate(e, "write", target.toString());
        }
    }

    private void finish() throws IOException {
        if (!finished) {
            stream.hsync();
            stream.close();
            finished = true;
        }
    }

    @Override
    public void close() {
        try {
            stream.close();
            deleteTemporary();
        } catch (IOException e) {
            // Only a leftover; what was asked for is done or has failed with its own error.
            LOG.debug("temporary file {} stays behind", temporary, e);
        }
    }
}
