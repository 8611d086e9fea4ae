package io.tidemark.delta.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.storage.LocalStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes that commit to one table on a local disk as fast as they can. */
class ManyProcessesTest {
    private static final int TWO_PROCESSES_COMMITS = 500;
    private static final int EIGHT_PROCESSES_COMMITS = 188;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"Serializable", "WriteSerializable"})
    void aHistoryOfManyProcessesIsSerializable(String level) throws Exception {
        LocalStorage storage = new LocalStorage();
        DeltaTable table = DeltaTable.at(storage, folder.resolve("t").toString());
        RandomTransactions.create(table, level);
        run(table, 2, TWO_PROCESSES_COMMITS);
        run(table, 8, EIGHT_PROCESSES_COMMITS);
        long commits = 2L * TWO_PROCESSES_COMMITS + 8L * EIGHT_PROCESSES_COMMITS;
        assertThat(table.latestVersion()).isEqualTo(commits);
        new HistoryChecker(storage, table, level.equals("Serializable")).check();
    }

    private void run(DeltaTable table, int processes, int commits) throws Exception {
        List<Process> started = new ArrayList<>();
        long first = table.latestVersion();
        for (int i = 0; i < processes; i++) {
            started.add(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Xmx256m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Writer.class.getName(),
                            table.location(),
                            first + "-" + i,
                            Integer.toString(commits))
                    .redirectErrorStream(true)
                    .redirectOutput(
                            folder.resolve("output-" + processes + "-" + i).toFile())
                    .start());
        }
        for (int i = 0; i < processes; i++) {
            int code = started.get(i).waitFor();
            assertThat(code)
                    .as(Files.readString(folder.resolve("output-" + processes + "-" + i)))
                    .isZero();
        }
    }

    /** One of the processes. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) {
            DeltaTable table = DeltaTable.at(new LocalStorage(), arguments[0]);
            RandomTransactions transactions = new RandomTransactions(arguments[1], new Random(arguments[1].hashCode()));
            int commits = Integer.parseInt(arguments[2]);
            int done = 0;
            while (done < commits) {
                CommitOutcome outcome = transactions.next(table.snapshot()).commit();
                if (outcome instanceof CommitOutcome.Unknown) {
                    throw new IllegalStateException("unknown outcome");
                }
                done += outcome instanceof CommitOutcome.Committed ? 1 : 0;
            }
        }
    }
}
