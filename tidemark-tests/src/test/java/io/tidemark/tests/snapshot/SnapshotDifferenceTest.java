package io.tidemark.tests.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.snapshot.RowHash;
import io.tidemark.core.snapshot.SnapshotDifference;
import io.tidemark.core.snapshot.SnapshotDifference.Counts;
import io.tidemark.core.snapshot.SnapshotSide;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The comparison by itself: kinds, NULLs, conditions of the caller, keys that are no keys. */
class SnapshotDifferenceTest {
    private static final String CURRENT =
            "SELECT * FROM (VALUES (1, 'a', 10), (2, NULL, 20), (3, 'c', 30), (4, 'd', 40))" + " AS t(id, name, seen)";

    @TempDir
    Path temporary;

    private DuckDbEngine engine;

    @BeforeEach
    void open() {
        engine = DuckDbEngine.open(DuckDbSettings.defaults(temporary));
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void keysAreNewChangedVanishedOrEqual() {
        String rows = "SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (4, NULL), (5, NULL)) AS t(id, name)";
        try (SnapshotDifference difference = byHash(rows)) {
            assertThat(difference.load()).isEqualTo(4);
            assertThat(difference.checkKeys("the snapshot", false, "")).isZero();
            Counts counts = difference.compare(difference.differs(), "FALSE");
            assertThat(counts).isEqualTo(new Counts(1, 2, 1, 1));
            assertThat(texts("SELECT k0, kind, seen FROM " + difference.changes() + " ORDER BY k0"))
                    .containsExactly("[2, 1, 20]", "[3, 2, 30]", "[4, 1, 40]", "[5, 0, null]");
            assertThat(texts("SELECT r.name FROM " + difference.changes() + " AS d JOIN " + difference.rows()
                            + " AS r ON d.__snapshot_row = r.__snapshot_row ORDER BY d.k0"))
                    .containsExactly("[b]", "[null]", "[null]");
        }
    }

    @Test
    void nullsAndEmptyTextsAreNotTheSame() {
        String rows = "SELECT * FROM (VALUES (1, 'a'), (2, ''), (3, 'c'), (4, 'd')) AS t(id, name)";
        try (SnapshotDifference difference = byHash(rows)) {
            difference.load();
            difference.checkKeys("the snapshot", false, "");
            assertThat(difference.compare(difference.differs(), "FALSE")).isEqualTo(new Counts(0, 1, 0, 3));
        }
    }

    @Test
    void theCallerSaysWhatIsAChange() {
        String rows = "SELECT * FROM (VALUES (1, 'x', 10), (2, 'x', 21), (3, 'x', NULL), (4, 'd', 39))"
                + " AS t(id, name, updated)";
        SnapshotSide snapshot =
                new SnapshotSide(rows, List.of("r.id"), List.of("r.name"), Map.of("updated", "r.updated"));
        try (SnapshotDifference difference = new SnapshotDifference(engine, "d_", snapshot, current(), List.of("id"))) {
            difference.load();
            difference.checkKeys("the snapshot", false, "");
            Counts counts = difference.compare("c.seen < s.updated", difference.differs());
            assertThat(counts).isEqualTo(new Counts(0, 1, 0, 3));
            // 1 and 3 have other data that the condition does not see; 4 is the same, and older.
            assertThat(texts("SELECT k0, kind FROM " + difference.changes() + " ORDER BY k0"))
                    .containsExactly("[1, 3]", "[2, 1]", "[3, 3]");
        }
    }

    @Test
    void duplicateKeysAreCountedAndShown() {
        String rows = "SELECT * FROM (VALUES (1, 'a'), (1, 'b'), (2, 'x'), (3, 'y'), (3, 'y')) AS t(id, name)";
        try (SnapshotDifference difference = byHash(rows)) {
            difference.load();
            TidemarkException error = catchThrowableOfType(
                    TidemarkException.class, () -> difference.checkKeys("the snapshot of flow f", false, ""));
            assertThat(error.code()).isEqualTo(ErrorCode.DUPLICATE_SNAPSHOT_KEY);
            assertThat(error.primary()).isEqualTo("2 keys of the snapshot of flow f stand in several rows");
            assertThat(error.detail().orElseThrow())
                    .isEqualTo("Nothing was committed. For example:\nid = 1: 2 rows\nid = 3: 2 rows");
        }
    }

    @Test
    void rowsWithoutKeyAreRefusedOrLeftOut() {
        String rows = "SELECT * FROM (VALUES (NULL, 'a'), (1, 'a'), (NULL, 'b'), (2, NULL), (3, 'c'), (4, 'd'))"
                + " AS t(id, name)";
        try (SnapshotDifference difference = byHash(rows)) {
            difference.load();
            TidemarkException error = catchThrowableOfType(
                    TidemarkException.class, () -> difference.checkKeys("the snapshot", false, ""));
            assertThat(error.code()).isEqualTo(ErrorCode.NULL_KEY);
            assertThat(error.primary()).isEqualTo("2 rows of the snapshot with NULL in the key");
            assertThat(difference.checkKeys("the snapshot", true, "")).isEqualTo(2);
            assertThat(difference.compare(difference.differs(), "FALSE")).isEqualTo(new Counts(0, 0, 0, 4));
        }
    }

    @Test
    void oneMissingPartIsAMissingKey() {
        String rows = "SELECT * FROM (VALUES (1, NULL, 'a'), (1, 2, 'a')) AS t(a, b, name)";
        SnapshotSide snapshot = new SnapshotSide(rows, List.of("r.a", "r.b"), List.of("r.name"));
        SnapshotSide nothing = new SnapshotSide(
                "SELECT 1 AS a, 1 AS b, 'x' AS name WHERE 1 = 0", List.of("r.a", "r.b"), List.of("r.name"));
        try (SnapshotDifference difference =
                new SnapshotDifference(engine, "d_", snapshot, nothing, List.of("a", "b"))) {
            difference.load();
            TidemarkException error = catchThrowableOfType(
                    TidemarkException.class, () -> difference.checkKeys("the snapshot", false, ""));
            assertThat(error.code()).isEqualTo(ErrorCode.NULL_KEY);
            assertThat(error.detail().orElseThrow()).endsWith("a = 1, b = null");
        }
    }

    @Test
    void rowsOfKeysAloneDifferInNothing() {
        SnapshotSide snapshot = new SnapshotSide("SELECT 1 AS id", List.of("r.id"), List.of());
        SnapshotSide same = new SnapshotSide("SELECT 1 AS id", List.of("r.id"), List.of());
        try (SnapshotDifference difference = new SnapshotDifference(engine, "d_", snapshot, same, List.of("id"))) {
            difference.load();
            difference.checkKeys("the snapshot", false, "");
            assertThat(difference.compare(difference.differs(), "FALSE")).isEqualTo(new Counts(0, 0, 0, 1));
        }
    }

    @Test
    void aSnapshotThatPassesByGivesTheSameAsOneThatIsKept() {
        String rows = "SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (4, NULL), (5, NULL)) AS t(id, name)";
        try (SnapshotDifference difference = byHash(rows)) {
            Counts counts = difference.compare(difference.differs(), "FALSE");
            assertThat(difference.loaded()).isEqualTo(4);
            assertThat(counts).isEqualTo(new Counts(1, 2, 1, 1));
            assertThat(difference.checkKeysAreGiven("the snapshot", false, "")).isZero();
            assertThat(difference.keysAreUnique(counts)).isTrue();
            assertThat(texts("SELECT k0, kind, seen FROM " + difference.changes() + " ORDER BY k0"))
                    .containsExactly("[2, 1, 20]", "[3, 2, 30]", "[4, 1, 40]", "[5, 0, null]");
            assertThat(texts("SELECT r.id, r.name FROM " + difference.changes() + " AS d JOIN " + difference.rows()
                            + " AS r ON d.__snapshot_row = r.__snapshot_row ORDER BY d.k0"))
                    .containsExactly("[2, b]", "[4, null]", "[5, null]");
        }
    }

    @Test
    void allRowsThatPassByAreCountedWhateverThreadReadsThem() {
        String rows = "SELECT i::INTEGER AS id, i::VARCHAR AS name FROM range(300000) AS t(i)";
        SnapshotSide snapshot = new SnapshotSide(rows, List.of("r.id"), List.of("r.name"));
        try (SnapshotDifference difference = new SnapshotDifference(engine, "d_", snapshot, snapshot, List.of("id"))) {
            Counts counts = difference.compare(difference.differs(), "s.k0 % 1000 = 0");
            assertThat(difference.loaded()).isEqualTo(300_000);
            assertThat(counts).isEqualTo(new Counts(0, 0, 0, 300_000));
            assertThat(difference.keysAreUnique(counts)).isTrue();
            assertThat(texts("SELECT count(*), count(DISTINCT __snapshot_row) FROM " + difference.changes()))
                    .containsExactly("[300, 300]");
        }
    }

    @Test
    void keysThatStandTwiceAreFoundInASnapshotThatPassesBy() {
        // One that is unchanged twice, and one that is new twice.
        for (String twice : List.of("(1, 'a'), (1, 'a'), (2, NULL)", "(7, 'x'), (7, 'x'), (2, NULL)")) {
            try (SnapshotDifference difference = byHash("SELECT * FROM (VALUES " + twice + ") AS t(id, name)")) {
                assertThat(difference.keysAreUnique(difference.compare(difference.differs(), "FALSE")))
                        .isFalse();
                TidemarkException error = catchThrowableOfType(
                        TidemarkException.class, () -> difference.checkKeysAreUnique("the snapshot"));
                assertThat(error.primary()).isEqualTo("1 key of the snapshot stands in several rows");
            }
        }
    }

    @Test
    void rowsWithoutKeyAreFoundInASnapshotThatPassesBy() {
        try (SnapshotDifference difference = byHash("SELECT * FROM (VALUES (NULL, 'a'), (1, 'a')) AS t(id, name)")) {
            difference.compare(difference.differs(), "FALSE");
            TidemarkException error = catchThrowableOfType(
                    TidemarkException.class, () -> difference.checkKeysAreGiven("the snapshot", false, ""));
            assertThat(error.primary()).isEqualTo("1 row of the snapshot with NULL in the key");
        }
    }

    @Test
    void numbersStandForValuesAsComparingThemWould() {
        List<DataType> types = List.of(
                ScalarType.LONG,
                ScalarType.INTEGER,
                ScalarType.STRING,
                ScalarType.STRING,
                ScalarType.DOUBLE,
                ScalarType.TIMESTAMP_NTZ,
                new DecimalType(38, 4),
                ScalarType.BINARY,
                new ArrayType(ScalarType.STRING, true));
        List<String> values = List.of("r.a", "r.b", "r.c", "r.d", "r.e", "r.f", "r.g", "r.h", "r.i");
        engine.materialize(
                "samples",
                "SELECT * FROM (VALUES"
                        + " (1::BIGINT, 2::INTEGER, 'x', 'y', 0.0::DOUBLE, TIMESTAMP '2024-01-01', 1::DECIMAL(38,4), 'q'::BLOB, ['a']),"
                        + " (1, 2, 'x', 'y', -0.0, TIMESTAMP '2024-01-01', 1, 'q', ['a']),"
                        + " (2, 1, 'x', 'y', 0.0, TIMESTAMP '2024-01-01', 1, 'q', ['a']),"
                        + " (1, 2, 'y', 'x', 0.0, TIMESTAMP '2024-01-01', 1, 'q', ['a']),"
                        + " (1, 2, 'xy', '', 0.0, TIMESTAMP '2024-01-01', 1, 'q', ['a']),"
                        + " (1, 2, '', 'xy', 0.0, TIMESTAMP '2024-01-01', 1, 'q', ['a']),"
                        + " (1, 2, NULL, 'xy', 0.0, TIMESTAMP '2024-01-01', 1, 'q', ['a']),"
                        + " (1, 2, 'xy', NULL, 0.0, TIMESTAMP '2024-01-01', 1, 'q', ['a']),"
                        + " (NULL, 2, 'x', 'y', 'NaN', NULL, 1, 'q', ['a']),"
                        + " (NULL, 2, 'x', 'y', 'NaN', NULL, 1, 'q', ['a']),"
                        + " (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),"
                        + " (1, 2, 'x', 'y', 0.0, TIMESTAMP '2024-01-01', 1.0001, 'q', ['a']),"
                        + " (1, 2, 'x', 'y', 0.0, TIMESTAMP '2024-01-01', 1, 'p', ['a']),"
                        + " (1, 2, 'x', 'y', 0.0, TIMESTAMP '2024-01-01', 1, 'q', ['a', NULL])"
                        + ") AS t(a, b, c, d, e, f, g, h, i)",
                Optional.of("n"));
        List<String> hashed = new RowHash(engine.dialect()).of(values, types);
        assertThat(hashed).hasSize(2 + 3);
        String equalByValue = condition(values, " IS NOT DISTINCT FROM ");
        String equalByNumber = condition(hashed, " IS NOT DISTINCT FROM ");
        assertThat(texts("SELECT count(*) FROM samples AS r, samples AS o WHERE (" + equalByValue + ") <> ("
                        + equalByNumber + ")"))
                .containsExactly("[0]");
        assertThat(texts("SELECT r.n, o.n FROM samples AS r, samples AS o WHERE r.n < o.n AND " + equalByNumber
                        + " ORDER BY 1, 2"))
                .containsExactly("[0, 1]", "[8, 9]");
        for (String number : hashed.subList(0, 2)) {
            // Each of the two tells all apart that differ in what goes into them.
            assertThat(texts("SELECT count(DISTINCT v) FROM (SELECT " + number + " AS v FROM samples AS r)"))
                    .containsExactly("[9]");
        }
    }

    private static String condition(List<String> values, String operator) {
        return values.stream()
                .map(value -> value + operator + value.replace("r.", "o."))
                .collect(Collectors.joining(" AND "));
    }

    private SnapshotDifference byHash(String rows) {
        return new SnapshotDifference(
                engine, "d_", new SnapshotSide(rows, List.of("r.id"), List.of("r.name")), current(), List.of("id"));
    }

    private static SnapshotSide current() {
        return new SnapshotSide(CURRENT, List.of("r.id"), List.of("r.name"), Map.of("seen", "r.seen"));
    }

    private List<String> texts(String sql) {
        List<String> texts = new ArrayList<>();
        engine.stream(sql, row -> {
            texts.add(new ArrayList<>(row).toString());
            return true;
        });
        return texts;
    }
}
