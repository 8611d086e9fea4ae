package io.tidemark.app.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.SeekableInput;
import io.tidemark.delta.storage.StagedFile;
import io.tidemark.delta.storage.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every storage promises. */
abstract class StorageContract {
    private static final AtomicInteger FOLDERS = new AtomicInteger();
    private static final int RACES = 20;
    private static final int WRITERS = 8;

    @TempDir
    Path scratch;

    private Storage storage;
    private String folder;

    abstract Storage storage();

    /** A folder that the test may use. */
    abstract String root();

    @BeforeEach
    void freshFolder() {
        storage = storage();
        folder = storage.canonical(root() + "/contract" + FOLDERS.incrementAndGet());
        storage.createFolders(folder);
    }

    private String path(String name) {
        return storage.child(folder, name);
    }

    private String text(String name) {
        return new String(storage.read(path(name)), UTF_8);
    }

    private List<String> names() {
        return storage.list(folder, "").stream().map(FileInfo::name).toList();
    }

    @Test
    void createsAFileOnlyOnce() {
        assertThat(storage.createIfAbsent(path("a"), "one".getBytes(UTF_8))).isTrue();
        assertThat(storage.createIfAbsent(path("a"), "two".getBytes(UTF_8))).isFalse();
        assertThat(storage.createIfAbsent(path("a"), "one".getBytes(UTF_8))).isFalse();
        assertThat(text("a")).isEqualTo("one");
        assertThat(names()).containsExactly("a");
    }

    @Test
    void givesANameToOneOfManyWriters() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        try {
            for (int race = 0; race < RACES; race++) {
                String name = path("race" + race);
                CyclicBarrier start = new CyclicBarrier(WRITERS);
                List<Future<Boolean>> results = new ArrayList<>();
                for (int writer = 0; writer < WRITERS; writer++) {
                    byte[] content = ("writer " + writer).getBytes(UTF_8);
                    Callable<Boolean> work = () -> {
                        start.await();
                        return storage.createIfAbsent(name, content);
                    };
                    results.add(threads.submit(work));
                }
                List<Integer> winners = new ArrayList<>();
                for (int writer = 0; writer < WRITERS; writer++) {
                    if (results.get(writer).get()) {
                        winners.add(writer);
                    }
                }
                assertThat(winners).hasSize(1);
                assertThat(text("race" + race)).isEqualTo("writer " + winners.get(0));
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(names()).hasSize(RACES);
    }

    @Test
    void writesInPlaceOfAFile() {
        storage.write(path("a"), "long content".getBytes(UTF_8));
        storage.write(path("a"), "short".getBytes(UTF_8));
        storage.write(path("empty"), new byte[0]);
        assertThat(text("a")).isEqualTo("short");
        assertThat(text("empty")).isEmpty();
        assertThat(names()).containsExactly("a", "empty");
    }

    @Test
    void showsAFileWhenItIsPublished() throws IOException {
        try (StagedFile file = storage.stage(path("a"))) {
            file.write("con".getBytes(UTF_8));
            file.write('t');
            file.write("ent".getBytes(UTF_8));
            file.flush();
            assertThat(file.position()).isEqualTo(7);
            assertThat(storage.exists(path("a"))).isFalse();
            file.publish();
        }
        try (StagedFile file = storage.stage(path("a"))) {
            file.write('x');
            assertThat(file.publishIfAbsent()).isFalse();
        }
        try (StagedFile file = storage.stage(path("b"))) {
            file.write('x');
            assertThat(file.publishIfAbsent()).isTrue();
        }
        try (StagedFile file = storage.stage(path("c"))) {
            file.write('x');
        }
        assertThat(text("a")).isEqualTo("content");
        assertThat(names()).containsExactly("a", "b");
    }

    @Test
    void listsFilesInOrderOfTheirNamesFromOneOn() {
        for (String name : List.of("b", "a", "é", "B", "c", "c d%25+&=ä", "😀")) {
            storage.write(path(name), new byte[2]);
        }
        storage.createFolders(path("d"));
        storage.write(storage.child(path("d"), "x"), new byte[1]);
        assertThat(names()).containsExactly("B", "a", "b", "c", "c d%25+&=ä", "é", "😀");
        assertThat(storage.list(folder, "b"))
                .extracting(FileInfo::name)
                .containsExactly("b", "c", "c d%25+&=ä", "é", "😀");
        assertThat(storage.list(folder, "c.")).extracting(FileInfo::name).containsExactly("é", "😀");
        assertThat(storage.list(path("missing"), "")).isEmpty();
        for (FileInfo file : storage.list(folder, "")) {
            assertThat(file.path()).isEqualTo(path(file.name()));
            assertThat(file.size()).isEqualTo(2);
            assertThat(storage.info(file.path())).hasValue(file);
            assertThat(storage.read(file.path())).hasSize(2);
        }
        assertThat(storage.folders(folder)).containsExactly("d");
        assertThat(storage.folders(path("missing"))).isEmpty();
    }

    @Test
    void readsPartsAndJumps() throws IOException {
        byte[] content = new byte[300_000];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i * 31 + i / 1000);
        }
        storage.write(path("a"), content);
        assertThat(storage.read(path("a"))).isEqualTo(content);
        assertThat(storage.read(path("a"), 150_000, 1)).containsExactly(content[150_000]);
        assertThat(storage.read(path("a"), 10, 0)).isEmpty();
        try (SeekableInput input = storage.open(path("a"))) {
            assertThat(input.length()).isEqualTo(content.length);
            for (int position : new int[] {5, 0, 299_999, 131_072, 131_071, 100}) {
                input.seek(position);
                assertThat(input.position()).isEqualTo(position);
                assertThat((byte) input.read()).isEqualTo(content[position]);
                assertThat(input.position()).isEqualTo(position + 1);
            }
            input.seek(content.length);
            assertThat(input.read()).isEqualTo(-1);
        }
        assertThat(fault(() -> storage.read(path("a"), 299_999, 2)).code()).isEqualTo(ErrorCode.IO_FAILED);
        assertThat(fault(() -> storage.read(path("a"), 400_000, 2)).code()).isEqualTo(ErrorCode.IO_FAILED);
    }

    @Test
    void copiesWholeFilesToAndFromTheLocalDisk() throws IOException {
        Path source = Files.write(scratch.resolve("source"), new byte[100_000]);
        storage.upload(source, path("a"));
        storage.download(path("a"), scratch.resolve("target"));
        assertThat(scratch.resolve("target")).hasSameBinaryContentAs(source);
        assertThat(fault(() -> storage.download(path("missing"), scratch.resolve("other")))
                        .code())
                .isEqualTo(ErrorCode.FILE_NOT_FOUND);
        storage.makeDurable(path("a"));
        storage.makeDurable(path("missing"));
    }

    @Test
    void tellsFilesFromFolders() {
        storage.createFolders(path("x/y"));
        storage.write(path("x/y/f"), new byte[3]);
        assertThat(storage.isFolder(path("x"))).isTrue();
        assertThat(storage.isFolder(path("x/y"))).isTrue();
        assertThat(storage.isFolder(path("x/y/f"))).isFalse();
        assertThat(storage.isFolder(path("missing"))).isFalse();
        assertThat(storage.exists(path("x"))).isTrue();
        assertThat(storage.exists(path("x/y/f"))).isTrue();
        assertThat(storage.exists(path("x/y/g"))).isFalse();
        assertThat(storage.info(path("x"))).isEmpty();
        assertThat(storage.info(path("x/y/g"))).isEmpty();
        assertThat(storage.info(path("x/y/f/g"))).isEmpty();
    }

    @Test
    void deletesFilesAndFolders() {
        storage.createFolders(path("x/y"));
        storage.write(path("x/f"), new byte[3]);
        storage.write(path("x/y/.hidden"), new byte[3]);
        storage.write(path("xx"), new byte[3]);
        assertThat(storage.delete(path("x/f"))).isTrue();
        assertThat(storage.delete(path("x/f"))).isFalse();
        storage.deleteFolder(path("x"));
        storage.deleteFolder(path("x"));
        assertThat(storage.exists(path("x"))).isFalse();
        assertThat(names()).containsExactly("xx");
        assertThat(storage.folders(folder)).isEmpty();
    }

    @Test
    void namesThePathInErrors() {
        TidemarkException missing = fault(() -> storage.read(path("missing")));
        assertThat(missing.code()).isEqualTo(ErrorCode.FILE_NOT_FOUND);
        assertThat(missing.getMessage()).contains(path("missing"));
        assertThat(fault(() -> storage.open(path("missing"))).code()).isEqualTo(ErrorCode.FILE_NOT_FOUND);
        assertThat(fault(() -> storage.read(path("missing"), 0, 1)).code()).isEqualTo(ErrorCode.FILE_NOT_FOUND);
    }

    @Test
    void resolvesPathsOfALog() {
        assertThat(storage.resolve(folder, "p=a%20b/%25x.parquet")).isEqualTo(path("p=a b/%x.parquet"));
        storage.createFolders(path("p=a b"));
        storage.write(storage.resolve(folder, "p=a%20b/%25x.parquet"), new byte[1]);
        assertThat(storage.list(path("p=a b"), "")).extracting(FileInfo::name).containsExactly("%x.parquet");
    }

    private static TidemarkException fault(ThrowingCallable work) {
        TidemarkException fault = catchThrowableOfType(TidemarkException.class, work);
        assertThat(fault).isNotNull();
        return fault;
    }
}
