package io.tidemark.delta.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalStorageTest {
    private static final int NAMES = 100;

    @TempDir
    Path folder;

    private final LocalStorage storage = new LocalStorage();

    @Test
    void createsAFileOnlyOnce() throws IOException {
        assertThat(storage.createIfAbsent(path("a"), "one".getBytes(UTF_8))).isTrue();
        assertThat(storage.createIfAbsent(path("a"), "two".getBytes(UTF_8))).isFalse();
        assertThat(storage.read(path("a"))).asString(UTF_8).isEqualTo("one");
        assertThat(names()).containsExactly("a");
    }

    @Test
    void copiesExclusivelyWhereThereAreNoLinks() throws IOException {
        Path source = Files.writeString(folder.resolve("source"), "0123456789");
        Path target = folder.resolve("target");
        assertThat(LocalStagedFile.copyExclusively(source, target)).isTrue();
        assertThat(target).hasContent("0123456789");
        Files.writeString(source, "other");
        assertThat(LocalStagedFile.copyExclusively(source, target)).isFalse();
        assertThat(target).hasContent("0123456789");
        Path empty = Files.createFile(folder.resolve("empty"));
        assertThat(LocalStagedFile.copyExclusively(empty, folder.resolve("nothing")))
                .isTrue();
        assertThat(folder.resolve("nothing")).isEmptyFile();
        assertThatThrownBy(() -> LocalStagedFile.copyExclusively(folder.resolve("gone"), folder.resolve("never")))
                .isInstanceOf(FileSystemException.class);
        assertThat(folder.resolve("never")).as("a failure leaves no file").doesNotExist();
    }

    @Test
    void givesEachNameToOneOfManyThreads() throws Exception {
        int threads = 4;
        CountDownLatch start = new CountDownLatch(1);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<List<Integer>>> results = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                Callable<List<Integer>> work = () -> {
                    start.await();
                    return createAll(folder);
                };
                results.add(pool.submit(work));
            }
            start.countDown();
            List<Integer> won = new ArrayList<>();
            for (Future<List<Integer>> result : results) {
                won.addAll(result.get());
            }
            assertThat(won).hasSize(NAMES).doesNotHaveDuplicates();
        } finally {
            pool.shutdownNow();
        }
        assertThat(names()).hasSize(NAMES);
    }

    @Test
    void givesEachNameToOneOfTwoProcesses() throws Exception {
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            processes.add(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Contender.class.getName(),
                            folder.toString())
                    .redirectErrorStream(false)
                    .start());
        }
        // Both wait for this file, so that neither is done before the other has started.
        Files.createFile(folder.resolve("go"));
        List<String> won = new ArrayList<>();
        for (Process process : processes) {
            won.addAll(new String(process.getInputStream().readAllBytes(), UTF_8)
                    .lines()
                    .toList());
            assertThat(process.waitFor()).isZero();
        }
        assertThat(won).hasSize(NAMES).doesNotHaveDuplicates();
    }

    /** Another process that wants the same names. */
    static final class Contender {
        private Contender() {}

        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            while (!Files.exists(folder.resolve("go"))) {
                Thread.sleep(1);
            }
            StringBuilder won = new StringBuilder();
            createAll(folder).forEach(number -> won.append(number).append('\n'));
            System.out.write(won.toString().getBytes(UTF_8));
            System.out.flush();
        }
    }

    private static List<Integer> createAll(Path folder) {
        LocalStorage storage = new LocalStorage();
        List<Integer> won = new ArrayList<>();
        for (int number = 0; number < NAMES; number++) {
            if (storage.createIfAbsent(folder.resolve("n" + number).toString(), new byte[] {1, 2, 3})) {
                won.add(number);
            }
        }
        return won;
    }

    @Test
    void writesInPlaceOfAFile() throws IOException {
        storage.write(path("a"), "long content".getBytes(UTF_8));
        storage.write(path("a"), "short".getBytes(UTF_8));
        assertThat(storage.read(path("a"))).asString(UTF_8).isEqualTo("short");
        assertThat(names()).containsExactly("a");
    }

    @Test
    void discardsWhatWasNotPublished() throws IOException {
        try (StagedFile file = storage.stage(path("a"))) {
            file.write(new byte[10]);
            assertThat(file.position()).isEqualTo(10);
        }
        assertThat(names()).isEmpty();
    }

    @Test
    void listsFilesInOrderOfTheirNamesFromOneOn() throws IOException {
        for (String name : List.of("b", "a", "é", "B", "c")) {
            Files.createFile(folder.resolve(name));
        }
        Files.createDirectory(folder.resolve("d"));
        assertThat(storage.list(folder.toString(), "a"))
                .extracting(FileInfo::name)
                .containsExactly("a", "b", "c", "é");
        assertThat(storage.list(path("missing"), "")).isEmpty();
    }

    @Test
    void readsPartsAndJumps() throws IOException {
        byte[] content = new byte[200_000];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i * 31);
        }
        storage.write(path("a"), content);
        assertThat(storage.read(path("a"))).isEqualTo(content);
        assertThat(storage.read(path("a"), 150_000, 1)[0]).isEqualTo(content[150_000]);
        try (SeekableInput input = storage.open(path("a"))) {
            assertThat(input.length()).isEqualTo(content.length);
            for (int position : new int[] {5, 0, 199_999, 65_536, 65_535, 100}) {
                input.seek(position);
                assertThat(input.position()).isEqualTo(position);
                assertThat((byte) input.read()).isEqualTo(content[position]);
            }
            input.seek(content.length);
            assertThat(input.read()).isEqualTo(-1);
        }
        assertThatThrownBy(() -> storage.read(path("a"), 199_999, 2))
                .isInstanceOfSatisfying(
                        TidemarkException.class,
                        error -> assertThat(error.code()).isEqualTo(ErrorCode.IO_FAILED));
    }

    @Test
    void resolvesPathsOfTheLog() {
        assertThat(storage.resolve("/t", "a/b.parquet")).isEqualTo("/t/a/b.parquet");
        assertThat(storage.resolve("/t", "p=a%20b/%25x.parquet")).isEqualTo("/t/p=a b/%x.parquet");
        assertThat(storage.resolve("/t", "file:/other/x")).isEqualTo("/other/x");
        assertThat(storage.resolve("/t", "file:///other/x%20y")).isEqualTo("/other/x y");
        assertThat(storage.resolve("/t", "s3://bucket/x")).isEqualTo("s3://bucket/x");
        assertThat(storage.resolve("/t", "not encoded")).isEqualTo("/t/not encoded");
    }

    @Test
    void takesPathsAndFileUrisForOneLocation() {
        String plain = storage.canonical(folder.toString());
        assertThat(storage.canonical("file:" + folder)).isEqualTo(plain);
        assertThat(storage.canonical("file://" + folder + "/")).isEqualTo(plain);
        assertThat(storage.canonical(folder + "/x/../")).isEqualTo(plain);
    }

    @Test
    void namesThePathInErrors() throws IOException {
        assertError(() -> storage.read(path("missing")), ErrorCode.FILE_NOT_FOUND, "missing");
        assertError(() -> storage.read(folder.toString()), ErrorCode.IO_FAILED, folder.toString());
        assertError(() -> storage.createIfAbsent(path("no/folder"), new byte[1]), ErrorCode.FILE_NOT_FOUND, "folder");
        Files.createFile(folder.resolve("file"));
        assertError(() -> storage.createFolders(path("file")), ErrorCode.IO_FAILED, "file");
        assertError(() -> storage.read("s3://bucket/x"), ErrorCode.IO_FAILED, "s3://bucket/x");
    }

    @Test
    void tellsFullDisksAndRefusedAccessApart() {
        assertThat(code(new FileSystemException("f", null, "No space left on device")))
                .isEqualTo(ErrorCode.DISK_FULL);
        assertThat(code(new IOException("Disk quota exceeded"))).isEqualTo(ErrorCode.DISK_FULL);
        assertThat(code(new java.nio.file.AccessDeniedException("f"))).isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(code(new FileSystemException("f", null, "Read-only file system")))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(code(new java.nio.channels.ClosedByInterruptException())).isEqualTo(ErrorCode.INTERRUPTED);
        assertThat(code(new IOException("anything else"))).isEqualTo(ErrorCode.IO_FAILED);
    }

    @Test
    void seesFoldersAndDeletesFiles() throws IOException {
        storage.createFolders(path("x/y"));
        storage.createFolders(path("x/y"));
        assertThat(storage.isFolder(path("x/y"))).isTrue();
        assertThat(storage.info(path("x/y"))).isEmpty();
        storage.write(path("x/f"), new byte[3]);
        assertThat(storage.info(path("x/f")).orElseThrow().size()).isEqualTo(3);
        assertThat(storage.info(path("x/f/g"))).isEmpty();
        assertThat(storage.delete(path("x/f"))).isTrue();
        assertThat(storage.delete(path("x/f"))).isFalse();
        assertError(() -> storage.delete(path("x")), ErrorCode.IO_FAILED, "x");
    }

    private static ErrorCode code(IOException e) {
        return StorageErrors.translate(e, "read", "f").code();
    }

    private static void assertError(Runnable work, ErrorCode code, String text) {
        assertThatThrownBy(work::run).isInstanceOfSatisfying(TidemarkException.class, error -> {
            assertThat(error.code()).isEqualTo(code);
            assertThat(error.getMessage()).contains(text);
        });
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
