package io.tidemark.dbt;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.project.ProjectOptions;
import io.tidemark.dbt.run.SnapshotResult;
import io.tidemark.dbt.run.SnapshotResult.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Projects as people write them, each run on three days of a source that changes, and once more on the last. */
class ExampleProjectsTest {
    private static final Path PROJECTS = Path.of("src/test/resources/projects");

    @TempDir
    private Path folder;

    private DbtLake lake;

    @BeforeEach
    void open() {
        lake = new DbtLake(folder);
    }

    private List<SnapshotResult> run(String project, int day, String target) {
        ProjectOptions options = ProjectOptions.of(PROJECTS.resolve(project))
                .withEnvironment(Map.of())
                .withVariables(Map.of("day", (long) day));
        Project read = Project.read(target.isEmpty() ? options : options.withTarget(target));
        SnapshotRunner.Report report = lake.run(9 + day, read, true);
        if (!report.errors().isEmpty()) {
            throw TidemarkException.together(report.errors());
        }
        return report.results();
    }

    private void runThreeDays(String project) {
        for (int day = 1; day <= 3; day++) {
            run(project, day, "");
        }
        assertThat(run(project, 3, ""))
                .allSatisfy(result -> assertThat(result.status()).isEqualTo(Status.UNCHANGED));
    }

    @Test
    void oneKeyAndATime() {
        runThreeDays("coffee_shop");
        assertThat(lake.sorted("SELECT customer_id, name, loyalty_tier, dbt_valid_from, dbt_valid_to"
                        + " FROM snapshots.customers_snapshot"))
                .containsExactly(
                        "1|Ada|bronze|2024-01-01T08:00|2024-01-10T12:30",
                        "1|Ada|gold|2024-01-11T07:15:30.500|null",
                        "1|Ada|silver|2024-01-10T12:30|2024-01-11T07:15:30.500",
                        "2|Grace|silver|2024-01-01T09:00|null",
                        "3|Edsger|bronze|2024-01-10T18:00|null");
    }

    @Test
    void aCompositeKeyBehindModels() {
        runThreeDays("warehouse_stock");
        assertThat(lake.sorted("SELECT site, sku, on_hand, bin, dbt_valid_from, dbt_valid_to"
                        + " FROM analytics_history.stock_history"))
                .containsExactly(
                        "BER|a|1|4|A1|2024-01-11T00:00|null",
                        "BER|a|1|5|A1|2024-01-10T00:00|2024-01-11T00:00",
                        "BER|b|0|A2|2024-01-12T00:00|null",
                        "BER|b|2|A2|2024-01-10T00:00|2024-01-12T00:00",
                        "ROM|b|9|B7|2024-01-11T00:00|null",
                        "ROM|b|9|null|2024-01-10T00:00|2024-01-11T00:00");
    }

    @Test
    void yamlWithOtherNamesAndASentinel() {
        runThreeDays("subscriptions");
        assertThat(lake.sorted("SELECT id, plan, CAST(price AS DECIMAL(9,2)), valid_from, valid_to"
                        + " FROM analytics_snap.plan_versions"))
                .containsExactly(
                        "1|basic|5.00|2024-01-10T00:00|2024-01-11T00:00",
                        "1|basic|6.00|2024-01-11T00:00|9999-12-31T00:00",
                        "2|pro|19.00|2024-01-12T00:00|9999-12-31T00:00",
                        "2|pro|20.00|2024-01-10T00:00|2024-01-11T00:00");
    }

    @Test
    void blocksWithLogic() {
        runThreeDays("fleet");
        assertThat(lake.sorted("SELECT country, plate, driver, depot, odometer, dbt_valid_from, dbt_valid_to"
                        + " FROM analytics_hist.vans"))
                .containsExactly(
                        "DE|B-1|Ann|North|100|2024-01-10T00:00|2024-01-12T00:00",
                        "DE|B-1|Cem|North|150|2024-01-12T00:00|null",
                        "IT|R-2|Bob|South|200|2024-01-11T00:00|null",
                        "IT|R-2|null|South|200|2024-01-10T00:00|2024-01-11T00:00");
        assertThat(lake.sorted(
                        "SELECT country, odometer, dbt_valid_from, dbt_valid_to FROM analytics_hist.odometer_history"))
                .containsExactly(
                        "DE|100|2024-01-09|2024-01-10",
                        "DE|150|2024-01-10|null",
                        "IT|200|2024-01-09|2024-01-12",
                        "IT|260|2024-01-12|null");
    }

    @Test
    void goneRowsAreMarked() {
        runThreeDays("staff");
        assertThat(lake.sorted("SELECT id, name, team, site, dbt_valid_from, dbt_valid_to, dbt_is_deleted"
                        + " FROM hr_history.people_history"))
                .containsExactly(
                        "1|Kai|ops|Oslo|2024-01-11T00:00|null|False",
                        "1|Kai|sales|null|2024-01-10T00:00|2024-01-11T00:00|False",
                        "2|Lou|ops|Rome|2024-01-12T00:00|null|False",
                        "2|Lou|ops|null|2024-01-10T00:00|2024-01-11T00:00|False",
                        "2|Lou|ops|null|2024-01-11T00:00|2024-01-12T00:00|True");
    }
}
