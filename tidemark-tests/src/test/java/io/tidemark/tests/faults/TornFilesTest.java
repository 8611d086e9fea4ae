package io.tidemark.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files under their final names of which only a part is there, as a loss of power can leave them on a disk without hard
 * links. None of them may pass for whole: the right rows come, or an error that names the damage.
 */
class TornFilesTest {
    @TempDir
    Path folder;

    @Test
    void aTornFileIsNeverTakenForWhole() throws IOException {
        Path work = folder.resolve("work");
        Path whole = folder.resolve("whole");
        LocalStorage storage = new LocalStorage();
        try (DuckDbEngine engine = DuckDbEngine.open(
                DuckDbSettings.defaults(folder.resolve("temporary")).withThreads(1))) {
            List<String> inputs = List.of(
                    "U,1,a,1\nU,2,b,1\nU,3,c,1\nD,9,,5",
                    "U,1,aa,2\nD,8,,5",
                    "U,2,bb,2\nU,9,late,2",
                    "U,3,cc,2\nD,1,,3");
            Path input = Files.createDirectories(work.resolve("in"));
            for (int i = 0; i < inputs.size(); i++) {
                Files.writeString(input.resolve(i + ".csv"), "op,id,name,seq\n" + inputs.get(i) + "\n");
                Scenario.flow(storage, engine, work);
            }
            List<String> rows = Scenario.sql(storage, engine, work, "SELECT * FROM t");
            Files.writeString(input.resolve("last.csv"), "op,id,name,seq\nU,9,later,4\nU,8,x,6\nD,3,,9\n");
            FolderCopy.replace(whole, work);
            Scenario.flow(storage, engine, work);
            List<String> later = Scenario.sql(storage, engine, work, "SELECT * FROM t");

            Path table = Path.of(Scenario.table(whole).location());
            int damaged = 0;
            for (Path file : FolderCopy.files(table)) {
                String name = table.relativize(file).toString();
                if (name.endsWith(".parquet") && !name.startsWith("_delta_log/")) {
                    continue;
                }
                for (byte[] torn : torn(Files.readAllBytes(file))) {
                    FolderCopy.replace(work, whole);
                    Files.write(Path.of(Scenario.table(work).location()).resolve(name), torn);
                    String description = name + " with " + torn.length + " bytes";
                    boolean hint = name.endsWith(".crc") || name.endsWith("_last_checkpoint");
                    boolean read = isRead(
                            () -> assertThat(Scenario.sql(storage, engine, work, "SELECT * FROM t"))
                                    .as(description)
                                    .isEqualTo(rows),
                            description);
                    assertThat(read || !hint)
                            .as(description + " is only a hint")
                            .isTrue();
                    damaged += read ? 0 : 1;
                    boolean updated = isRead(
                            () -> {
                                Scenario.flow(storage, engine, work);
                                assertThat(Scenario.sql(storage, engine, work, "SELECT * FROM t"))
                                        .as(description + ", updated")
                                        .isEqualTo(later);
                            },
                            description);
                    damaged += updated ? 0 : 1;
                }
            }
            assertThat(damaged).as("damages that were noticed").isGreaterThan(10);
        }
    }

    private static boolean isRead(Runnable work, String description) {
        try {
            work.run();
            return true;
        } catch (TidemarkException e) {
            assertThat(e.code())
                    .as(description + ": " + e.render())
                    .isIn(ErrorCode.LOG_CORRUPT, ErrorCode.STATE_CORRUPT);
            return false;
        }
    }

    /** Nothing, the first half, and the second half behind zeros: the disk keeps blocks in any order. */
    private static List<byte[]> torn(byte[] bytes) {
        int half = bytes.length / 2;
        while (half > 0 && bytes[half - 1] == '\n') {
            half--;
        }
        byte[] zeros = bytes.clone();
        Arrays.fill(zeros, 0, half, (byte) 0);
        return List.of(new byte[0], Arrays.copyOf(bytes, half), zeros);
    }
}
