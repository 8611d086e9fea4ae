package io.tidemark.duckdb;

import static io.tidemark.duckdb.EngineFixture.column;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DuckDbDialectTest {
    @TempDir
    Path folder;

    private final Dialect dialect = new DuckDbDialect();
    private DuckDbEngine engine;

    @BeforeEach
    void open() {
        engine = EngineFixture.open(folder);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private @Nullable Object value(String expression) {
        return column(engine, "SELECT " + expression).get(0);
    }

    @Test
    void namesAndTextsMayHoldAnything() {
        String select = "SELECT " + dialect.string("it's \\ 'x'") + " AS " + dialect.name("a \"b\" 'c'");
        assertThat(column(engine, select)).containsExactly("it's \\ 'x'");
        assertThat(engine.describe(select).names()).containsExactly("a \"b\" 'c'");
    }

    @Test
    void emptySelectHasTheTypes() {
        List<StructField> fields = new ArrayList<>();
        for (ScalarType type : ScalarType.values()) {
            fields.add(StructField.of("c " + type, type));
        }
        DataType struct = StructType.of(StructField.of("x y", new DecimalType(38, 3)));
        fields.add(StructField.of("l", new ArrayType(struct, true)));
        fields.add(StructField.of("m", new MapType(ScalarType.STRING, struct, true)));
        StructType schema = new StructType(fields);
        assertThat(engine.describe(dialect.emptySelect(schema))).isEqualTo(schema);
        assertThat(column(engine, dialect.emptySelect(schema))).isEmpty();
    }

    @Test
    void structsAndTheirFields() {
        String struct = dialect.struct(List.of("a b", "c"), List.of("1", "'x'"));
        assertThat(value(struct)).isEqualTo(Map.of("a b", 1, "c", "x"));
        assertThat(value(dialect.field(struct, "A B"))).isEqualTo(1);
        StructType type = StructType.of(StructField.of("a", ScalarType.INTEGER));
        assertThat(value(dialect.field(dialect.nullOf(type), "a"))).isNull();
    }

    @Test
    void lastNonNullValueOfAWindow() {
        String last = dialect.lastNonNull("v", "ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW");
        assertThat(column(
                        engine,
                        "SELECT " + last
                                + " FROM (VALUES (1, NULL), (2, 'a'), (3, NULL), (4, 'b')) AS t(i, v) ORDER BY i"))
                .containsExactly(null, "a", "a", "b");
    }

    @Test
    void arraysOfNames() {
        String array = "['Id', NULL]::VARCHAR[]";
        String nothing = "NULL::VARCHAR[]";
        assertThat(value(dialect.containsIgnoreCase(array, "iD"))).isEqualTo(true);
        assertThat(value(dialect.containsIgnoreCase(array, "x"))).isEqualTo(false);
        assertThat(value(dialect.containsIgnoreCase(nothing, "x"))).isNull();
        assertThat(value(dialect.hasElementOutside(array, List.of("ID")))).isEqualTo(true);
        assertThat(value(dialect.hasElementOutside("['id']", List.of("ID", "b"))))
                .isEqualTo(false);
        assertThat(value(dialect.hasElementOutside("['x']", List.of("ID")))).isEqualTo(true);
        assertThat(value(dialect.hasElementOutside("['x']", List.of()))).isEqualTo(true);
        assertThat(value(dialect.hasElementOutside(nothing, List.of("a")))).isEqualTo(false);
    }

    @Test
    void mapsCompareWithoutRegardToTheOrderOfTheirEntries() {
        DataType map = new MapType(ScalarType.STRING, ScalarType.INTEGER, true);
        DataType nested = StructType.of(StructField.of("l", new ArrayType(map, true)));
        String a = "{'l': [MAP {'x': 1, 'y': NULL}]}";
        String b = "{'l': [MAP {'y': NULL, 'x': 1}]}";
        String equal = " IS NOT DISTINCT FROM ";
        assertThat(value(dialect.comparable(a, nested) + equal + dialect.comparable(b, nested)))
                .isEqualTo(true);
        assertThat(value(dialect.comparable("MAP {'x': 1}", map) + equal + dialect.comparable("MAP {'x': 2}", map)))
                .isEqualTo(false);
        assertThat(value(dialect.comparable(dialect.nullOf(map), map))).isNull();
        assertThat(dialect.comparable("c", ScalarType.DOUBLE)).isEqualTo("c");
    }
}
