package io.tidemark.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.sql.warehouse.Warehouse;
import io.tidemark.tests.pipeline.Lake;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A removal that is cut short leaves the table whole, unreadable or gone, never an older one, and can be repeated. */
class DropTableTest {
    private static final int ROWS = 12;
    private static final TableName TABLE = TableName.of("t");

    @TempDir
    Path folder;

    @Test
    void noOlderTableIsLeftBehind() {
        List<String> seen = new ArrayList<>();
        for (int operation = 0; ; operation++) {
            Path place = folder.resolve("lake" + operation);
            FaultPlan plan = FaultPlan.failing(operation, Integer.MAX_VALUE, FaultPlan.Mode.BEFORE);
            try (Lake lake = new Lake(place)) {
                lake.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'false')");
                for (int i = 0; i < ROWS; i++) {
                    lake.sql("INSERT INTO t VALUES (" + i + ")");
                }
                FaultyStorage storage = new FaultyStorage();
                storage.follow(plan);
                drop(Warehouse.at(storage, place.resolve("warehouse").toString()));
                seen.add(state(lake));
                if (lake.warehouse().table(TABLE).exists()) {
                    lake.sql("DROP TABLE t");
                }
                assertThat(lake.warehouse().table(TABLE).exists()).isFalse();
            }
            if (plan.failures() == 0) {
                break;
            }
        }
        assertThat(seen).contains("whole", "unreadable", "gone").doesNotContain("older");
        assertThat(seen.get(seen.size() - 1)).isEqualTo("gone");
    }

    private static void drop(Warehouse warehouse) {
        try {
            warehouse.dropTable(TABLE);
        } catch (TidemarkException e) {
            assertThat(e.code()).isNotNull();
        }
    }

    private static String state(Lake lake) {
        if (!lake.warehouse().table(TABLE).exists()) {
            return "gone";
        }
        try {
            return lake.rows("t").size() == ROWS ? "whole" : "older";
        } catch (TidemarkException e) {
            return "unreadable";
        }
    }
}
