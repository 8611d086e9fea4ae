package io.tidemark.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.CommitRecord;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.PinnedState;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.DomainMetadata;
import io.tidemark.delta.maintenance.Vacuum;
import io.tidemark.delta.maintenance.VacuumOptions;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.tests.readback.Readers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What must hold of a table after a failure, seen by programs that came later. */
final class TableCheck {
    private static final Duration LATER = Duration.ofDays(400);
    private static final String LOG_FILE = "_delta_log/([0-9].*\\.(json|parquet|crc)|_last_checkpoint)";

    private final Storage storage = new LocalStorage();
    private final DuckDbEngine engine;
    private final Path folder;

    TableCheck(DuckDbEngine engine, Path folder) {
        this.engine = engine;
        this.folder = folder;
    }

    /** What a reader sees. */
    record State(long version, List<String> rows) {}

    /** The table as it is. */
    State state() {
        return new State(Scenario.table(folder).latestVersion(), rows());
    }

    private List<String> rows() {
        return Scenario.sql(storage, engine, folder, "SELECT * FROM t");
    }

    /** Checks the table after a run that ended without an error, or with the given one. */
    void assertSound(
            Scenario scenario, State before, State after, @Nullable TidemarkException error, String description) {
        State now = state();
        boolean committed = now.version() > before.version();
        assertThat(now.version()).as(description).isBetween(before.version(), after.version());
        if (error == null) {
            // the last of several commits only tells of the end
            long least = after.version() - scenario.commits() + 1;
            assertThat(now.version()).as(description + ": reported as done").isGreaterThanOrEqualTo(least);
        } else if (error.code() != ErrorCode.COMMIT_STATE_UNKNOWN && scenario.commits() == 1) {
            assertThat(committed).as(description + ": reported as failed").isFalse();
        }
        assertThat(now.rows()).as(description).isEqualTo(committed ? after.rows() : before.rows());
        assertHistory(now.version(), description);
    }

    /** Checks that work goes on, and that VACUUM finds what the failure left. */
    void assertUsable(Scenario scenario, State after, String description) {
        assertKernelAgrees(description);
        goOn(scenario, state(), after, description);
        assertNothingLeft(description);
    }

    private void assertHistory(long latest, String description) {
        DeltaTable table = Scenario.table(folder);
        List<CommitRecord> history = new ArrayList<>(table.history());
        history.sort(Comparator.comparingLong(CommitRecord::version));
        long expected = latest - history.size() + 1;
        for (CommitRecord record : history) {
            assertThat(record.version()).as(description + ": history").isEqualTo(expected++);
            assertThat(record.info().operation()).as(description).isPresent();
        }
        long first = table.firstReadableVersion().orElseThrow();
        assertThat(table.at(first).version()).as(description).isEqualTo(first);
    }

    private void assertKernelAgrees(String description) {
        Snapshot snapshot = Scenario.table(folder).snapshot();
        Readers.kernel(Path.of(snapshot.location()), snapshot.schema())
                .assertSameAs(Readers.engine(engine, snapshot), description + ": as Kernel reads it");
    }

    /** The next operation works, and a flow comes to the same end as without the failure. */
    private void goOn(Scenario scenario, State now, State after, String description) {
        if (scenario.isFlow()) {
            Scenario.flow(storage, engine, folder);
            assertThat(rows()).as(description + ": run again").isEqualTo(after.rows());
            return;
        }
        Scenario.sql(storage, engine, folder, "INSERT INTO t VALUES (100, 'next')");
        List<String> expected = new ArrayList<>(now.rows());
        expected.add("100|next");
        assertThat(rows()).as(description + ": next operation").containsExactlyInAnyOrderElementsOf(expected);
    }

    /** VACUUM leaves what the table needs and nothing else. */
    private void assertNothingLeft(String description) {
        List<String> rows = rows();
        DeltaTable table = Scenario.table(folder);
        Snapshot snapshot = table.snapshot();
        // The commits of VACUUM may lead to a clean-up of the log, and so to state that the next VACUUM takes.
        Set<String> needed = needed(table, snapshot);
        Vacuum.run(
                storage,
                table,
                VacuumOptions.at(Instant.now().plus(LATER))
                        .retaining(Duration.ZERO)
                        .unchecked());
        Set<String> there = new HashSet<>();
        Path root = Path.of(snapshot.location());
        for (Path file : FolderCopy.files(root)) {
            String name = root.relativize(file).toString();
            if (name.startsWith("_delta_log/")) {
                assertThat(name).as(description + ": what VACUUM leaves").matches(LOG_FILE);
            } else {
                there.add(file.toString());
            }
        }
        assertThat(there).as(description + ": what VACUUM leaves").isEqualTo(needed);
        assertThat(rows()).as(description + ": after VACUUM").isEqualTo(rows);
    }

    private Set<String> needed(DeltaTable table, Snapshot snapshot) {
        Set<String> needed = new HashSet<>();
        for (DataFile file : snapshot.files()) {
            needed.add(file.location());
            file.deletionVector().flatMap(table::vectorFile).ifPresent(needed::add);
        }
        String state = PinnedState.folder(storage, snapshot);
        for (long version : table.versions()) {
            for (Action action : table.actions(version)) {
                if (action instanceof DomainMetadata domain && domain.domain().equals(PinnedState.DOMAIN)) {
                    PinnedState.manifestName(domain.configuration()).ifPresent(name -> {
                        needed.add(storage.child(state, name));
                        PinnedState.read(storage, storage.child(state, name))
                                .orElseThrow()
                                .files()
                                .forEach(file -> needed.add(storage.child(state, file)));
                    });
                }
            }
        }
        return needed;
    }
}
