package io.tidemark.delta.history;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.SeekableInput;
import io.tidemark.delta.storage.StagedFile;
import io.tidemark.delta.storage.Storage;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Files in memory; each access is a step of an {@link Interleaving}. Time passes with the accesses. */
final class SimulatedStorage implements Storage {
    private final Interleaving interleaving;
    private final Map<String, Content> files = new TreeMap<>();
    private final Instant start = Instant.now();
    private long accesses;

    private static final class Content {
        private final byte[] bytes;
        private final Instant modified;

        Content(byte[] bytes, Instant modified) {
            this.bytes = bytes;
            this.modified = modified;
        }

        byte[] bytes() {
            return bytes;
        }

        Instant modified() {
            return modified;
        }
    }

    SimulatedStorage(Interleaving interleaving) {
        this.interleaving = interleaving;
    }

    private void step() {
        interleaving.pause();
        accesses++;
    }

    @Override
    public String canonical(String location) {
        return location;
    }

    @Override
    public String resolve(String folder, String logPath) {
        return logPath.startsWith("/") ? logPath : child(folder, logPath);
    }

    @Override
    public SeekableInput open(String path) {
        step();
        Content content = files.get(path);
        if (content == null) {
            throw TidemarkException.of(ErrorCode.FILE_NOT_FOUND, "no file " + path)
                    .build();
        }
        return new BytesInput(content.bytes());
    }

    @Override
    public List<FileInfo> list(String folder, String fromName) {
        step();
        String prefix = folder + "/";
        List<FileInfo> found = new ArrayList<>();
        files.forEach((path, content) -> {
            String name = path.substring(path.lastIndexOf('/') + 1);
            if (path.equals(prefix + name) && name.compareTo(fromName) >= 0) {
                found.add(new FileInfo(path, name, content.bytes().length, content.modified()));
            }
        });
        return found;
    }

    @Override
    public List<String> folders(String folder) {
        return List.of();
    }

    @Override
    public Optional<FileInfo> info(String path) {
        step();
        return Optional.ofNullable(files.get(path))
                .map(content -> new FileInfo(
                        path, path.substring(path.lastIndexOf('/') + 1), content.bytes().length, content.modified()));
    }

    @Override
    public boolean exists(String path) {
        step();
        return files.containsKey(path) || isFolder(path);
    }

    @Override
    public boolean isFolder(String path) {
        return files.keySet().stream().anyMatch(file -> file.startsWith(path + "/"));
    }

    @Override
    public StagedFile stage(String path) {
        step();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        return new StagedFile() {
            @Override
            public long position() {
                return bytes.size();
            }

            @Override
            public void write(int value) {
                bytes.write(value);
            }

            @Override
            public boolean publishIfAbsent() {
                step();
                return files.putIfAbsent(path, content(bytes.toByteArray())) == null;
            }

            @Override
            public void publish() {
                step();
                files.put(path, content(bytes.toByteArray()));
            }
        };
    }

    private Content content(byte[] bytes) {
        return new Content(bytes, start.plusMillis(accesses));
    }

    @Override
    public void createFolders(String folder) {
        step();
    }

    @Override
    public boolean delete(String path) {
        step();
        return files.remove(path) != null;
    }

    @Override
    public void deleteFolder(String folder) {
        step();
        files.keySet().removeIf(path -> path.startsWith(folder + "/"));
    }

    /** The text of a file, to look at when a test fails. */
    String text(String path) {
        Content content = files.get(path);
        return content == null ? "" : new String(content.bytes(), StandardCharsets.UTF_8);
    }
}
