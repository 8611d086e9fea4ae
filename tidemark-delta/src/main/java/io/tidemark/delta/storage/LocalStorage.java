package io.tidemark.delta.storage;

import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Files on a local disk, named by plain paths or {@code file:} URIs.
 *
 * <p>A file comes into being by a hard link from a finished, synchronised temporary file: the link fails if the name
 * is taken, on every local file system and between processes, which a rename does not promise. Temporary files are
 * named {@code .<name>.<random>.tmp}; a crash can leave one behind, which no reader looks at.
 */
public final class LocalStorage implements Storage {
    private static final String FILE_SCHEME = "file:";
    private static final Comparator<FileInfo> BY_NAME_BYTES = (left, right) -> Arrays.compareUnsigned(
            left.name().getBytes(StandardCharsets.UTF_8), right.name().getBytes(StandardCharsets.UTF_8));

    /** The local disk. */
    public LocalStorage() {}

    @Override
    public String canonical(String location) {
        String text = pathOf(location).toAbsolutePath().normalize().toString().replace('\\', '/');
        return text.length() > 1 && text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    @Override
    public String resolve(String folder, String logPath) {
        URI uri;
        try {
            uri = new URI(logPath);
        } catch (URISyntaxException e) {
            // Some writers do not encode; the text itself is then the name.
            return logPath.startsWith("/") ? logPath : child(folder, logPath);
        }
        if (uri.getScheme() != null && !uri.getScheme().equalsIgnoreCase("file")) {
            return logPath;
        }
        String path = uri.getPath() == null ? uri.getSchemeSpecificPart() : uri.getPath();
        return path.startsWith("/") ? path : child(folder, path);
    }

    @Override
    public SeekableInput open(String path) {
        try {
            return new LocalInput(pathOf(path));
        } catch (IOException e) {
            throw StorageErrors.translate(e, "read", path);
        }
    }

    @Override
    public List<FileInfo> list(String folder, String fromName) {
        byte[] from = fromName.getBytes(StandardCharsets.UTF_8);
        List<FileInfo> files = new ArrayList<>();
        try (Stream<Path> children = Files.list(pathOf(folder))) {
            for (Path child : (Iterable<Path>) children::iterator) {
                String name = child.getFileName().toString();
                if (Arrays.compareUnsigned(name.getBytes(StandardCharsets.UTF_8), from) >= 0) {
                    // A file may go away between the listing and the look at it.
                    info(child.toString()).ifPresent(files::add);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        } catch (IOException e) {
            throw StorageErrors.translate(e, "list", folder);
        } catch (UncheckedIOException e) {
            throw StorageErrors.translate(new IOException(e), "list", folder);
        }
        files.sort(BY_NAME_BYTES);
        return List.copyOf(files);
    }

    @Override
    public List<String> folders(String folder) {
        List<String> names = new ArrayList<>();
        try (Stream<Path> children = Files.list(pathOf(folder))) {
            children.filter(Files::isDirectory)
                    .forEach(child -> names.add(child.getFileName().toString()));
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        } catch (IOException e) {
            throw StorageErrors.translate(e, "list", folder);
        }
        return List.copyOf(names);
    }

    @Override
    public void makeDurable(String path) {
        Path file = pathOf(path);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        } catch (NoSuchFileException e) {
            return;
        } catch (IOException e) {
            throw StorageErrors.translate(e, "synchronise", path);
        }
        try {
            LocalStagedFile.synchroniseFolder(file.toAbsolutePath().getParent());
        } catch (IOException e) {
            throw StorageErrors.translate(e, "synchronise", path);
        }
    }

    @Override
    public Optional<FileInfo> info(String path) {
        Path file = pathOf(path);
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            if (attributes.isDirectory()) {
                return Optional.empty();
            }
            String name = file.getFileName().toString();
            return Optional.of(new FileInfo(
                    canonical(path),
                    name,
                    attributes.size(),
                    attributes.lastModifiedTime().toInstant()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (FileSystemException e) {
            if ("Not a directory".equals(e.getReason())) {
                return Optional.empty();
            }
            throw StorageErrors.translate(e, "look at", path);
        } catch (IOException e) {
            throw StorageErrors.translate(e, "look at", path);
        }
    }

    @Override
    public boolean exists(String path) {
        return Files.exists(pathOf(path));
    }

    @Override
    public boolean isFolder(String path) {
        return Files.isDirectory(pathOf(path));
    }

    @Override
    public StagedFile stage(String path) {
        try {
            return new LocalStagedFile(pathOf(path));
        } catch (IOException e) {
            throw StorageErrors.translate(e, "create", path);
        } catch (ReadOnlyFileSystemException e) {
            throw StorageErrors.readOnly(e, "create", path);
        }
    }

    @Override
    public void moveIn(Path source, String path) {
        Path target = pathOf(path);
        try {
            try (FileChannel channel = FileChannel.open(source, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.move(source, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            LocalStagedFile.synchroniseFolder(target.toAbsolutePath().getParent());
        } catch (AtomicMoveNotSupportedException e) {
            // The file is on another disk.
            Storage.super.moveIn(source, path);
        } catch (IOException e) {
            throw StorageErrors.translate(e, "write", path);
        }
    }

    @Override
    public Optional<Path> localFolder(String folder) {
        return Optional.of(pathOf(folder));
    }

    @Override
    public void createFolders(String folder) {
        try {
            Path path = pathOf(folder);
            if (Files.isDirectory(path)) {
                return;
            }
            Files.createDirectories(path);
            LocalStagedFile.synchroniseFolder(path.toAbsolutePath().getParent());
        } catch (FileAlreadyExistsException e) {
            throw StorageErrors.translate(
                    new FileSystemException(folder, null, "a file has this name"), "create", folder);
        } catch (IOException e) {
            throw StorageErrors.translate(e, "create", folder);
        }
    }

    @Override
    public boolean delete(String path) {
        try {
            return Files.deleteIfExists(pathOf(path));
        } catch (DirectoryNotEmptyException e) {
            throw StorageErrors.translate(
                    new FileSystemException(path, null, "the folder is not empty"), "delete", path);
        } catch (IOException e) {
            throw StorageErrors.translate(e, "delete", path);
        }
    }

    @Override
    public void deleteFolder(String folder) {
        // A walk does not follow links: what they lead to is not part of the folder.
        try (Stream<Path> paths = Files.walk(pathOf(folder))) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException e) {
            return;
        } catch (IOException e) {
            throw StorageErrors.translate(e, "delete", folder);
        } catch (UncheckedIOException e) {
            throw StorageErrors.translate(new IOException(e), "delete", folder);
        }
    }

    /** The path of a text that is a plain path or a {@code file:} URI. */
    static Path pathOf(String text) throws TidemarkException {
        try {
            if (text.toLowerCase(Locale.ROOT).startsWith(FILE_SCHEME)) {
                String path = new URI(text.replace(" ", "%20")).getPath();
                return Path.of(path == null ? text.substring(FILE_SCHEME.length()) : path);
            }
            if (text.contains("://")) {
                throw StorageErrors.badPath(text, new IllegalArgumentException("another storage's URI"));
            }
            return Path.of(text);
        } catch (InvalidPathException | URISyntaxException e) {
            throw StorageErrors.badPath(text, e);
        }
    }
}
