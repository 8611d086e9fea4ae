package io.tidemark.s3;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.SeekableInput;
import io.tidemark.delta.storage.StagedFile;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.storage.StorageErrors;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Objects of an S3-compatible store, named {@code s3://bucket/key}; {@code s3a://} means the same. Folders are what keys
 * have in common up to a slash, and exist as long as there are objects in them.
 *
 * <p>An object is whole and durable as soon as a request to write it has succeeded. One of several writers gets a name by
 * a conditional PUT. Since some stores ignore the condition, or check it some time before they write, each bucket is
 * tested before this process first writes to it ({@link StoreProbe}).
 */
public final class S3Storage implements Storage, AutoCloseable {
    private static final Comparator<FileInfo> BY_NAME_BYTES = (left, right) -> Arrays.compareUnsigned(
            left.name().getBytes(StandardCharsets.UTF_8), right.name().getBytes(StandardCharsets.UTF_8));
    private static final int DELETED_AT_ONCE_MAX = 1000;
    private static final int PART_BYTES_DEFAULT = 64 * 1024 * 1024;

    private final S3Connection connection;
    private final S3Errors errors;
    private final StoreProbe probe;
    private final PartUpload uploads;

    /** The store that the settings name. Nothing is sent before a file is asked for. */
    public S3Storage(S3Settings settings) {
        this(settings, PART_BYTES_DEFAULT);
    }

    /** With the size of the parts in which large files are sent, and with what tests do to requests. */
    S3Storage(S3Settings settings, int partBytes, ExecutionInterceptor... interceptors) {
        connection = S3Connection.open(settings, interceptors);
        errors = connection.errors();
        probe = new StoreProbe(connection);
        uploads = new PartUpload(connection, partBytes);
    }

    /** Whether a location is of this kind. */
    public static boolean serves(String location) {
        return S3Path.matches(location);
    }

    @Override
    public String canonical(String location) {
        return S3Path.parse(location).toString();
    }

    @Override
    public String resolve(String folder, String logPath) {
        URI uri;
        try {
            uri = new URI(logPath);
        } catch (URISyntaxException e) {
            // Some writers do not encode; the text itself is then the name.
            return S3Path.matches(logPath) ? canonical(logPath) : child(folder, logPath);
        }
        if (S3Path.matches(logPath) && uri.getPath() != null) {
            return canonical("s3://" + uri.getAuthority() + uri.getPath());
        }
        if (uri.getScheme() != null || logPath.startsWith("/")) {
            return logPath;
        }
        return child(folder, uri.getPath());
    }

    @Override
    public String origin() {
        return connection.origin();
    }

    @Override
    public SeekableInput open(String path) {
        return S3Input.open(connection, S3Path.parse(path));
    }

    @Override
    public byte[] read(String path, long offset, int length) {
        S3Path object = S3Path.parse(path);
        if (length == 0) {
            return new byte[0];
        }
        try {
            byte[] bytes = connection
                    .repeating()
                    .getObject(range(object, offset, length), ResponseTransformer.toBytes())
                    .asByteArrayUnsafe();
            if (bytes.length != length) {
                throw tooShort(path, offset + bytes.length, offset + length);
            }
            return bytes;
        } catch (S3Exception e) {
            if (e.statusCode() == S3Errors.RANGE_NOT_SATISFIABLE) {
                throw tooShort(path, offset, offset + length);
            }
            throw errors.translate(e, "read", object);
        } catch (SdkException e) {
            throw errors.translate(e, "read", object);
        }
    }

    private static TidemarkException tooShort(String path, long end, long expected) {
        return StorageErrors.translate(
                new IOException("the file ends after " + end + " bytes, expected " + expected), "read", path);
    }

    static GetObjectRequest range(S3Path object, long offset, long length) {
        return GetObjectRequest.builder()
                .bucket(object.bucket())
                .key(object.key())
                .range("bytes=" + offset + "-" + (offset + length - 1))
                .build();
    }

    @Override
    public void download(String path, Path target) {
        S3Path object = S3Path.parse(path);
        try (InputStream input = connection
                        .repeating()
                        .getObject(request -> request.bucket(object.bucket()).key(object.key()));
                var output = Files.newOutputStream(target, StandardOpenOption.CREATE_NEW)) {
            input.transferTo(output);
        } catch (SdkException e) {
            throw errors.translate(e, "copy", object);
        } catch (IOException e) {
            throw StorageErrors.translate(e, "copy", path);
        }
    }

    @Override
    public void upload(Path source, String path) {
        S3Path object = S3Path.parse(path);
        probe.requireSafe(object);
        put(source, object);
    }

    /** Writes an object in place of one of its name. */
    void put(Path source, S3Path object) {
        try {
            uploads.put(source, object);
        } catch (SdkException e) {
            throw errors.translate(e, "write", object);
        } catch (IOException e) {
            throw StorageErrors.translate(e, "write", object.toString());
        }
    }

    /** Creates an object unless there is one of its name. */
    boolean putIfAbsent(ConditionalPut.Content content, S3Path object) {
        return new ConditionalPut(connection, object, content).run();
    }

    @Override
    public StagedFile stage(String path) {
        S3Path object = S3Path.parse(path);
        probe.requireSafe(object);
        try {
            return new S3StagedFile(this, object);
        } catch (IOException e) {
            throw StorageErrors.translate(e, "create a temporary file for", path);
        }
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) {
        S3Path object = S3Path.parse(path);
        probe.requireSafe(object);
        return putIfAbsent(ConditionalPut.of(content), object);
    }

    @Override
    public void write(String path, byte[] content) {
        S3Path object = S3Path.parse(path);
        probe.requireSafe(object);
        try {
            connection
                    .repeating()
                    .putObject(
                            request -> request.bucket(object.bucket()).key(object.key()),
                            RequestBody.fromBytes(content));
        } catch (SdkException e) {
            throw errors.translate(e, "write", object);
        }
    }

    @Override
    public List<FileInfo> list(String folder, String fromName) {
        S3Path parent = S3Path.parse(folder);
        ListObjectsV2Request.Builder request = ListObjectsV2Request.builder()
                .bucket(parent.bucket())
                .prefix(parent.prefix())
                .delimiter("/");
        if (!fromName.isEmpty()) {
            // The store lists what comes after a key; all that lies between a name's beginning and it is left out
            // below.
            int end = fromName.offsetByCodePoints(fromName.length(), -1);
            request.startAfter(parent.prefix() + fromName.substring(0, end));
        }
        byte[] from = fromName.getBytes(StandardCharsets.UTF_8);
        List<FileInfo> files = new ArrayList<>();
        try {
            for (ListObjectsV2Response page : connection.repeating().listObjectsV2Paginator(request.build())) {
                for (S3Object object : page.contents()) {
                    S3Path path = new S3Path(parent.bucket(), object.key());
                    boolean marker = object.key().endsWith("/");
                    if (!marker && Arrays.compareUnsigned(path.name().getBytes(StandardCharsets.UTF_8), from) >= 0) {
                        files.add(new FileInfo(path.toString(), path.name(), object.size(), object.lastModified()));
                    }
                }
            }
        } catch (SdkException e) {
            throw errors.translate(e, "list", parent);
        }
        files.sort(BY_NAME_BYTES);
        return List.copyOf(files);
    }

    @Override
    public List<String> folders(String folder) {
        S3Path parent = S3Path.parse(folder);
        List<String> names = new ArrayList<>();
        try {
            for (ListObjectsV2Response page : connection
                    .repeating()
                    .listObjectsV2Paginator(request -> request.bucket(parent.bucket())
                            .prefix(parent.prefix())
                            .delimiter("/"))) {
                for (CommonPrefix prefix : page.commonPrefixes()) {
                    String name = prefix.prefix().substring(parent.prefix().length());
                    names.add(name.substring(0, name.length() - 1));
                }
            }
        } catch (SdkException e) {
            throw errors.translate(e, "list", parent);
        }
        names.removeIf(String::isEmpty);
        return List.copyOf(names);
    }

    @Override
    public Optional<FileInfo> info(String path) {
        S3Path object = S3Path.parse(path);
        if (object.key().isEmpty()) {
            return Optional.empty();
        }
        try {
            HeadObjectResponse head = connection
                    .repeating()
                    .headObject(request -> request.bucket(object.bucket()).key(object.key()));
            return Optional.of(
                    new FileInfo(object.toString(), object.name(), head.contentLength(), head.lastModified()));
        } catch (S3Exception e) {
            if (e.statusCode() == S3Errors.NOT_FOUND) {
                return Optional.empty();
            }
            throw errors.translate(e, "look at", object);
        } catch (SdkException e) {
            throw errors.translate(e, "look at", object);
        }
    }

    @Override
    public boolean exists(String path) {
        return info(path).isPresent() || isFolder(path);
    }

    @Override
    public boolean isFolder(String path) {
        S3Path folder = S3Path.parse(path);
        try {
            return !connection
                    .repeating()
                    .listObjectsV2(request -> request.bucket(folder.bucket())
                            .prefix(folder.prefix())
                            .maxKeys(1))
                    .contents()
                    .isEmpty();
        } catch (S3Exception e) {
            if (e.statusCode() == S3Errors.NOT_FOUND) {
                return false;
            }
            throw errors.translate(e, "list", folder);
        } catch (SdkException e) {
            throw errors.translate(e, "list", folder);
        }
    }

    /** Does nothing: a folder comes into being with its first object. */
    @Override
    public void createFolders(String folder) {
        S3Path.parse(folder);
    }

    @Override
    public boolean delete(String path) {
        S3Path object = S3Path.parse(path);
        // The store's answer to a deletion does not tell whether there was anything.
        boolean there = info(path).isPresent();
        if (there) {
            delete(object);
        }
        return there;
    }

    private void delete(S3Path object) {
        try {
            connection
                    .repeating()
                    .deleteObject(request -> request.bucket(object.bucket()).key(object.key()));
        } catch (SdkException e) {
            throw errors.translate(e, "delete", object);
        }
    }

    @Override
    public void deleteFolder(String folder) {
        S3Path parent = S3Path.parse(folder);
        if (parent.key().isEmpty()) {
            throw TidemarkException.of(ErrorCode.INTERNAL, "a whole bucket is not deleted: " + parent)
                    .build();
        }
        try {
            List<ObjectIdentifier> keys = new ArrayList<>();
            for (ListObjectsV2Response page : connection
                    .repeating()
                    .listObjectsV2Paginator(
                            request -> request.bucket(parent.bucket()).prefix(parent.prefix()))) {
                page.contents()
                        .forEach(object -> keys.add(
                                ObjectIdentifier.builder().key(object.key()).build()));
            }
            for (int from = 0; from < keys.size(); from += DELETED_AT_ONCE_MAX) {
                deleteAll(parent, keys.subList(from, Math.min(keys.size(), from + DELETED_AT_ONCE_MAX)));
            }
        } catch (SdkException e) {
            throw errors.translate(e, "delete", parent);
        }
    }

    private void deleteAll(S3Path parent, List<ObjectIdentifier> keys) {
        var failed = connection
                .repeating()
                .deleteObjects(request -> request.bucket(parent.bucket())
                        .delete(delete -> delete.objects(keys).quiet(true)))
                .errors();
        if (!failed.isEmpty()) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "cannot delete " + parent)
                    .detail("The store " + connection.origin() + " says of "
                            + failed.get(0).key() + ": " + failed.get(0).code() + ", "
                            + failed.get(0).message() + ".")
                    .build();
        }
    }

    /** Ends the connections. */
    @Override
    public void close() {
        connection.close();
    }
}
