package io.tidemark.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.tests.faults.FaultPlan.Kind;
import io.tidemark.tests.faults.FaultPlan.Mode;
import io.tidemark.tests.faults.FaultPlan.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Lets each single operation on storage, and each writing of files by the engine, fail once: before it takes effect,
 * after it, and half done; and then with the operation that follows, which often is the cleaning up. After each run the
 * table is as it was or as it should be, can be read and written, and VACUUM finds what is left over.
 */
class FaultsTest {
    private static final String SMALL_TABLE = """
            CREATE TABLE t (id INT, v STRING) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
            INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
            INSERT INTO t VALUES (5, 'e'), (6, 'f');
            """;
    private static final Duration AGE = Duration.ofDays(40);

    @TempDir
    static Path folder;

    private static DuckDbEngine duckDb;
    private static FaultyEngine engine;
    private static FaultyStorage storage;
    private static TableCheck check;

    @BeforeAll
    static void open() {
        duckDb = DuckDbEngine.open(
                DuckDbSettings.defaults(folder.resolve("temporary")).withThreads(1));
        engine = new FaultyEngine(duckDb);
        storage = new FaultyStorage();
        check = new TableCheck(duckDb, work());
    }

    @AfterAll
    static void close() {
        duckDb.close();
    }

    static Stream<Scenario> scenarios() {
        return Stream.of(
                Scenario.statement("append", SMALL_TABLE, "INSERT INTO t VALUES (7, 'g')", 1),
                Scenario.statement("delete by vectors", SMALL_TABLE, "DELETE FROM t WHERE id IN (1, 5)", 1),
                Scenario.statement(
                        "update with change data feed",
                        SMALL_TABLE + "ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
                        "UPDATE t SET v = 'x' WHERE id IN (1, 6)",
                        1),
                Scenario.statement(
                        "commit with checkpoint and log clean-up",
                        SMALL_TABLE + """
                                ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointInterval' = '2');
                                DELETE FROM t WHERE id = 1;
                                INSERT INTO t VALUES (8, 'h')
                                """,
                        "INSERT INTO t VALUES (9, 'i')",
                        1),
                Scenario.statement("optimize", SMALL_TABLE + "DELETE FROM t WHERE id = 2", "OPTIMIZE t", 1),
                Scenario.statement(
                        "vacuum",
                        SMALL_TABLE + "DELETE FROM t WHERE id = 2; DELETE FROM t WHERE id = 3; OPTIMIZE t",
                        "SET spark.databricks.delta.retentionDurationCheck.enabled = false; VACUUM t RETAIN 0 HOURS",
                        2),
                Scenario.statement(
                        "restore",
                        SMALL_TABLE + "DELETE FROM t WHERE id = 2; UPDATE t SET v = 'y' WHERE id = 5",
                        "RESTORE t TO VERSION AS OF 2",
                        1),
                new Scenario(
                        "update of a change flow",
                        "",
                        List.of("U,1,a,1\nU,2,b,1\nU,3,c,1\nD,9,,5", "U,1,aa,2\nD,8,,5"),
                        "U,1,aaa,3\nD,2,,4\nU,4,d,1\nU,9,late,2\nD,7,,3",
                        "",
                        1));
    }

    private static Path work() {
        return folder.resolve("work");
    }

    private static Path prepared() {
        return folder.resolve("prepared");
    }

    /** A run that ended without an error, or with this one. */
    private record Run(FaultPlan plan, @Nullable TidemarkException error) {}

    @ParameterizedTest
    @MethodSource("scenarios")
    void everyFailureLeavesTheOldOrTheNewTable(Scenario scenario) throws IOException {
        prepare(scenario);
        TableCheck.State before = check.state();
        Run undisturbed = run(scenario, FaultPlan.none());
        assertThat(undisturbed.error()).isNull();
        TableCheck.State after = check.state();
        List<Operation> operations = undisturbed.plan().operations();
        List<String> faults = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        int firstChange = 0;
        while (operations.get(firstChange).kind() == Kind.READ) {
            firstChange++;
        }
        for (int number = 0; number <= operations.size(); number++) {
            for (Mode mode : Mode.values()) {
                boolean last = number == operations.size();
                if (last
                        ? mode == Mode.BEFORE
                        : mode.suits(operations.get(number).kind())) {
                    String name = last ? "none" : operations.get(number).name();
                    int failuresMax = mode == Mode.BEFORE && number >= firstChange ? 2 : 1;
                    for (int failures = 1; failures <= failuresMax; failures++) {
                        Run run = run(scenario, FaultPlan.failing(number, failures, mode));
                        String description = failures + " failures from operation " + number + " " + mode + ", " + name;
                        try {
                            check(scenario, before, after, run, seen, description);
                            if (mode == Mode.BEFORE && failures == 1 && name.equals(FaultyEngine.WRITE)) {
                                // the state of flows is written aside and left to VACUUM
                                assertThat(scenario.isFlow() || FolderCopy.isEqual(work(), prepared()))
                                        .as("what was written before is deleted")
                                        .isTrue();
                            }
                        } catch (AssertionError e) {
                            faults.add(description + ": " + e.getMessage());
                        }
                    }
                }
            }
        }
        assertThat(faults).as(scenario.name()).isEmpty();
    }

    private static void check(
            Scenario scenario,
            TableCheck.State before,
            TableCheck.State after,
            Run run,
            Set<String> seen,
            String description) {
        if (run.error() != null) {
            assertThat(run.error().code())
                    .as(run.error().render())
                    .isIn(ErrorCode.IO_FAILED, ErrorCode.COMMIT_STATE_UNKNOWN);
            if (FolderCopy.isEqual(work(), prepared())) {
                // nothing was written yet
                return;
            }
        }
        check.assertSound(scenario, before, after, run.error(), description);
        // Many failures leave the same files; what comes after them is tried once.
        if (seen.add(FolderCopy.shape(work()))) {
            check.assertUsable(scenario, after, description);
        }
    }

    private static void prepare(Scenario scenario) throws IOException {
        FolderCopy.delete(work());
        Path input = Files.createDirectories(work().resolve("in"));
        LocalStorage healthy = new LocalStorage();
        int number = 0;
        for (String text : scenario.inputs()) {
            Files.writeString(input.resolve(++number + ".csv"), "op,id,name,seq\n" + text + "\n");
            Scenario.flow(healthy, duckDb, work());
        }
        if (scenario.isFlow()) {
            Files.writeString(input.resolve(++number + ".csv"), "op,id,name,seq\n" + scenario.lastInput() + "\n");
        } else {
            Scenario.sql(healthy, duckDb, work(), scenario.preparation());
        }
        FolderCopy.age(work(), AGE);
        FolderCopy.replace(prepared(), work());
    }

    private static Run run(Scenario scenario, FaultPlan plan) {
        FolderCopy.replace(work(), prepared());
        storage.follow(plan);
        engine.follow(plan);
        try {
            scenario.run(storage, engine.engine(), work());
            return new Run(plan, null);
        } catch (TidemarkException e) {
            return new Run(plan, e);
        } finally {
            storage.follow(FaultPlan.none());
            engine.follow(FaultPlan.none());
        }
    }
}
