package io.tidemark.delta.cache;

import io.tidemark.delta.storage.StorageErrors;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of one user of a cache. A lock that the system takes back when a process ends tells whether the user is
 * alive; the folders of dead ones are deleted.
 */
final class CacheSession implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CacheSession.class);
    private static final String SUFFIX = ".lock";
    /** Sessions of this process: to open and close their lock files a second time would give the locks up. */
    private static final Set<String> OWN = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final Path lockFile;
    private final FileChannel channel;

    private CacheSession(Path folder, Path lockFile, FileChannel channel) {
        this.folder = folder;
        this.lockFile = lockFile;
        this.channel = channel;
    }

    static CacheSession open(Path sessions) {
        try {
            Files.createDirectories(sessions);
            clean(sessions);
            while (true) {
                CacheSession session = tryOpen(sessions, UUID.randomUUID().toString());
                if (session != null) {
                    return session;
                }
            }
        } catch (IOException e) {
            throw StorageErrors.translate(e, "use the cache folder", sessions.toString());
        }
    }

    /** Null if somebody who cleans up took the fresh lock file for a left one. */
    private static @Nullable CacheSession tryOpen(Path sessions, String id) throws IOException {
        OWN.add(id);
        Path lockFile = sessions.resolve(id + SUFFIX);
        FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock();
        if (lock == null || !Files.exists(lockFile)) {
            channel.close();
            return null;
        }
        return new CacheSession(Files.createDirectories(sessions.resolve(id)), lockFile, channel);
    }

    private static void clean(Path sessions) throws IOException {
        List<Path> lockFiles;
        try (Stream<Path> paths = Files.list(sessions)) {
            lockFiles = paths.filter(path -> path.toString().endsWith(SUFFIX)).toList();
        }
        for (Path lockFile : lockFiles) {
            String name = lockFile.getFileName().toString();
            String id = name.substring(0, name.length() - SUFFIX.length());
            if (!OWN.contains(id)) {
                cleanIfDead(lockFile, sessions.resolve(id));
            }
        }
    }

    private static void cleanIfDead(Path lockFile, Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.WRITE)) {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                LocalFolders.delete(folder);
                Files.deleteIfExists(lockFile);
            }
        } catch (NoSuchFileException e) {
            // it ended by itself
            LOG.trace("{} is gone", lockFile, e);
        }
    }

    Path folder() {
        return folder;
    }

    @Override
    public void close() {
        LocalFolders.delete(folder);
        try {
            Files.deleteIfExists(lockFile);
            channel.close();
        } catch (IOException e) {
            LOG.debug("{} stays behind", lockFile, e);
        }
    }
}
