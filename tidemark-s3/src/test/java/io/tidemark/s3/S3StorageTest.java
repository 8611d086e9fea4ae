package io.tidemark.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.SeekableInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is special to object stores; what all storages have in common is checked elsewhere. */
class S3StorageTest {
    private static final int PART_BYTES = 5 * 1024 * 1024;
    /** More than one page of a listing holds. */
    private static final int MANY = 1_003;

    private static S3Server server;
    private static S3Storage storage;

    @TempDir
    Path scratch;

    @BeforeAll
    static void startServer() {
        server = S3Server.start();
        storage = new S3Storage(server.settings(), PART_BYTES);
    }

    @AfterAll
    static void stopServer() {
        storage.close();
        server.close();
    }

    @Test
    void givesOneSpellingToEachLocation() {
        for (String spelled : List.of("s3://b/x/y", "s3a://b/x/y/", "S3://b//x/y", "s3n://b/x//y//")) {
            assertThat(storage.canonical(spelled)).isEqualTo("s3://b/x/y");
        }
        assertThat(storage.canonical("s3://b/")).isEqualTo("s3://b");
        for (String wrong : List.of("s3://", "/x", "s3://b/../x", "gs://b/x")) {
            assertThat(fault(() -> storage.canonical(wrong)).render()).contains(wrong);
        }
    }

    @Test
    void resolvesPathsOfTheLog() {
        assertThat(storage.resolve("s3://b/t", "p=a%20b/%25x.parquet")).isEqualTo("s3://b/t/p=a b/%x.parquet");
        assertThat(storage.resolve("s3://b/t", "s3a://c/d/x%20y")).isEqualTo("s3://c/d/x y");
        assertThat(storage.resolve("s3://b/t", "not encoded")).isEqualTo("s3://b/t/not encoded");
        assertThat(storage.resolve("s3://b/t", "hdfs://host/x")).isEqualTo("hdfs://host/x");
        assertThat(storage.resolve("s3://b/t", "file:/x")).isEqualTo("file:/x");
    }

    @Test
    void listsMoreThanOnePageFromANameOn() {
        String folder = server.root() + "/many";
        IntStream.range(0, MANY).parallel().forEach(i -> storage.write(folder + "/%05d".formatted(i), new byte[0]));
        assertThat(storage.list(folder, "")).hasSize(MANY);
        assertThat(storage.list(folder, "00999"))
                .extracting(FileInfo::name)
                .containsExactly("00999", "01000", "01001", "01002");
        assertThat(storage.list(folder, "01002.")).isEmpty();
        storage.deleteFolder(folder);
        assertThat(storage.isFolder(folder)).isFalse();
    }

    @Test
    void sendsLargeFilesInParts() throws IOException {
        byte[] content = new byte[2 * PART_BYTES + 12_345];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i * 31 + i / 1000);
        }
        String path = server.root() + "/large/file";
        Path source = Files.write(scratch.resolve("source"), content);
        storage.upload(source, path);
        storage.download(path, scratch.resolve("target"));
        assertThat(scratch.resolve("target")).hasSameBinaryContentAs(source);
        assertThat(storage.info(path).orElseThrow().size()).isEqualTo(content.length);
        assertThat(storage.read(path)).isEqualTo(content);
        assertThat(storage.read(path, PART_BYTES - 5, 10))
                .isEqualTo(java.util.Arrays.copyOfRange(content, PART_BYTES - 5, PART_BYTES + 5));
        try (SeekableInput input = storage.open(path)) {
            for (int position : new int[] {content.length - 1, 0, 131_071, 131_072, 5_000_000, 4_999_999}) {
                input.seek(position);
                assertThat((byte) input.read()).isEqualTo(content[position]);
            }
        }
    }

    @Test
    void noticesThatAFileChangesWhileItIsRead() throws IOException {
        String path = server.root() + "/changing";
        storage.write(path, new byte[200_000]);
        try (SeekableInput input = storage.open(path)) {
            storage.write(path, new byte[200_001]);
            input.seek(199_999);
            assertThat(catchThrowableOfType(IOException.class, input::read)).hasMessageContaining("412");
        }
    }

    @Test
    void saysWhatIsWrongWithTheStore() {
        TidemarkException bucket = fault(() -> storage.list("s3://no-such-bucket/x", ""));
        assertThat(bucket.code()).isEqualTo(ErrorCode.FILE_NOT_FOUND);
        assertThat(bucket.render())
                .contains("no-such-bucket")
                .contains(server.endpoint().toString());

        String secret = System.setProperty("aws.secretAccessKey", "wrong");
        try (S3Storage stranger = new S3Storage(server.settings())) {
            TidemarkException refused = fault(() -> stranger.list(server.root(), ""));
            assertThat(refused.code()).isEqualTo(ErrorCode.PERMISSION_DENIED);
            assertThat(refused.render()).contains("AWS_SECRET_ACCESS_KEY").contains(server.root());
        } finally {
            System.setProperty("aws.secretAccessKey", String.valueOf(secret));
        }
    }

    @Test
    void saysThatNobodyAnswers() throws IOException {
        int port;
        try (java.net.ServerSocket socket = new java.net.ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        try (S3Storage nobody = new S3Storage(S3Server.settings(java.net.URI.create("http://127.0.0.1:" + port)))) {
            TidemarkException error = fault(() -> nobody.list("s3://bucket/x", ""));
            assertThat(error.code()).isEqualTo(ErrorCode.IO_FAILED);
            assertThat(error.render()).contains("127.0.0.1:" + port).contains("--s3-endpoint");
        }
    }

    @Test
    void takesTheEndpointFromTheEnvironment() {
        S3Settings both = S3Settings.fromEnvironment(
                Map.of("AWS_ENDPOINT_URL", "http://a:1", "AWS_ENDPOINT_URL_S3", "http://b:2"));
        assertThat(both.endpoint()).hasValue(java.net.URI.create("http://b:2"));
        assertThat(S3Settings.fromEnvironment(Map.of("AWS_ENDPOINT_URL", "http://a:1"))
                        .endpoint())
                .hasValue(java.net.URI.create("http://a:1"));
        assertThat(S3Settings.fromEnvironment(Map.of()).endpoint()).isEmpty();
        assertThat(fault(() -> S3Settings.fromEnvironment(Map.of("AWS_ENDPOINT_URL", "localhost")))
                        .code())
                .isEqualTo(ErrorCode.INVALID_SETTING);
    }

    private static TidemarkException fault(ThrowingCallable work) {
        TidemarkException fault = catchThrowableOfType(TidemarkException.class, work);
        assertThat(fault).isNotNull();
        return fault;
    }
}
