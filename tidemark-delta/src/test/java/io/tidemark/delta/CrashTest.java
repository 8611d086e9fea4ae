package io.tidemark.delta;

import static io.tidemark.delta.TableFixture.file;
import static io.tidemark.delta.TableFixture.stageDelete;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.vector.RowPositions;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kills a process in the middle of a commit and goes on with another one. */
class CrashTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "delta.before-vector-write, 1",
        "delta.after-vector-write, 1",
        "delta.before-log-write, 1",
        "delta.after-log-write, 2",
        "delta.before-checkpoint, 2",
        "delta.after-checkpoint, 2"
    })
    void aKilledCommitIsWholeOrAbsent(String point, long version) throws Exception {
        TableFixture fixture = TableFixture.in(folder);
        fixture.create(TableFixture.definition().with("delta.checkpointInterval", "2"));
        fixture.append("f1");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-D" + CrashPoints.PROPERTY + "=" + point,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Deleter.class.getName(),
                        fixture.table.location())
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isEqualTo(137);

        Snapshot snapshot = fixture.table.snapshot();
        assertThat(snapshot.version()).isEqualTo(version);
        assertThat(snapshot.deletedRows(file(snapshot, "f1")))
                .isEqualTo(version == 2 ? RowPositions.of(4) : RowPositions.empty());
        stageDelete(snapshot, "f1", 5).commit().version();
        assertThat(fixture.table.latestVersion()).isEqualTo(version + 1);
    }

    /** The process that gets killed. */
    static final class Deleter {
        private Deleter() {}

        public static void main(String[] arguments) {
            DeltaTable table = DeltaTable.at(new LocalStorage(), arguments[0]);
            stageDelete(table.snapshot(), "f1", 4).commit().version();
        }
    }
}
