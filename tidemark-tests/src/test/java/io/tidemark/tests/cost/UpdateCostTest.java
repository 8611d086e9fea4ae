package io.tidemark.tests.cost;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.flow.ScdType;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.pipeline.Pipeline;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.sql.warehouse.Warehouse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an update by a change flow asks of the engine and of the storage beside the work itself. */
class UpdateCostTest {
    /** As many calls as the updates below need; lower them when one is saved. */
    private static final int CALLS_MAX = 60;

    private static final int NOTHING_CALLS_MAX = 15;
    private static final int LISTINGS_MAX = 10;

    @TempDir
    Path folder;

    private void events(String name, int from, int count, int sequence) throws IOException {
        StringBuilder text = new StringBuilder("op,id,name,seq\n");
        for (int i = from; i < from + count; i++) {
            text.append("U,")
                    .append(i)
                    .append(",name ")
                    .append(i)
                    .append(',')
                    .append(sequence)
                    .append('\n');
        }
        Files.writeString(Files.createDirectories(folder.resolve("events")).resolve(name), text);
    }

    private Pipeline pipeline() {
        Pipeline pipeline = Pipeline.named("cost");
        pipeline.streamingTable("target");
        pipeline.autoCdcFlow("target")
                .query("SELECT * FROM STREAM read_files('" + folder.resolve("events")
                        + "/*.csv', format => 'csv', schema => 'op STRING, id BIGINT, name STRING, seq BIGINT')")
                .keys("id")
                .applyAsDeletes("op = 'D'")
                .exceptColumnList("op")
                .sequenceBy("seq")
                .storedAs(ScdType.SCD1);
        return pipeline;
    }

    private FlowResult.Status run(Engine engine, Storage storage) {
        Warehouse warehouse = Warehouse.at(storage, folder.resolve("warehouse").toString());
        return pipeline().run(engine, warehouse).get(0).status();
    }

    @Test
    void aSmallUpdateNeedsFewCalls() throws Exception {
        try (Engine engine = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("spill")))) {
            events("1.csv", 0, 1_000, 1);
            run(engine, new LocalStorage());
            for (int batch = 2; batch < 5; batch++) {
                events(batch + ".csv", 10 * batch, 5, batch);
                Counts calls = new Counts();
                Counts files = new Counts();
                assertThat(run(calls.engine(engine), files.storage(new LocalStorage())))
                        .isEqualTo(FlowResult.Status.UPDATED);
                assertThat(calls.calls()).as("%s; %s", calls, files).isLessThanOrEqualTo(CALLS_MAX);
                assertThat(files.calls("list")).as("%s", files).isLessThanOrEqualTo(LISTINGS_MAX);
            }
            Counts calls = new Counts();
            Counts files = new Counts();
            assertThat(run(calls.engine(engine), files.storage(new LocalStorage())))
                    .isEqualTo(FlowResult.Status.UNCHANGED);
            assertThat(calls.calls()).as("nothing new: %s; %s", calls, files).isLessThanOrEqualTo(NOTHING_CALLS_MAX);
            assertThat(calls.calls("materialize", "write", "stream"))
                    .as("%s", calls)
                    .isZero();
            assertThat(files.calls("stage", "createIfAbsent", "write", "delete"))
                    .as("%s", files)
                    .isZero();
        }
    }
}
