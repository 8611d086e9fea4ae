package io.tidemark.delta;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.SeekableInput;
import io.tidemark.delta.storage.StagedFile;
import io.tidemark.delta.storage.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The local disk with one failure: the operation of a given number fails, before or after it took effect. */
final class FaultyStorage implements Storage {
    private final Storage inner = new LocalStorage();
    private final List<String> operations = new ArrayList<>();
    private int failAt = -1;
    private int failuresLeft;
    private boolean afterDoingIt;

    /** Arms the failure. */
    void failAt(int operation, boolean after, int times) {
        operations.clear();
        failAt = operation;
        afterDoingIt = after;
        failuresLeft = times;
    }

    /** Disarms it. */
    void heal() {
        failAt = -1;
    }

    List<String> operations() {
        return operations;
    }

    private <T> T run(String operation, Supplier<T> work) {
        boolean fails = failAt >= 0 && operations.size() >= failAt && failuresLeft > 0;
        operations.add(operation);
        if (!fails) {
            return work.get();
        }
        failuresLeft--;
        Optional<T> done = afterDoingIt ? Optional.of(work.get()) : Optional.empty();
        throw TidemarkException.of(
                        ErrorCode.IO_FAILED, "injected failure in " + operation + ", done: " + done.isPresent())
                .build();
    }

    @Override
    public String canonical(String location) {
        return inner.canonical(location);
    }

    @Override
    public String resolve(String folder, String logPath) {
        return inner.resolve(folder, logPath);
    }

    @Override
    public SeekableInput open(String path) {
        return run("open " + path, () -> inner.open(path));
    }

    @Override
    public List<FileInfo> list(String folder, String fromName) {
        return run("list " + folder, () -> inner.list(folder, fromName));
    }

    @Override
    public List<String> folders(String folder) {
        return run("folders " + folder, () -> inner.folders(folder));
    }

    @Override
    public Optional<FileInfo> info(String path) {
        return run("info " + path, () -> inner.info(path));
    }

    @Override
    public boolean exists(String path) {
        return run("exists " + path, () -> inner.exists(path));
    }

    @Override
    public boolean isFolder(String path) {
        return run("isFolder " + path, () -> inner.isFolder(path));
    }

    @Override
    public StagedFile stage(String path) {
        return run("stage " + path, () -> inner.stage(path));
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) {
        return run("createIfAbsent " + path, () -> inner.createIfAbsent(path, content));
    }

    @Override
    public void write(String path, byte[] content) {
        run("write " + path, () -> {
            inner.write(path, content);
            return path;
        });
    }

    @Override
    public void createFolders(String folder) {
        run("createFolders " + folder, () -> {
            inner.createFolders(folder);
            return folder;
        });
    }

    @Override
    public void makeDurable(String path) {
        run("makeDurable " + path, () -> {
            inner.makeDurable(path);
            return path;
        });
    }

    @Override
    public boolean delete(String path) {
        return run("delete " + path, () -> inner.delete(path));
    }

    @Override
    public void deleteFolder(String folder) {
        run("deleteFolder " + folder, () -> {
            inner.deleteFolder(folder);
            return folder;
        });
    }
}
