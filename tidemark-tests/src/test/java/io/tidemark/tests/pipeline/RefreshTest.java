package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.pipeline.run.RunOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A full refresh reads everything again, so everything must still be there. */
class RefreshTest {
    private static final RunOptions REFRESH = new RunOptions("pipeline", true, Set.of(), false, false, false);
    private static final String PIPELINE = """
            CREATE STREAMING TABLE raw AS
              SELECT id, name, seq FROM STREAM read_files('in/*.csv', schema => 'id INT, name STRING, seq INT');
            CREATE STREAMING TABLE people;
            CREATE FLOW people AS AUTO CDC INTO people
            FROM STREAM read_files('in/*.csv', schema => 'id INT, name STRING, seq INT') KEYS (id) SEQUENCE BY seq;
            """;

    @TempDir
    Path folder;

    private Lake lake;

    @BeforeEach
    void open() {
        lake = new Lake(folder);
    }

    @AfterEach
    void close() {
        lake.close();
    }

    @Test
    void filesThatAreGoneStopItBeforeRowsAreLost() throws IOException {
        lake.file("in/1.csv", "id,name,seq", "1,Ada,1");
        lake.run(PIPELINE, new RunOptions("pipeline", false, Set.of(), false, false, false));
        lake.file("in/2.csv", "id,name,seq", "2,Bob,1");
        lake.run(PIPELINE, REFRESH);
        assertThat(lake.rows("people")).containsExactly("1|Ada|1", "2|Bob|1");
        Files.delete(folder.resolve("in/1.csv"));
        TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> lake.run(PIPELINE, REFRESH));
        assertThat(error.code()).isEqualTo(ErrorCode.SOURCE_START_GONE);
        assertThat(error.render()).contains("in/1.csv", "bring the files back");
        assertThat(lake.rows("people")).containsExactly("1|Ada|1", "2|Bob|1");
        assertThat(lake.rows("raw")).containsExactly("1|Ada|1", "2|Bob|1");
    }

    @Test
    void aTableCannotHaveTheNameOfAStoredView() {
        lake.sql("CREATE VIEW people AS SELECT 1 AS id");
        lake.file("in/1.csv", "id,name,seq", "1,Ada,1");
        TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> lake.run(PIPELINE));
        assertThat(error.render()).contains("TABLE_EXISTS", "people", "DROP VIEW");
    }
}
