package io.tidemark.delta.cache;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.SeekableInput;
import io.tidemark.delta.storage.StagedFile;
import io.tidemark.delta.storage.Storage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A folder of the local disk that is reached by names that no engine understands; it counts and breaks transfers. */
final class FarStorage implements Storage {
    private static final String SCHEME = "far://";

    private final Storage disk = new LocalStorage();
    private final Path folder;
    private final List<String> downloads = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger tornDownloads = new AtomicInteger();
    private volatile String refusedUpload = "none";

    FarStorage(Path folder) {
        this.folder = folder;
    }

    /** The names of the files that were downloaded so far. */
    List<String> downloads() {
        return List.copyOf(downloads);
    }

    /** Cuts the next downloads short. */
    void tearDownloads(int count) {
        tornDownloads.set(count);
    }

    /** Fails the upload of a name that contains a text. */
    void refuseUpload(String name) {
        refusedUpload = name;
    }

    private String place(String path) {
        return folder.resolve(path.substring(SCHEME.length())).toString();
    }

    @Override
    public void download(String path, Path target) {
        downloads.add(path.substring(path.lastIndexOf('/') + 1));
        if (tornDownloads.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            byte[] content = disk.read(place(path));
            disk.write(target.toString(), java.util.Arrays.copyOf(content, content.length / 2));
            return;
        }
        disk.download(place(path), target);
    }

    @Override
    public void upload(Path source, String path) {
        if (path.contains(refusedUpload)) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "refused " + path).build();
        }
        disk.upload(source, place(path));
    }

    @Override
    public String canonical(String location) {
        return location;
    }

    @Override
    public String resolve(String folder, String logPath) {
        return child(folder, logPath);
    }

    @Override
    public SeekableInput open(String path) {
        return disk.open(place(path));
    }

    @Override
    public List<FileInfo> list(String folder, String fromName) {
        return disk.list(place(folder), fromName);
    }

    @Override
    public List<String> folders(String folder) {
        return disk.folders(place(folder));
    }

    @Override
    public Optional<FileInfo> info(String path) {
        return disk.info(place(path));
    }

    @Override
    public boolean exists(String path) {
        return disk.exists(place(path));
    }

    @Override
    public boolean isFolder(String path) {
        return disk.isFolder(place(path));
    }

    @Override
    public StagedFile stage(String path) {
        return disk.stage(place(path));
    }

    @Override
    public void createFolders(String folder) {
        disk.createFolders(place(folder));
    }

    @Override
    public boolean delete(String path) {
        return disk.delete(place(path));
    }

    @Override
    public void deleteFolder(String folder) {
        disk.deleteFolder(place(folder));
    }
}
