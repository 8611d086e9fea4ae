package io.tidemark.tests.shop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.pipeline.PipelineRunner;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.RunListener;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.sql.parse.PipelineParser;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.warehouse.Warehouse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recorded feed of the shop, run once, gives what the database held. */
class ShopFeedTest {
    private static final Path SHOP =
            Path.of("..", "examples", "shop").toAbsolutePath().normalize();
    private static final String PLACEHOLDER = "__debezium_unavailable_value";

    @TempDir
    static Path folder;

    private static DuckDbEngine engine;
    private static Warehouse warehouse;
    private static PipelineDefinition pipeline;

    @BeforeAll
    static void run() throws IOException {
        engine = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("temp")));
        warehouse = Warehouse.at(new LocalStorage(), folder.resolve("warehouse").toString());
        String text = Files.readString(SHOP.resolve("pipeline.sql"));
        pipeline = PipelineParser.parse(List.of(new SourceText("pipeline.sql", text)))
                .orThrow();
        update();
    }

    private static List<FlowResult> update() {
        return new PipelineRunner(warehouse, engine, SHOP, RunListener.NONE, Clock.systemUTC())
                .run(pipeline, RunOptions.of("pipeline"));
    }

    @AfterAll
    static void close() {
        engine.close();
    }

    private static List<List<@Nullable Object>> query(String sql) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        new Session(warehouse, engine, folder).execute(new SourceText("query.sql", sql), result -> {
            if (result instanceof StatementResult.Rows found) {
                found.rows().forEach(values -> rows.add(new ArrayList<>(values)));
            }
        });
        return rows;
    }

    private static List<String> texts(String sql) {
        return query(sql).stream().map(String::valueOf).toList();
    }

    private static void assertEqualsDatabase(String table, String order, Set<String> unknownNotes) throws IOException {
        List<List<@Nullable String>> expected = PostgresCsv.read(SHOP.resolve("expected/" + table + ".csv.gz"));
        List<@Nullable String> names = expected.get(0);
        String columns = String.join(", ", names.stream().map(String::valueOf).toList());
        List<List<@Nullable String>> actual = new ArrayList<>();
        for (List<@Nullable Object> row : query("SELECT " + columns + " FROM " + table + " ORDER BY " + order)) {
            List<@Nullable String> texts = new ArrayList<>();
            row.forEach(value -> texts.add(PostgresCsv.text(value)));
            actual.add(texts);
        }
        assertThat(actual).hasSize(expected.size() - 1);
        int notes = names.indexOf("notes");
        for (int i = 0; i < actual.size(); i++) {
            List<@Nullable String> wanted = new ArrayList<>(expected.get(i + 1));
            if (unknownNotes.contains(String.valueOf(wanted.get(0)))) {
                wanted.set(notes, null);
            }
            assertThat(actual.get(i)).as("%s row %d", table, i).isEqualTo(wanted);
        }
    }

    @Test
    void ordersEqualTheDatabase() throws IOException {
        assertEqualsDatabase("orders", "order_id", Set.of());
    }

    @Test
    void orderLinesEqualTheDatabase() throws IOException {
        assertEqualsDatabase("order_lines", "order_id, line_no", Set.of());
    }

    @Test
    void cartsEqualTheDatabaseAfterItsTruncate() throws IOException {
        assertEqualsDatabase("carts", "cart_id", Set.of());
    }

    /**
     * When a row's key changed, the database sent its long text under the old key only: the event of the new key says
     * that it did not change. Such texts are in no event of the new key, so there the table holds NULL until one comes.
     */
    @Test
    void customersEqualTheDatabaseButForTextsThatNoEventOfTheirKeyHolds() throws IOException {
        Set<String> unknown = keysWithUnknownNotes();
        assertThat(unknown).isNotEmpty().hasSizeLessThan(60);
        assertEqualsDatabase("customers", "customer_id", unknown);
    }

    /** Walks the feed: keys whose last life has no event that holds their notes. */
    private static Set<String> keysWithUnknownNotes() throws IOException {
        Set<String> unknown = new HashSet<>();
        ObjectMapper mapper = new ObjectMapper();
        List<Path> files;
        try (Stream<Path> found = Files.list(SHOP.resolve("feed/customers"))) {
            files = found.sorted().toList();
        }
        for (Path file : files) {
            try (BufferedReader reader = new BufferedReader(
                    new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    JsonNode event = mapper.readTree(line);
                    String key = event.path("key").path("customer_id").asText();
                    JsonNode after = event.path("value").path("after");
                    boolean placeholder = after.path("notes").asText("").equals(PLACEHOLDER);
                    if (event.path("value").path("op").asText().equals("c") && placeholder) {
                        unknown.add(key);
                    } else if (event.path("value").isObject() && !placeholder) {
                        unknown.remove(key);
                    }
                }
            }
        }
        return unknown;
    }

    @Test
    void openVersionsOfTheHistoryAreTheLatestVersions() {
        String columns = "customer_id, name, email, phone, tags, birth_date, registered_at, last_visit, newsletter,"
                + " balance, notes";
        assertThat(texts("SELECT " + columns + " FROM customers_history WHERE __END_AT IS NULL ORDER BY customer_id"))
                .isEqualTo(texts("SELECT " + columns + " FROM customers ORDER BY customer_id"));
    }

    @Test
    void beliefAsOfNowIsTheHistoryOfPrices() {
        String columns = "product_id, price, currency, __START_AT, __END_AT";
        List<String> history = texts("SELECT " + columns + " FROM prices_history ORDER BY product_id, __START_AT");
        assertThat(history).hasSizeGreaterThan(5_000);
        assertThat(texts("SELECT " + columns
                        + " FROM prices WHERE __SYSTEM_END_AT IS NULL ORDER BY product_id, __START_AT"))
                .isEqualTo(history);
    }

    @Test
    void aSecondRunFindsNothingNew() {
        assertThat(update()).allSatisfy(result -> assertThat(result.status()).isEqualTo(FlowResult.Status.UNCHANGED));
    }
}
