package io.tidemark.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.FileScan.ColumnMapping;
import io.tidemark.core.engine.FileScan.DataFile;
import io.tidemark.core.engine.RowPositions;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.session.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileColumnsTest {
    private static final StructType SCHEMA =
            new StructType(List.of(StructField.of("id", ScalarType.LONG), StructField.of("name", ScalarType.STRING)));

    @TempDir
    Path folder;

    private Session session;
    private FileColumns columns;
    private int count;

    @BeforeEach
    void open() {
        session = Session.open(new Properties(), List.of());
        columns = new FileColumns(session);
    }

    @AfterEach
    void close() {
        session.close();
    }

    private DataFile file(String select) throws IOException {
        Path path = folder.resolve("[a*] " + count++ + ".parquet");
        session.execute("COPY (" + select + ") TO '" + path + "' (FORMAT parquet)");
        return new DataFile(path.toString(), Files.size(path), Map.of(), RowPositions.NONE);
    }

    private static FileScan scan(StructType schema, ColumnMapping mapping, DataFile... files) {
        return new FileScan(schema, mapping, List.of(), List.of(files), Optional.empty(), Optional.empty());
    }

    @Test
    void filesWithTheColumnsFitInAnyOrderAndWithMore() throws IOException {
        DataFile one = file("SELECT 1::BIGINT AS id, 'a' AS name");
        DataFile other = file("SELECT 'b' AS name, true AS more, 2::BIGINT AS id");
        assertThat(columns.fit(scan(SCHEMA, ColumnMapping.NONE, one, other))).isTrue();
        assertThat(columns.fit(scan(SCHEMA, ColumnMapping.NONE, other, one))).isTrue();
    }

    @Test
    void aFileWithoutAColumnOrWithANarrowerTypeDoesNotFit() throws IOException {
        DataFile whole = file("SELECT 1::BIGINT AS id, 'a' AS name");
        assertThat(columns.fit(scan(SCHEMA, ColumnMapping.NONE, whole, file("SELECT 1::BIGINT AS id"))))
                .isFalse();
        assertThat(columns.fit(scan(SCHEMA, ColumnMapping.NONE, whole, file("SELECT 1::INTEGER AS id, 'a' AS name"))))
                .isFalse();
        assertThat(columns.fit(scan(SCHEMA, ColumnMapping.NONE, file("SELECT 1::BIGINT AS ID, 'a' AS name"))))
                .isFalse();
        assertThat(columns.fit(scan(SCHEMA, ColumnMapping.NONE, whole))).isTrue();
    }

    @Test
    void partsOfNestedColumnsAreNotTakenForColumns() throws IOException {
        DataFile nested = file("SELECT {'id': 1::BIGINT, 'name': 'a'} AS person");
        assertThat(columns.fit(scan(SCHEMA, ColumnMapping.NONE, nested))).isFalse();
    }

    @Test
    void columnsMappedByIdAreLeftToTheReader() throws IOException {
        assertThat(columns.fit(scan(SCHEMA, ColumnMapping.ID, file("SELECT 1::BIGINT AS id, 'a' AS name"))))
                .isFalse();
    }

    @Test
    void partitionColumnsAreNotAskedOfFiles() throws IOException {
        FileScan scan = new FileScan(
                SCHEMA,
                ColumnMapping.NONE,
                List.of("name"),
                List.of(file("SELECT 1::BIGINT AS id")),
                Optional.empty(),
                Optional.empty());
        assertThat(columns.fit(scan)).isTrue();
    }

    @Test
    void aFileThatCannotBeReadIsLeftToTheQuery() throws IOException {
        DataFile gone = file("SELECT 1::BIGINT AS id, 'a' AS name");
        Files.delete(Path.of(gone.location()));
        assertThat(columns.fit(scan(SCHEMA, ColumnMapping.NONE, gone))).isFalse();
    }

    @Test
    void aJoinWithFewKeysReadsFewRows() throws IOException {
        DataFile big = file("SELECT i AS id, 'name ' || i AS name FROM range(300000) AS t(i)");
        session.execute("CREATE TABLE keys AS SELECT i * 100000 + 7 AS id FROM range(3) AS t(i)");
        String join = " AS p JOIN keys AS k ON p.id = k.id";
        boolean plain = columns.fit(scan(SCHEMA, ColumnMapping.NONE, big));
        String relation = new FileRelation(
                        scan(SCHEMA, ColumnMapping.NONE, big),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        plain)
                .select();
        List<String> plan = new ArrayList<>();
        session.rows("EXPLAIN ANALYZE SELECT p.* FROM (" + relation + ")" + join)
                .forEach(row -> plan.add(String.valueOf(row.get(1))));
        // The reader itself drops the rows of other keys: no operator sees all of them.
        assertThat(plan).hasSize(1);
        assertThat(plan.get(0)).contains("READ_PARQUET").doesNotContain("300,000 rows");
    }
}
