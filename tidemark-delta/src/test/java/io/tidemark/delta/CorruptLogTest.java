package io.tidemark.delta;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that is damaged in any way gives an error that names the file, never other rows. */
class CorruptLogTest {
    @TempDir
    Path folder;

    private DeltaTable table;
    private Path log;

    @BeforeEach
    void prepare() {
        TableFixture fixture = TableFixture.in(folder);
        fixture.create(TableFixture.definition().with("delta.checkpointInterval", "4"));
        for (int i = 1; i <= 6; i++) {
            fixture.append("f" + i);
        }
        table = fixture.table;
        log = Path.of(table.location(), "_delta_log");
        assertThat(table.snapshot().files()).hasSize(6);
    }

    @Test
    void reportsBrokenEntries() throws IOException {
        List<UnaryOperator<String>> damages = List.of(
                text -> "",
                text -> text.substring(0, text.length() / 2),
                text -> text.replace("\"add\"", "\"add"),
                text -> text.strip() + "{\"remove\":{\"path\":\"f1\",\"dataChange\":true}}\n",
                text -> text + "not json\n",
                text -> text.replace("\"path\":\"f5\",", ""),
                text -> text.replace("\"size\":100", "\"size\":\"x\""),
                text -> text + "[]\n",
                text -> text + "\n\n");
        Path entry = log.resolve("00000000000000000005.json");
        String good = Files.readString(entry);
        for (int i = 0; i < damages.size(); i++) {
            Files.writeString(entry, damages.get(i).apply(good));
            assertCorrupt("damage " + i, "00000000000000000005.json");
            assertThatThrownBy(() -> table.actions(5))
                    .as("damage " + i)
                    .isInstanceOfSatisfying(
                            TidemarkException.class,
                            error -> assertThat(error.code()).isEqualTo(ErrorCode.LOG_CORRUPT));
        }
        Files.write(entry, good.replace("f5", "f\u00e9").getBytes(StandardCharsets.ISO_8859_1));
        assertCorrupt("not UTF-8", "00000000000000000005.json");
        Files.writeString(entry, good);
        assertThat(table.snapshot().files()).hasSize(6);
    }

    @Test
    void reportsMissingEntries() throws IOException {
        Files.delete(log.resolve("00000000000000000005.json"));
        assertCorrupt("a gap", "version 5");
        assertThat(table.at(4).files()).hasSize(4);
    }

    @Test
    void reportsBrokenCheckpoints() throws IOException {
        Files.delete(log.resolve("00000000000000000004.crc"));
        Path checkpoint = log.resolve("00000000000000000004.checkpoint.parquet");
        byte[] good = Files.readAllBytes(checkpoint);
        Files.write(checkpoint, Arrays.copyOf(good, good.length / 2));
        assertCorrupt("cut off", "00000000000000000004.checkpoint.parquet");
        Files.write(checkpoint, "no parquet at all".getBytes(UTF_8));
        assertCorrupt("other content", "00000000000000000004.checkpoint.parquet");
        Files.write(checkpoint, good);
        assertThat(table.snapshot().files()).hasSize(6);
    }

    @Test
    void noSingleDamagedByteOfACheckpointGivesOtherRows() throws IOException {
        Files.delete(log.resolve("00000000000000000004.crc"));
        List<DataFile> expected = table.snapshot().files();
        Path checkpoint = log.resolve("00000000000000000004.checkpoint.parquet");
        byte[] good = Files.readAllBytes(checkpoint);
        int reported = 0;
        int step = Math.max(1, good.length / 400);
        for (int i = 0; i < good.length; i += step) {
            byte[] damaged = good.clone();
            damaged[i] ^= 0x04;
            Files.write(checkpoint, damaged);
            try {
                assertThat(table.snapshot().files()).as("byte " + i).containsExactlyInAnyOrderElementsOf(expected);
            } catch (TidemarkException e) {
                assertThat(e.code()).as("byte " + i + ": " + e.render()).isEqualTo(ErrorCode.LOG_CORRUPT);
                reported++;
            }
        }
        assertThat(reported).isPositive();
    }

    @Test
    void doesWithoutABrokenHint() throws IOException {
        for (String content : List.of("", "{", "{\"version\":99,\"size\":1}", "null", "[1]")) {
            Files.writeString(log.resolve("_last_checkpoint"), content);
            assertThat(table.latestVersion()).isEqualTo(6);
            assertThat(table.snapshot().files()).hasSize(6);
        }
    }

    @Test
    void doesWithoutABrokenChecksum() throws IOException {
        for (String content : List.of("", "{", "{\"tableSizeBytes\":1}", "null")) {
            Files.writeString(log.resolve("00000000000000000004.crc"), content);
            assertThat(table.snapshot().files()).hasSize(6);
            assertThat(table.at(4).files()).hasSize(4);
        }
    }

    private void assertCorrupt(String description, String text) {
        assertThatThrownBy(() -> table.snapshot().files())
                .as(description)
                .isInstanceOfSatisfying(TidemarkException.class, error -> {
                    assertThat(error.code()).isEqualTo(ErrorCode.LOG_CORRUPT);
                    assertThat(error.render()).contains(text).contains(table.location());
                });
    }
}
