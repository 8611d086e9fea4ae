// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

/** Makes the tables and the replication slot, runs the workload, records the feed and copies out the final content. */
final class Recording {

    static final String SLOT = "shop_recorder";

    private final Options options;
    private final PrintStream out;
    private final String url;

    Recording(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
        this.url = "jdbc:postgresql://127.0.0.1:" + options.port() + "/" + options.database();
    }

    void run() throws Exception {
        long start = System.nanoTime();
        try (Connection connection = DriverManager.getConnection(url, options.user(), "")) {
            prepare(connection);
        }
        work();
        out.println("workload done after " + seconds(start) + " s");
        FeedCounts counts = new FeedRecorder(options).record();
        counts.write(options.data().resolve(FeedCounts.FILE));
        counts.print(out);
        out.println("feed recorded after " + seconds(start) + " s");
        copyOut();
        out.println("final content copied after " + seconds(start) + " s");
    }

    /** The slot comes after the tables and the publication and before the first row: so nothing is missed. */
    private static void prepare(Connection connection) throws SQLException, IOException {
        try (Statement statement = connection.createStatement();
                InputStream schema = Recording.class.getResourceAsStream("/schema.sql")) {
            statement.execute(new String(schema.readAllBytes(), StandardCharsets.UTF_8));
            statement.execute("SELECT pg_create_logical_replication_slot('" + SLOT + "', 'pgoutput')");
        }
    }

    private void work() throws SQLException {
        Dice dice = new Dice(options.seed());
        try (Session session = new Session(url, options.user(), dice);
                SlowImport slowImport = new SlowImport(
                        new Session(url, options.user(), new Dice(options.seed() + 2)), new Dice(options.seed() + 1))) {
            new Workload(session, slowImport, dice, options.rounds()).run(out);
            session.executeOne("INSERT INTO recording.finished VALUES (1)");
            session.commit();
        }
    }

    private void copyOut() throws SQLException, IOException {
        Path folder = Files.createDirectories(options.data().resolve("expected"));
        try (Connection connection = DriverManager.getConnection(url, options.user(), "");
                Statement statement = connection.createStatement()) {
            statement.execute("SET TIME ZONE 'UTC'");
            statement.execute("SET DateStyle = 'ISO, YMD'");
            CopyManager copy = new CopyManager(connection.unwrap(BaseConnection.class));
            for (ShopTable table : ShopTable.values()) {
                Path file = folder.resolve(table.tableName() + ".csv.gz");
                try (OutputStream target = BestGzipOutputStream.create(file)) {
                    copy.copyOut(table.copyStatement(), target);
                }
            }
        }
    }

    private static String seconds(long start) {
        return String.format(Locale.ROOT, "%.1f", (System.nanoTime() - start) / 1e9);
    }
}
