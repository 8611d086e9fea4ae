package io.tidemark.delta.kernel;

import io.delta.kernel.defaults.engine.fileio.FileIO;
import io.delta.kernel.defaults.engine.fileio.InputFile;
import io.delta.kernel.defaults.engine.fileio.OutputFile;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.log.LogListing;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.Storage;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Lets Kernel reach files through our storage only, so that no Hadoop file system takes part. */
final class StorageFileIO implements FileIO {
    private final Storage storage;
    private final BooleanSupplier mayPublish;

    StorageFileIO(Storage storage) {
        this(storage, () -> true);
    }

    /** With a test that is asked before a file that Kernel closes gets its final name. */
    StorageFileIO(Storage storage, BooleanSupplier mayPublish) {
        this.storage = storage;
        this.mayPublish = mayPublish;
    }

    @Override
    public CloseableIterator<FileStatus> listFrom(String filePath) throws IOException {
        int slash = filePath.lastIndexOf('/');
        String folder = filePath.substring(0, Math.max(slash, 1));
        if (!storage.isFolder(folder)) {
            throw new FileNotFoundException(folder);
        }
        List<FileStatus> files = LogListing.list(storage, folder, filePath.substring(slash + 1)).stream()
                .map(StorageFileIO::status)
                .toList();
        return Utils.toCloseableIterator(files.iterator());
    }

    @Override
    public FileStatus getFileStatus(String path) throws IOException {
        return status(storage.info(path).orElseThrow(() -> new FileNotFoundException(path)));
    }

    @Override
    public String resolvePath(String path) {
        return storage.canonical(path);
    }

    @Override
    public boolean mkdirs(String path) {
        storage.createFolders(path);
        return true;
    }

    @Override
    public InputFile newInputFile(String path, long fileSize) {
        return new StorageInputFile(storage, path);
    }

    @Override
    public OutputFile newOutputFile(String path) {
        return new StorageOutputFile(storage, path, mayPublish);
    }

    @Override
    public boolean delete(String path) {
        return storage.delete(path);
    }

    @Override
    public Optional<String> getConf(String name) {
        return Optional.empty();
    }

    @Override
    public void copyFileAtomically(String source, String target, boolean overwrite) throws IOException {
        byte[] content = storage.read(source);
        if (overwrite) {
            storage.write(target, content);
        } else if (!storage.createIfAbsent(target, content)) {
            throw new java.nio.file.FileAlreadyExistsException(target);
        }
    }

    /** What Kernel expects of a file that is missing; it asks for some files without knowing whether they exist. */
    static IOException asKernelExpects(TidemarkException e, String path) {
        if (e.code() == ErrorCode.FILE_NOT_FOUND) {
            FileNotFoundException missing = new FileNotFoundException(path);
            missing.initCause(e);
            return missing;
        }
        throw e;
    }

    private static FileStatus status(FileInfo file) {
        return FileStatus.of(file.path(), file.size(), file.modified().toEpochMilli());
    }
}
