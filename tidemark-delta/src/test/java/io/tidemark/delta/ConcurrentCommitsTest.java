package io.tidemark.delta;

import static io.tidemark.delta.TableFixture.file;
import static io.tidemark.delta.TableFixture.stageAppend;
import static io.tidemark.delta.TableFixture.stageDelete;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.delta.vector.RowPositions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConcurrentCommitsTest {
    private static final int THREADS = 4;
    private static final int COMMITS = 8;

    @TempDir
    Path folder;

    @Test
    void noAppendIsLost() throws Exception {
        DeltaTable table = TableFixture.in(folder).create().table;
        List<Long> versions = inThreads(thread -> {
            List<Long> made = new ArrayList<>();
            for (int i = 0; i < COMMITS; i++) {
                made.add(stageAppend(table.snapshot(), "f" + thread + "-" + i)
                        .commit()
                        .version());
            }
            return made;
        });
        assertThat(versions).hasSize(THREADS * COMMITS).doesNotHaveDuplicates();
        assertThat(table.latestVersion()).isEqualTo(THREADS * COMMITS);
        assertThat(table.snapshot().files()).hasSize(THREADS * COMMITS);
    }

    @Test
    void noDeletionIsLost() throws Exception {
        TableFixture fixture = TableFixture.in(folder).create();
        fixture.append("f");
        List<Long> rejections = inThreads(thread -> {
            List<Long> rejected = new ArrayList<>();
            for (int row = thread; row < TableFixture.RECORDS - 1; row += THREADS) {
                while (stageDelete(fixture.table.snapshot(), "f", row).commit()
                        instanceof CommitOutcome.Rejected loser) {
                    rejected.add(loser.conflict().winningVersion());
                }
            }
            return rejected;
        });
        Snapshot snapshot = fixture.table.snapshot();
        assertThat(snapshot.deletedRows(file(snapshot, "f")))
                .as("after " + rejections.size() + " rejections")
                .isEqualTo(RowPositions.of(0, 1, 2, 3, 4, 5, 6, 7, 8));
    }

    private interface Work {
        List<Long> run(int thread);
    }

    private static List<Long> inThreads(Work work) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<List<Long>>> results = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                Callable<List<Long>> task = () -> {
                    start.await();
                    return work.run(number);
                };
                results.add(pool.submit(task));
            }
            start.countDown();
            List<Long> all = new ArrayList<>();
            for (Future<List<Long>> result : results) {
                all.addAll(result.get());
            }
            return all;
        } finally {
            pool.shutdownNow();
        }
    }
}
