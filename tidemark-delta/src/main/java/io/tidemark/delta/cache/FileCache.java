package io.tidemark.delta.cache;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.RemoteFiles;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.storage.StorageErrors;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder of local copies that stays below a limit; what was not used for longest goes first. Several processes may
 * share it.
 *
 * <p>A file of the cache comes into being by a link from a finished, checked copy, so that there never is half a file. A
 * user of a copy reads it through a link of its own in its session's folder: the copy stays for it whoever cleans up,
 * and the number of links tells everybody that the copy is in use. Copies in use are not counted out, so a scan that is
 * larger than the limit exceeds it while it runs. What a killed process leaves behind is cleaned by the next one.
 */
public final class FileCache implements RemoteFiles, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FileCache.class);
    private static final int DOWNLOADS_AT_ONCE = 4;
    private static final int DOWNLOAD_ATTEMPTS = 3;

    private final Path files;
    private final Path sessions;
    private final long limitBytes;
    private final Function<String, Storage> storages;
    private final AtomicLong counter = new AtomicLong();
    private @Nullable CacheSession session;

    /**
     * A cache, which touches the disk when it is first used.
     *
     * @param folder where the copies are
     * @param limitBytes how many bytes of copies may stay while nobody uses them
     * @param storages which storage serves a location
     */
    public FileCache(Path folder, long limitBytes, Function<String, Storage> storages) {
        if (limitBytes < 0) {
            throw TidemarkException.of(ErrorCode.INVALID_SETTING, "a cache limit of " + limitBytes + " bytes")
                    .hint("give 0 or more bytes")
                    .build();
        }
        this.files = folder.toAbsolutePath().resolve("files");
        this.sessions = folder.toAbsolutePath().resolve("sessions");
        this.limitBytes = limitBytes;
        this.storages = storages;
    }

    @Override
    public boolean isRemote(String location) {
        return location.contains("://") && !location.toLowerCase(Locale.ROOT).startsWith("file:");
    }

    @Override
    public LocalCopies copies(List<FileScan.DataFile> wanted) {
        return new Copies(wanted);
    }

    @Override
    public String stagingFolder() {
        return freshFolder("write").toString();
    }

    @Override
    public void store(String stagingFolder, List<String> names, String directory) {
        Path folder = Path.of(stagingFolder);
        Storage storage = storages.apply(directory);
        List<String> stored = Collections.synchronizedList(new ArrayList<>());
        try {
            List<Runnable> uploads = new ArrayList<>();
            for (String name : names) {
                uploads.add(() -> {
                    String place = child(storage, directory, name);
                    int slash = place.lastIndexOf('/');
                    storage.createFolders(place.substring(0, slash));
                    stored.add(place);
                    storage.upload(folder.resolve(name), place);
                });
            }
            Parallel.run(uploads, DOWNLOADS_AT_ONCE, () -> {});
            for (String name : names) {
                keep(folder.resolve(name), child(storage, directory, name), storage);
            }
            shrink(0);
        } catch (RuntimeException e) {
            for (String place : stored) {
                deleteRemote(storage, place);
            }
            throw e;
        } finally {
            LocalFolders.delete(folder);
        }
    }

    private static String child(Storage storage, String directory, String name) {
        String place = directory;
        for (String part : name.split("/", -1)) {
            place = storage.child(place, part);
        }
        return place;
    }

    private static void deleteRemote(Storage storage, String place) {
        try {
            storage.delete(place);
        } catch (TidemarkException e) {
            // Nobody names the file; the failure that led here is what counts.
            LOG.debug("unused file {} stays behind", place, e);
        }
    }

    /** A file that was just written is likely to be read next. */
    private void keep(Path written, String location, Storage storage) {
        try {
            Path cached = cached(storage, location, Files.size(written));
            Files.createDirectories(files);
            Files.move(written, cached, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            // It is stored, and can be copied back when it is needed.
            LOG.debug("no local copy of {} is kept", location, e);
        }
    }

    /** The links of one scan. */
    private final class Copies implements LocalCopies {
        private final List<FileScan.DataFile> wanted;
        private final List<String> paths = new ArrayList<>();
        private final @Nullable Path folder;
        private boolean fetched;

        Copies(List<FileScan.DataFile> wanted) {
            this.wanted = wanted;
            boolean remote = wanted.stream().anyMatch(file -> isRemote(file.location()));
            folder = remote ? freshFolder("scan") : null;
            for (int i = 0; i < wanted.size(); i++) {
                String location = wanted.get(i).location();
                paths.add(
                        folder != null && isRemote(location)
                                ? folder.resolve(i + ".parquet").toString()
                                : location);
            }
        }

        @Override
        public List<String> paths() {
            return Collections.unmodifiableList(paths);
        }

        @Override
        public void fetch(Runnable check) {
            if (fetched || folder == null) {
                return;
            }
            List<Runnable> downloads = new ArrayList<>();
            long bytes = 0;
            for (int i = 0; i < wanted.size(); i++) {
                String location = wanted.get(i).location();
                if (!isRemote(location)) {
                    continue;
                }
                Storage storage = storages.apply(location);
                long size = size(storage, wanted.get(i));
                Path link = Path.of(paths.get(i));
                if (!Files.exists(link) && !linkCached(storage, location, size, link)) {
                    bytes += size;
                    downloads.add(() -> download(storage, location, size, link));
                }
            }
            if (!downloads.isEmpty()) {
                shrink(bytes);
                Parallel.run(downloads, DOWNLOADS_AT_ONCE, check);
            }
            fetched = true;
        }

        @Override
        public void close() {
            if (folder != null) {
                LocalFolders.delete(folder);
                if (fetched) {
                    shrink(0);
                }
            }
        }
    }

    /** Logs need not tell the size of a file that is no longer part of the table. */
    private static long size(Storage storage, FileScan.DataFile file) {
        return file.sizeBytes() > 0
                ? file.sizeBytes()
                : storage.info(file.location()).map(FileInfo::size).orElseThrow(() -> missing(file.location(), null));
    }

    /** False if there is no copy. */
    private boolean linkCached(Storage storage, String location, long size, Path link) {
        Path cached = cached(storage, location, size);
        try {
            if (Files.size(cached) != size) {
                Files.deleteIfExists(cached);
                return false;
            }
            link(link, cached);
            Files.setLastModifiedTime(cached, FileTime.from(Instant.now()));
            return true;
        } catch (NoSuchFileException e) {
            // Nobody has copied it yet, or another process has just made room. The link, if it was made, is good.
            return Files.exists(link);
        } catch (IOException e) {
            throw StorageErrors.translate(e, "use", cached.toString());
        }
    }

    private void download(Storage storage, String location, long size, Path link) {
        Path part = link.resolveSibling(link.getFileName() + ".part");
        for (int attempt = 1; !copy(storage, location, size, part, attempt == DOWNLOAD_ATTEMPTS); attempt++) {
            LOG.warn("the copy of {} broke off and begins anew", location);
        }
        try {
            try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.move(part, link, StandardCopyOption.ATOMIC_MOVE);
            Files.createDirectories(files);
            link(cached(storage, location, size), link);
        } catch (FileAlreadyExistsException e) {
            // Another process has copied the file at the same time.
            LOG.trace("{} was copied twice", location, e);
        } catch (IOException e) {
            throw StorageErrors.translate(e, "copy", location);
        }
    }

    /** False if the copy has another size than the log says. */
    private static boolean copy(Storage storage, String location, long size, Path part, boolean last) {
        try {
            Files.deleteIfExists(part);
            storage.download(location, part);
            long copied = Files.size(part);
            if (copied != size && last) {
                throw TidemarkException.of(ErrorCode.FILE_UNREADABLE, "file " + location + " cannot be read")
                        .detail("It has " + copied + " bytes, but the table's log says " + size + ".")
                        .hint("one of the table's files was changed after it was written; restore it from a copy")
                        .build();
            }
            return copied == size;
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.FILE_NOT_FOUND) {
                throw missing(location, e);
            }
            if (e.code() == ErrorCode.IO_FAILED && !last) {
                return false;
            }
            throw e;
        } catch (IOException e) {
            throw StorageErrors.translate(e, "copy", location);
        }
    }

    private static TidemarkException missing(String location, @Nullable TidemarkException cause) {
        TidemarkException.Builder error = TidemarkException.of(
                        ErrorCode.DATA_FILE_MISSING, "data file " + location + " is not there")
                .hint("The table's log names it: was the folder cleaned by hand, or the file vacuumed too early?");
        return cause == null ? error.build() : error.cause(cause).build();
    }

    private static void link(Path link, Path existing) throws IOException {
        try {
            Files.createLink(link, existing);
        } catch (UnsupportedOperationException e) {
            Files.copy(existing, link);
        }
    }

    private Path cached(Storage storage, String location, long size) {
        String key = storage.origin() + "\n" + location + "\n" + size;
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return files.resolve(HexFormat.of().formatHex(digest) + ".parquet");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Makes room for some bytes, as far as copies are not in use. */
    private synchronized void shrink(long incoming) {
        List<CachedFile> known = CachedFile.list(files);
        long total = known.stream().mapToLong(CachedFile::size).sum();
        for (CachedFile file : known) {
            if (total + incoming <= limitBytes) {
                return;
            }
            if (!file.inUse() && file.delete()) {
                total -= file.size();
            }
        }
    }

    /** How many bytes of copies there are, in use or not. */
    public OptionalLong bytes() {
        return Files.isDirectory(files)
                ? OptionalLong.of(CachedFile.list(files).stream()
                        .mapToLong(CachedFile::size)
                        .sum())
                : OptionalLong.empty();
    }

    private synchronized Path freshFolder(String purpose) {
        CacheSession open = session;
        if (open == null) {
            open = CacheSession.open(sessions);
            session = open;
        }
        Path folder = open.folder().resolve(purpose + "-" + counter.incrementAndGet());
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw StorageErrors.translate(e, "create", Objects.toString(folder));
        }
    }

    /** Gives up all links. Copies stay for later, within the limit. */
    @Override
    public synchronized void close() {
        CacheSession open = session;
        session = null;
        if (open != null) {
            open.close();
            shrink(0);
        }
    }
}
