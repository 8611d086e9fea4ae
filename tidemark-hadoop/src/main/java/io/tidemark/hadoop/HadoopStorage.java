package io.tidemark.hadoop;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.SeekableInput;
import io.tidemark.delta.storage.StagedFile;
import io.tidemark.delta.storage.Storage;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/**
 * Files of HDFS, named by URIs: {@code hdfs://host:port/path}, {@code hdfs://nameservice/path},
 * {@code hdfs:///path} or {@code viewfs://…}.
 *
 * <p>A file gets its name by a move that never replaces another file, which the name node does as one step. Hadoop has
 * the same call for other file systems, most of which look first and move then; so these are refused.
 */
public final class HadoopStorage implements Storage {
    private static final Set<String> SCHEMES = Set.of("hdfs", "viewfs");
    private static final Comparator<FileInfo> BY_NAME_BYTES = (left, right) -> Arrays.compareUnsigned(
            left.name().getBytes(StandardCharsets.UTF_8), right.name().getBytes(StandardCharsets.UTF_8));

    private final Configuration configuration;
    private final HadoopStagedFile.Renaming renaming;
    private final Map<String, FileContext> contexts = new ConcurrentHashMap<>();

    /** File systems by a configuration. */
    public HadoopStorage(Configuration configuration) {
        this(configuration, FileContext::rename);
    }

    /** With what tests do to the request that gives files their names. */
    HadoopStorage(Configuration configuration, HadoopStagedFile.Renaming renaming) {
        this.configuration = configuration;
        this.renaming = renaming;
    }

    /**
     * File systems as {@code core-site.xml} and {@code hdfs-site.xml} describe them, on the class path or in a folder.
     *
     * @param configurationFolder the folder, as {@code HADOOP_CONF_DIR} names it; empty if there is none
     */
    public static HadoopStorage configuredBy(Optional<String> configurationFolder) {
        Configuration configuration = new Configuration();
        configurationFolder.ifPresent(folder -> {
            for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
                File file = new File(folder, name);
                if (file.isFile()) {
                    configuration.addResource(new Path(file.toURI()));
                }
            }
        });
        return new HadoopStorage(configuration);
    }

    /** Whether a location is of this kind. */
    public static boolean serves(String location) {
        return SCHEMES.contains(scheme(location));
    }

    private static String scheme(String location) {
        int end = location.indexOf(':');
        return end < 0 ? "" : location.substring(0, end).toLowerCase(Locale.ROOT);
    }

    private Path path(String text) {
        if (!serves(text)) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "not a path of HDFS: " + text)
                    .detail("It should be hdfs://host/folder.")
                    .build();
        }
        try {
            return withHost(new Path(text));
        } catch (IllegalArgumentException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "not a path of HDFS: " + text)
                    .cause(e)
                    .build();
        }
    }

    /** A path without host means the host of the configuration. */
    private Path withHost(Path path) {
        URI said = path.toUri();
        if (said.getAuthority() != null) {
            return path;
        }
        URI usual = FileSystem.getDefaultUri(configuration);
        if (usual.getAuthority() == null || !said.getScheme().equalsIgnoreCase(usual.getScheme())) {
            throw unusable(path, "It names no host, and no configuration does", null);
        }
        return new Path(said.getScheme(), usual.getAuthority(), said.getPath());
    }

    private FileContext files(Path path) {
        URI uri = path.toUri();
        String key = uri.getScheme() + "://" + uri.getAuthority();
        FileContext known = contexts.get(key);
        if (known != null) {
            return known;
        }
        try {
            FileContext opened = FileContext.getFileContext(uri, configuration);
            contexts.put(key, opened);
            return opened;
        } catch (UnsupportedFileSystemException | RuntimeException e) {
            throw unusable(path, String.valueOf(e.getMessage()), e);
        }
    }

    private static TidemarkException unusable(Path path, String why, @Nullable Exception cause) {
        TidemarkException.Builder error = TidemarkException.of(
                        ErrorCode.IO_FAILED, "the file system of " + path + " cannot be used")
                .detail(why + ".")
                .hint("name the host, hdfs://host:port/folder, or set HADOOP_CONF_DIR to a folder with"
                        + " core-site.xml and hdfs-site.xml");
        return cause == null ? error.build() : error.cause(cause).build();
    }

    @Override
    public String canonical(String location) {
        Path path = path(location);
        for (String part : path.toUri().getPath().split("/", -1)) {
            if (part.equals("..") || part.equals(".")) {
                throw TidemarkException.of(ErrorCode.IO_FAILED, "not an absolute path of HDFS: " + location)
                        .build();
            }
        }
        return path.toString();
    }

    @Override
    public String resolve(String folder, String logPath) {
        URI uri;
        try {
            uri = new URI(logPath);
        } catch (URISyntaxException e) {
            // Some writers do not encode; the text itself is then the name.
            return serves(logPath) ? canonical(logPath) : child(folder, logPath);
        }
        if (serves(logPath) && uri.getPath() != null) {
            String authority = uri.getAuthority() == null ? "" : uri.getAuthority();
            return canonical(uri.getScheme() + "://" + authority + uri.getPath());
        }
        if (uri.getScheme() != null || logPath.startsWith("/")) {
            return logPath;
        }
        return child(folder, uri.getPath());
    }

    @Override
    public SeekableInput open(String text) {
        Path path = path(text);
        try {
            FileContext files = files(path);
            long length = files.getFileStatus(path).getLen();
            FSDataInputStream stream = files.open(path);
            return new HadoopInput(stream, length);
        } catch (IOException e) {
            throw HadoopErrors.translate(e, "read", text);
        }
    }

    @Override
    public List<FileInfo> list(String folder, String fromName) {
        byte[] from = fromName.getBytes(StandardCharsets.UTF_8);
        String parent = path(folder).toString();
        List<FileInfo> found = new ArrayList<>();
        for (FileStatus status : children(folder)) {
            String name = status.getPath().getName();
            if (status.isFile() && Arrays.compareUnsigned(name.getBytes(StandardCharsets.UTF_8), from) >= 0) {
                found.add(info(child(parent, name), status));
            }
        }
        found.sort(BY_NAME_BYTES);
        return List.copyOf(found);
    }

    @Override
    public List<String> folders(String folder) {
        return children(folder).stream()
                .filter(FileStatus::isDirectory)
                .map(status -> status.getPath().getName())
                .toList();
    }

    private List<FileStatus> children(String folder) {
        Path path = path(folder);
        List<FileStatus> children = new ArrayList<>();
        try {
            FileContext files = files(path);
            if (!files.getFileStatus(path).isDirectory()) {
                return List.of();
            }
            RemoteIterator<FileStatus> iterator = files.listStatus(path);
            while (iterator.hasNext()) {
                children.add(iterator.next());
            }
        } catch (FileNotFoundException | ParentNotDirectoryException e) {
            return List.of();
        } catch (IOException e) {
            throw HadoopErrors.translate(e, "list", folder);
        }
        return children;
    }

    /** The path is the one that was asked for: file systems add ports, and resolve names of services and mounts. */
    private static FileInfo info(String path, FileStatus status) {
        return new FileInfo(
                path,
                path.substring(path.lastIndexOf('/') + 1),
                status.getLen(),
                Instant.ofEpochMilli(status.getModificationTime()));
    }

    @Override
    public Optional<FileInfo> info(String text) {
        String path = path(text).toString();
        return status(text).filter(FileStatus::isFile).map(status -> info(path, status));
    }

    @Override
    public boolean exists(String text) {
        return status(text).isPresent();
    }

    @Override
    public boolean isFolder(String text) {
        return status(text).filter(FileStatus::isDirectory).isPresent();
    }

    private Optional<FileStatus> status(String text) {
        Path path = path(text);
        try {
            return Optional.of(files(path).getFileStatus(path));
        } catch (FileNotFoundException | ParentNotDirectoryException e) {
            return Optional.empty();
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).contains("(is not a directory)")) {
                return Optional.empty();
            }
            throw HadoopErrors.translate(e, "look at", text);
        }
    }

    @Override
    public StagedFile stage(String text) {
        Path path = path(text);
        try {
            return new HadoopStagedFile(files(path), path, renaming);
        } catch (IOException e) {
            throw HadoopErrors.translate(e, "create", text);
        }
    }

    @Override
    public void createFolders(String folder) {
        Path path = path(folder);
        try {
            files(path).mkdir(path, FsPermission.getDirDefault(), true);
        } catch (IOException e) {
            throw HadoopErrors.translate(e, "create", folder);
        }
    }

    @Override
    public boolean delete(String text) {
        return delete(text, false);
    }

    @Override
    public void deleteFolder(String folder) {
        delete(folder, true);
    }

    private boolean delete(String text, boolean recursive) {
        Path path = path(text);
        try {
            return files(path).delete(path, recursive);
        } catch (FileNotFoundException | ParentNotDirectoryException e) {
            return false;
        } catch (IOException e) {
            throw HadoopErrors.translate(e, "delete", text);
        }
    }
}
