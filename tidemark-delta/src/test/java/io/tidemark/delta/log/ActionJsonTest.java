package io.tidemark.delta.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ActionJsonTest {
    private static final DeletionVectorDescriptor VECTOR =
            new DeletionVectorDescriptor("u", "ab^-aqEH.-t@S}K{vb[*k^", 4, 40, 6);

    @Test
    void keepsEveryActionThroughTextAndBack() throws IOException {
        Map<String, @Nullable String> partition = new LinkedHashMap<>();
        partition.put("p", null);
        partition.put("q", "a\"b\\é\u0001");
        List<Action> actions = List.of(
                new AddFile(
                        "a%20b", partition, 5, 6, true, "{\"numRecords\":1}", Map.of("t", "v"), VECTOR, 7L, 8L, "me"),
                AddFile.of("x", Map.of(), Long.MAX_VALUE, 0, null),
                new RemoveFile("a", 1L, false, true, partition, 5L, Map.of("t", "v"), VECTOR, 7L, 8L, "{}"),
                new RemoveFile("a", null, true, false, Map.of(), null, Map.of(), null, null, null, null),
                new CdcFile("_change_data/c", Map.of("p", "1"), 9, Map.of()),
                new SetTransaction("app", 3, 4L),
                new SetTransaction("app", -3, null),
                new DomainMetadata("d", "{\"a\":1}", true),
                new Metadata(
                        "id", "n", "d", "parquet", Map.of("o", "1"), "{}", List.of("p", "q"), Map.of("k", "v"), 12L),
                new Metadata("id", null, null, "parquet", Map.of(), "{}", List.of(), Map.of(), null),
                new Protocol(1, 2, Set.of(), Set.of()),
                new Protocol(3, 7, Set.of("deletionVectors"), Set.of("deletionVectors", "appendOnly")));
        for (Action action : actions) {
            String text = ActionJson.write(action);
            assertThat(ActionJson.parse(text)).contains(action);
            assertThat(ActionJson.write(ActionJson.parse(text).orElseThrow())).isEqualTo(text);
        }
    }

    @Test
    void writesKeysInAFixedOrder() {
        assertThat(ActionJson.write(new AddFile("p", Map.of(), 1, 2, true, null, Map.of(), VECTOR, null, null, null)))
                .isEqualTo("{\"add\":{\"path\":\"p\",\"partitionValues\":{},\"size\":1,\"modificationTime\":2,"
                        + "\"dataChange\":true,\"deletionVector\":{\"storageType\":\"u\","
                        + "\"pathOrInlineDv\":\"ab^-aqEH.-t@S}K{vb[*k^\",\"offset\":4,\"sizeInBytes\":40,"
                        + "\"cardinality\":6}}}");
        assertThat(ActionJson.write(new Protocol(3, 7, Set.of("b", "a"), Set.of("c", "b", "a"))))
                .isEqualTo("{\"protocol\":{\"minReaderVersion\":3,\"minWriterVersion\":7,"
                        + "\"readerFeatures\":[\"a\",\"b\"],\"writerFeatures\":[\"a\",\"b\",\"c\"]}}");
        assertThat(ActionJson.write(new Protocol(1, 2, Set.of(), Set.of())))
                .isEqualTo("{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}");
    }

    @Test
    void keepsNumbersOfCommitInformationExactly() throws IOException {
        String line = "{\"commitInfo\":{\"timestamp\":1700000000000,\"operation\":\"WRITE\","
                + "\"operationParameters\":{\"a\":1.10,\"b\":123456789012345678901234567890,\"c\":[1,null,{\"d\":true}]},"
                + "\"isBlindAppend\":true,\"txnId\":\"t\"}}";
        CommitInfo info = (CommitInfo) ActionJson.parse(line).orElseThrow();
        assertThat(info.operationParameters().get("a")).isEqualTo(new BigDecimal("1.10"));
        assertThat(info.operationParameters().get("b")).isEqualTo(new BigInteger("123456789012345678901234567890"));
        assertThat(info.timestamp()).contains(1700000000000L);
        assertThat(info.isBlindAppend()).contains(true);
        assertThat(info.readVersion()).isEmpty();
        assertThat(ActionJson.write(info)).isEqualTo(line);
    }

    @Test
    void passesOverUnknownKindsAndFields() throws IOException {
        assertThat(ActionJson.parse("{\"sidecar\":{\"path\":\"x\"}}")).isEmpty();
        assertThat(ActionJson.parse("{\"txn\":{\"appId\":\"a\",\"version\":1,\"new\":{\"x\":[1]}}}"))
                .contains(new SetTransaction("a", 1, null));
    }

    @Test
    void refusesWhatIsNotOneWholeAction() {
        for (String line : List.of(
                "",
                "{",
                "[]",
                "{}",
                "null",
                "{\"add\":{\"path\":\"p\"}}",
                "{\"txn\":{\"appId\":\"a\",\"version\":1}} x",
                "{\"txn\":{\"appId\":\"a\",\"version\":1}}{\"txn\":{\"appId\":\"a\",\"version\":1}}",
                "{\"txn\":{\"appId\":\"a\",\"version\":1},\"add\":{}}",
                "{\"txn\":{\"appId\":\"a\",\"version\":1.5}}",
                "{\"txn\":{\"appId\":\"a\",\"version\":\"1\"}}",
                "{\"txn\":{\"appId\":\"a\",\"appId\":\"b\",\"version\":1}}",
                "{\"txn\":{\"appId\":5,\"version\":1}}",
                "{\"txn\":7}")) {
            assertThatThrownBy(() -> ActionJson.parse(line)).as(line).isInstanceOf(IOException.class);
        }
    }

    @Test
    void encodesPaths() {
        assertThat(LogPath.encode("p=a b/x%y#z?.parquet")).isEqualTo("p=a%20b/x%25y%23z%3F.parquet");
        assertThat(LogPath.encode("é")).isEqualTo("%C3%A9");
        assertThat(LogPath.encode("a:b/c:d")).isEqualTo("a%3Ab/c:d");
    }

    @Test
    void readsStatistics() {
        FileStatistics stats = FileStatistics.parse("{\"numRecords\":3,\"minValues\":{\"id\":1,\"s\":{\"x\":\"a\"}},"
                + "\"maxValues\":{\"id\":2.5,\"s\":{\"x\":\"b\"}},\"nullCount\":{\"id\":0,\"s\":{\"x\":1}},"
                + "\"tightBounds\":false}");
        assertThat(stats.numRecords()).hasValue(3);
        assertThat(stats.tightBounds()).isFalse();
        assertThat(stats.min("id")).contains(1L);
        assertThat(stats.max("id")).contains(new BigDecimal("2.5"));
        assertThat(stats.nullCount("id")).hasValue(0);
        assertThat(stats.minValues()).containsEntry(List.of("s", "x"), "a");
        assertThat(stats.nullCounts()).containsEntry(List.of("s", "x"), 1L);
        assertThat(FileStatistics.parse(null)).isEqualTo(FileStatistics.NONE);
        assertThat(FileStatistics.parse("broken")).isEqualTo(FileStatistics.NONE);
    }
}
