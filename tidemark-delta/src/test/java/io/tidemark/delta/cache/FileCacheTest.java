package io.tidemark.delta.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.engine.FileScan.DataFile;
import io.tidemark.core.engine.RemoteFiles.LocalCopies;
import io.tidemark.core.engine.RowPositions;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileCacheTest {
    private static final int BYTES = 1_000;

    @TempDir
    Path scratch;

    private FarStorage storage;
    private FileCache cache;

    @BeforeEach
    void open() throws IOException {
        Files.createDirectories(scratch.resolve("store/t"));
        storage = new FarStorage(scratch.resolve("store"));
        cache = cache(3 * BYTES);
    }

    @AfterEach
    void close() {
        cache.close();
    }

    private FileCache cache(long limit) {
        return new FileCache(scratch.resolve("cache"), limit, location -> storage);
    }

    private DataFile file(String name) throws IOException {
        byte[] content = new byte[BYTES];
        java.util.Arrays.fill(content, (byte) name.charAt(0));
        Files.write(scratch.resolve("store/t").resolve(name), content);
        return at(name, BYTES);
    }

    private static DataFile at(String name, long size) {
        return new DataFile("far://t/" + name, size, Map.of(), RowPositions.NONE);
    }

    private static void use(FileCache cache, DataFile... files) throws IOException {
        try (LocalCopies copies = cache.copies(List.of(files))) {
            copies.fetch(() -> {});
            check(copies, files);
        }
    }

    private static void check(LocalCopies copies, DataFile... files) throws IOException {
        for (int i = 0; i < files.length; i++) {
            String name = files[i].location().substring("far://t/".length());
            assertThat(Files.readAllBytes(Path.of(copies.paths().get(i))))
                    .hasSize(BYTES)
                    .containsOnly((byte) name.charAt(0));
        }
    }

    @Test
    void copiesAFileOnce() throws IOException {
        DataFile a = file("a");
        use(cache, a);
        use(cache, a, a);
        assertThat(storage.downloads()).containsExactly("a");
    }

    @Test
    void copiesNothingBeforeItIsAskedTo() throws IOException {
        try (LocalCopies copies = cache.copies(List.of(file("a")))) {
            assertThat(copies.paths()).hasSize(1);
            assertThat(storage.downloads()).isEmpty();
        }
    }

    @Test
    void leavesLocalFilesWhereTheyAre() throws IOException {
        Path local = Files.write(scratch.resolve("local.parquet"), new byte[3]);
        DataFile file = new DataFile(local.toString(), 3, Map.of(), RowPositions.NONE);
        try (LocalCopies copies = cache.copies(List.of(file, file("a")))) {
            copies.fetch(() -> {});
            assertThat(copies.paths().get(0)).isEqualTo(local.toString());
        }
        assertThat(local).exists();
        assertThat(storage.downloads()).containsExactly("a");
    }

    @Test
    void dropsWhatWasNotUsedForLongest() throws IOException {
        DataFile a = file("a");
        DataFile b = file("b");
        use(cache, a);
        use(cache, b);
        age("b");
        use(cache, file("c"), file("d"));
        assertThat(cache.bytes()).hasValue(3 * BYTES);
        use(cache, a);
        assertThat(storage.downloads()).containsExactlyInAnyOrder("a", "b", "c", "d");
        use(cache, b);
        assertThat(storage.downloads()).containsExactlyInAnyOrder("a", "b", "c", "d", "b");
        assertThat(cache.bytes()).hasValue(3 * BYTES);
    }

    /** Makes a copy look as if it was used long ago, whatever the clock's steps are. */
    private void age(String name) throws IOException {
        try (Stream<Path> files = Files.list(scratch.resolve("cache/files"))) {
            for (Path path : files.toList()) {
                if (Files.readAllBytes(path)[0] == name.charAt(0)) {
                    Files.setLastModifiedTime(path, java.nio.file.attribute.FileTime.fromMillis(0));
                }
            }
        }
    }

    @Test
    void keepsWhatIsInUseAndShrinksAfterwards() throws IOException {
        List<DataFile> files = new ArrayList<>();
        for (char name = 'a'; name < 'k'; name++) {
            files.add(file(String.valueOf(name)));
        }
        DataFile[] all = files.toArray(DataFile[]::new);
        try (LocalCopies copies = cache.copies(files)) {
            copies.fetch(() -> {});
            use(cache, file("y"));
            try (FileCache other = cache(0)) {
                // Another user of the folder makes room for its own files.
                use(other, file("z"));
            }
            check(copies, all);
            assertThat(cache.bytes().orElseThrow()).isGreaterThanOrEqualTo(10L * BYTES);
            use(cache, all);
            assertThat(storage.downloads()).hasSize(12);
        }
        assertThat(cache.bytes().orElseThrow()).isLessThanOrEqualTo(3L * BYTES);
    }

    @Test
    void readersKeepTheirCopyWhenItsNameGoes() throws IOException {
        DataFile a = file("a");
        try (LocalCopies copies = cache.copies(List.of(a))) {
            copies.fetch(() -> {});
            try (Stream<Path> files = Files.list(scratch.resolve("cache/files"))) {
                for (Path path : files.toList()) {
                    Files.delete(path);
                }
            }
            check(copies, a);
        }
    }

    @Test
    void beginsATornDownloadAnew() throws IOException {
        storage.tearDownloads(2);
        use(cache, file("a"));
        assertThat(storage.downloads()).hasSize(3);
    }

    @Test
    void neverKeepsATornDownload() throws IOException {
        DataFile a = file("a");
        storage.tearDownloads(3);
        TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> use(cache, a));
        assertThat(error.code()).isEqualTo(ErrorCode.FILE_UNREADABLE);
        assertThat(error.render()).contains("far://t/a").contains("500").contains("1000");
        use(cache, a);
        assertThat(storage.downloads()).hasSize(4);
    }

    @Test
    void replacesACopyThatWasDamaged() throws IOException {
        DataFile a = file("a");
        use(cache, a);
        try (Stream<Path> files = Files.list(scratch.resolve("cache/files"))) {
            Files.write(files.findFirst().orElseThrow(), new byte[7]);
        }
        use(cache, a);
        assertThat(storage.downloads()).containsExactly("a", "a");
    }

    @Test
    void looksForTheSizeIfTheLogDoesNotTell() throws IOException {
        file("a");
        use(cache, at("a", 0));
        assertThat(storage.downloads()).containsExactly("a");
    }

    @Test
    void saysThatAFileIsGone() {
        for (long size : new long[] {0, BYTES}) {
            TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> use(cache, at("gone", size)));
            assertThat(error.code()).isEqualTo(ErrorCode.DATA_FILE_MISSING);
            assertThat(error.render()).contains("far://t/gone");
        }
    }

    @Test
    void stopsWhenItIsToldTo() throws IOException {
        List<DataFile> files = List.of(file("a"), file("b"));
        try (LocalCopies copies = cache.copies(files)) {
            assertThatThrownBy(() -> copies.fetch(() -> {
                        throw new IllegalStateException("stop");
                    }))
                    .hasMessage("stop");
            copies.fetch(() -> {});
            check(copies, files.toArray(DataFile[]::new));
        }
    }

    @Test
    void storesWrittenFilesAndKeepsThemAtHand() throws IOException {
        Path staging = Path.of(cache.stagingFolder());
        Files.createDirectories(staging.resolve("p=1"));
        Files.write(staging.resolve("p=1/a"), new byte[] {1, 2, 3});
        Files.write(staging.resolve("b"), new byte[] {4});
        cache.store(staging.toString(), List.of("p=1/a", "b"), "far://t/sub");
        assertThat(scratch.resolve("store/t/sub/p=1/a")).hasBinaryContent(new byte[] {1, 2, 3});
        assertThat(scratch.resolve("store/t/sub/b")).hasBinaryContent(new byte[] {4});
        assertThat(staging).doesNotExist();
        try (LocalCopies copies = cache.copies(List.of(at("sub/p=1/a", 3)))) {
            copies.fetch(() -> {});
            assertThat(Path.of(copies.paths().get(0))).hasBinaryContent(new byte[] {1, 2, 3});
        }
        assertThat(storage.downloads()).isEmpty();
    }

    @Test
    void leavesNothingBehindWhenAFileCannotBeStored() throws IOException {
        Path staging = Path.of(cache.stagingFolder());
        for (String name : List.of("a", "b", "c", "bad", "d")) {
            Files.write(staging.resolve(name), new byte[] {1});
        }
        storage.refuseUpload("bad");
        TidemarkException error = catchThrowableOfType(
                TidemarkException.class,
                () -> cache.store(staging.toString(), List.of("a", "b", "c", "bad", "d"), "far://t"));
        assertThat(error.code()).isEqualTo(ErrorCode.IO_FAILED);
        assertThat(staging).doesNotExist();
        try (Stream<Path> left = Files.list(scratch.resolve("store/t"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void cleansUpAfterDeadProcessesOnly() throws Exception {
        Path sessions = scratch.resolve("cache/sessions");
        DataFile a = file("a");
        try (LocalCopies copies = cache.copies(List.of(a))) {
            copies.fetch(() -> {});
            Process other = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Killed.class.getName(),
                            scratch.resolve("cache").toString())
                    .start();
            assertThat(other.getInputStream().read()).isEqualTo('!');
            try (FileCache third = cache(0)) {
                use(third, file("b"));
                // Both live: the other process and the cache of this test.
                assertThat(count(sessions, ".lock")).isEqualTo(3);
            }
            other.destroyForcibly().waitFor();
            try (FileCache third = cache(0)) {
                use(third, file("b"));
                assertThat(count(sessions, ".lock")).isEqualTo(2);
                assertThat(count(sessions, "")).isEqualTo(4);
            }
            check(copies, a);
        }
    }

    /** A process that uses the cache until it is killed. */
    static final class Killed {
        private Killed() {}

        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            FileCache cache = new FileCache(folder, 0, location -> new FarStorage(folder));
            cache.stagingFolder();
            System.out.write('!');
            System.out.flush();
            Thread.sleep(600_000);
        }
    }

    private static long count(Path folder, String suffix) throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.filter(path -> path.toString().endsWith(suffix)).count();
        }
    }
}
