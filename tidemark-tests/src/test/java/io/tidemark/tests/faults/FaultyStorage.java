package io.tidemark.tests.faults;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.SeekableInput;
import io.tidemark.delta.storage.StagedFile;
import io.tidemark.delta.storage.Storage;
import io.tidemark.tests.faults.FaultPlan.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/** The local disk, whose operations fail as a plan says. Whole-file reads and writes consist of their steps. */
final class FaultyStorage implements Storage {
    /** A Parquet file is written in hundreds of steps; failing at the first ones is enough. */
    private static final int COUNTED_WRITES_MAX = 2;

    private final Storage inner = new LocalStorage();
    private FaultPlan plan = FaultPlan.none();

    /** Begins a run. */
    void follow(FaultPlan next) {
        plan = next;
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private <T> T read(String action, String path, Supplier<T> work) {
        return plan.run(Kind.READ, action + " " + last(path), work);
    }

    private <T> T change(String action, String path, Supplier<T> work) {
        return plan.run(Kind.CHANGE, action + " " + last(path), work);
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
        return new Input(read("open", path, () -> inner.open(path)), last(path));
    }

    @Override
    public List<FileInfo> list(String folder, String fromName) {
        return read("list", folder, () -> inner.list(folder, fromName));
    }

    @Override
    public List<String> folders(String folder) {
        return read("folders", folder, () -> inner.folders(folder));
    }

    @Override
    public Optional<FileInfo> info(String path) {
        return read("info", path, () -> inner.info(path));
    }

    @Override
    public boolean exists(String path) {
        return read("exists", path, () -> inner.exists(path));
    }

    @Override
    public boolean isFolder(String path) {
        return read("isFolder", path, () -> inner.isFolder(path));
    }

    @Override
    public StagedFile stage(String path) {
        return new Staged(change("stage", path, () -> inner.stage(path)), path);
    }

    @Override
    public void createFolders(String folder) {
        change("createFolders", folder, () -> {
            inner.createFolders(folder);
            return folder;
        });
    }

    @Override
    public void deleteFolder(String folder) {
        change("deleteFolder", folder, () -> {
            inner.deleteFolder(folder);
            return folder;
        });
    }

    @Override
    public void makeDurable(String path) {
        read("makeDurable", path, () -> {
            inner.makeDurable(path);
            return path;
        });
    }

    @Override
    public boolean delete(String path) {
        return change("delete", path, () -> inner.delete(path));
    }

    /** Streams fail with the exceptions of streams. */
    private static <T> T checked(Supplier<T> work) throws IOException {
        try {
            return work.get();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (TidemarkException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** All reads from one file count as one operation, so that the number of operations stays moderate. */
    private final class Input extends SeekableInput {
        private final SeekableInput file;
        private final String name;
        private boolean counted;

        Input(SeekableInput file, String name) {
            this.file = file;
            this.name = name;
        }

        private void count() throws IOException {
            if (!counted) {
                counted = true;
                checked(() -> plan.run(Kind.READ, "read " + name, () -> name));
            }
        }

        @Override
        public int read() throws IOException {
            count();
            return file.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            count();
            return file.read(bytes, offset, length);
        }

        @Override
        public long position() throws IOException {
            return file.position();
        }

        @Override
        public void seek(long position) throws IOException {
            file.seek(position);
        }

        @Override
        public long length() throws IOException {
            count();
            return file.length();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private final class Staged extends StagedFile {
        private final StagedFile file;
        private final String path;
        private byte[] content = new byte[0];
        private int writes;

        Staged(StagedFile file, String path) {
            this.file = file;
            this.path = path;
        }

        @Override
        public long position() {
            return file.position();
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            content = Arrays.copyOf(content, content.length + length);
            System.arraycopy(bytes, offset, content, content.length - length, length);
            if (writes++ >= COUNTED_WRITES_MAX) {
                put(bytes, offset, length);
                return;
            }
            checked(() -> plan.run(
                    Kind.WRITE,
                    "write " + last(path),
                    () -> put(bytes, offset, length),
                    () -> put(bytes, offset, length / 2)));
        }

        private int put(byte[] bytes, int offset, int length) {
            try {
                file.write(bytes, offset, length);
                return length;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public boolean publishIfAbsent() {
            return plan.run(Kind.WRITE, "publishIfAbsent " + last(path), file::publishIfAbsent, this::leaveHalfBehind);
        }

        @Override
        public void publish() {
            plan.run(
                    Kind.WRITE,
                    "publish " + last(path),
                    () -> {
                        file.publish();
                        return path;
                    },
                    this::leaveHalfBehind);
        }

        /** What a process that dies leaves: half of the bytes under a temporary name. */
        private void leaveHalfBehind() {
            Path target = Path.of(path);
            Path temporary = target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
            try {
                Files.write(temporary, Arrays.copyOf(content, content.length / 2));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            checked(() -> plan.run(Kind.CHANGE, "close " + last(path), () -> {
                try {
                    file.close();
                    return path;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }));
        }
    }
}
