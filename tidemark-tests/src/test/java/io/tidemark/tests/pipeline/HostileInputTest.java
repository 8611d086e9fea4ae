package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Input that is legal or nearly so, but nasty: extreme values, broken bytes, damaged files of tables and state. */
class HostileInputTest {
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

    private static String pipeline(String format, String type) {
        return """
                CREATE STREAMING TABLE t;
                CREATE FLOW t AS AUTO CDC INTO t
                FROM STREAM read_files('in/*', format => 'FORMAT', schema => 'id INT, v TYPE, seq INT')
                KEYS (id) SEQUENCE BY seq;
                """.replace("FORMAT", format).replace("TYPE", type);
    }

    private TidemarkException failure(String sql) {
        TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> lake.run(sql));
        assertThat(error).as("the run must fail").isNotNull();
        return error;
    }

    @Test
    void timesOfAllYearsAreRead() {
        lake.file("in/1.csv", "id,v,seq", "1,9999-12-31 23:59:59.999999,1", "2,0001-01-01 00:00:00,1");
        lake.run(pipeline("csv", "TIMESTAMP"));
        assertThat(lake.sql("SELECT id, CAST(v AS STRING) FROM t ORDER BY id"))
                .containsExactly("1|9999-12-31 23:59:59.999999", "2|0001-01-01 00:00:00");
    }

    @Test
    @Timeout(30)
    void numbersOfABillionDigitsAreNoDecimals() {
        lake.file("in/1.csv", "id,v,seq", "1,1e1000000000,1");
        assertThat(failure(pipeline("csv", "DECIMAL(10,2)")).render()).contains("FILE_UNREADABLE", "1.csv:2", "v");
        lake.file("in/1.csv", "id,v,seq", "1,1e-1000000000,1");
        lake.run(pipeline("csv", "DECIMAL(10,2)"));
        assertThat(lake.sql("SELECT v FROM t")).containsExactly("0.00");
    }

    @Test
    @Timeout(30)
    void numbersOfABillionDigitsInJsonAreNoDecimals() {
        lake.file("in/1.json", "{\"id\":1,\"v\":1e1000000000,\"seq\":1}");
        assertThat(failure(pipeline("json", "DECIMAL(38,2)")).code()).isEqualTo(ErrorCode.FILE_UNREADABLE);
    }

    @Test
    void halvesOfCharactersAreNotReplaced() {
        lake.file("in/1.json", "{\"id\":1,\"v\":\"a\\ud83d\\ude00\",\"seq\":1}");
        lake.run(pipeline("json", "STRING"));
        assertThat(lake.sql("SELECT v FROM t")).containsExactly("a\ud83d\ude00");
        lake.file("in/2.json", "{\"id\":2,\"v\":\"\\ud800\",\"seq\":1}");
        assertThat(failure(pipeline("json", "STRING")).render()).contains("FILE_UNREADABLE", "2.json:1");
    }

    @Test
    void bytesThatAreNoTextAreNamed() throws IOException {
        lake.file("in/1.csv", "id,v,seq");
        Files.write(folder.resolve("in/1.csv"), "id,v,seq\n1,\u00fc,1\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(failure(pipeline("csv", "STRING")).render()).contains("FILE_UNREADABLE", "1.csv", "encoding =>");
    }

    @Test
    void aFolderMayBeALink() throws IOException {
        lake.file("real/1.csv", "id,v,seq", "1,a,1");
        Files.createSymbolicLink(folder.resolve("in"), folder.resolve("real"));
        lake.run(pipeline("csv", "STRING"));
        assertThat(lake.sql("SELECT id, v FROM t")).containsExactly("1|a");
    }

    @Test
    void aDamagedDataFileIsNoDefectOfTheProgram() throws IOException {
        lake.file("in/1.csv", "id,v,seq", "1,a,1");
        lake.run(pipeline("csv", "STRING"));
        try (Stream<Path> files = Files.list(Path.of(lake.table("t").location()))) {
            Path data = files.filter(file -> file.toString().endsWith(".parquet"))
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(data);
            for (int i = 20; i < 60; i++) {
                bytes[i] ^= (byte) 0xff;
            }
            Files.write(data, bytes);
        }
        TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> lake.sql("SELECT * FROM t"));
        assertThat(error.code()).isEqualTo(ErrorCode.FILE_UNREADABLE);
    }

    @Test
    void damagedStateIsNamedWithTableAndFile() throws IOException {
        lake.file("in/1.csv", "id,v,seq", "1,a,1");
        lake.run(pipeline("csv", "STRING"));
        Path state = Path.of(lake.table("t").location()).resolve("_tidemark/state");
        try (Stream<Path> files = Files.list(state)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (file.toString().endsWith(".parquet")) {
                    Files.write(file, new byte[] {1, 2, 3});
                }
            }
        }
        lake.file("in/2.csv", "id,v,seq", "2,b,1");
        assertThat(failure(pipeline("csv", "STRING")).render())
                .contains("STATE_CORRUPT", "table t", ".parquet", "--full-refresh=t");
    }

    @Test
    void queriesThatAreTooDeepOrTooLongSaySo() {
        String deep = "SELECT * FROM "
                .concat("(SELECT * FROM ".repeat(2_000))
                .concat("t")
                .concat(")".repeat(2_000));
        TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> lake.sql(deep));
        assertThat(error.code()).isNotEqualTo(ErrorCode.INTERNAL);
    }
}
