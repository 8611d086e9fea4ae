// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Runs Debezium's embedded engine on the slot and writes each event down until the finishing mark has come. */
final class FeedRecorder implements DebeziumEngine.ChangeConsumer<ChangeEvent<String, String>> {

    private static final String END_TOPIC = "shop.recording.finished";
    private static final String TOPIC_START = "shop.shop.";
    private static final long PATIENCE_SECONDS = 600;

    private final Options options;
    private final FeedWriter writer;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean sawEnd;
    private volatile Throwable failure;

    FeedRecorder(Options options) throws IOException {
        this.options = options;
        this.writer = new FeedWriter(options.data().resolve("feed"), options.linesPerFile());
    }

    FeedCounts record() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (writer; DebeziumEngine<ChangeEvent<String, String>> engine = DebeziumEngine.create(Json.class)
                .using(configuration())
                .using((success, message, error) -> {
                    failure = error != null || success ? error : new IllegalStateException(message);
                    ended.countDown();
                })
                .notifying(this)
                .build()) {
            executor.execute(engine);
            boolean inTime = ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (failure != null) {
                throw new IllegalStateException("the engine failed", failure);
            }
            if (!inTime || !sawEnd) {
                throw new IllegalStateException("the finishing mark did not come");
            }
        } finally {
            executor.shutdown();
        }
        return writer.counts();
    }

    /** Nothing is acknowledged before it can be read in the files. */
    @Override
    public void handleBatch(List<ChangeEvent<String, String>> events,
            DebeziumEngine.RecordCommitter<ChangeEvent<String, String>> committer) throws InterruptedException {
        try {
            for (ChangeEvent<String, String> event : events) {
                take(event);
            }
            writer.flush();
        } catch (IOException cannotWrite) {
            throw new UncheckedIOException(cannotWrite);
        }
        for (ChangeEvent<String, String> event : events) {
            committer.markProcessed(event);
        }
        committer.markBatchFinished();
        if (sawEnd) {
            ended.countDown();
        }
    }

    @Override
    public boolean supportsTombstoneEvents() {
        return true;
    }

    private void take(ChangeEvent<String, String> event) throws IOException {
        String topic = event.destination();
        if (topic.equals(END_TOPIC)) {
            sawEnd = true;
        } else if (topic.startsWith(TOPIC_START)) {
            writer.write(topic.substring(TOPIC_START.length()), event.key(), event.value());
        } else {
            throw new IllegalStateException("an event came on the unknown topic " + topic);
        }
    }

    private Properties configuration() {
        Path offsets = options.work().resolve("offsets.dat");
        Properties properties = new Properties();
        properties.setProperty("name", "shop-recorder");
        properties.setProperty("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
        properties.setProperty("offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore");
        properties.setProperty("offset.storage.file.filename", offsets.toString());
        properties.setProperty("offset.flush.interval.ms", "0");
        properties.setProperty("database.hostname", "127.0.0.1");
        properties.setProperty("database.port", String.valueOf(options.port()));
        properties.setProperty("database.user", options.user());
        properties.setProperty("database.password", "");
        properties.setProperty("database.dbname", options.database());
        properties.setProperty("topic.prefix", "shop");
        properties.setProperty("schema.include.list", "shop,recording");
        properties.setProperty("plugin.name", "pgoutput");
        properties.setProperty("slot.name", Recording.SLOT);
        properties.setProperty("publication.name", "shop_feed");
        properties.setProperty("publication.autocreate.mode", "disabled");
        properties.setProperty("snapshot.mode", "no_data");
        properties.setProperty("skipped.operations", "none");
        properties.setProperty("tombstones.on.delete", "true");
        properties.setProperty("decimal.handling.mode", "string");
        properties.setProperty("time.precision.mode", "isostring");
        properties.setProperty("key.converter.schemas.enable", "false");
        properties.setProperty("value.converter.schemas.enable", "false");
        properties.setProperty("max.batch.size", "8192");
        properties.setProperty("max.queue.size", "32768");
        properties.setProperty("poll.interval.ms", "50");
        return properties;
    }
}
