package io.tidemark.delta.kernel;

import io.delta.kernel.defaults.engine.DefaultEngine;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.engine.ExpressionHandler;
import io.delta.kernel.engine.FileSystemClient;
import io.delta.kernel.engine.JsonHandler;
import io.delta.kernel.engine.MetricsReporter;
import io.delta.kernel.engine.ParquetHandler;
import io.tidemark.delta.storage.Storage;
import java.util.List;

/** Kernel's engine over our storage. */
final class StorageEngine implements Engine {
    private final Engine defaults;
    private final JsonHandler json;
    private final ParquetHandler parquet;

    StorageEngine(Storage storage) {
        defaults = DefaultEngine.create(new StorageFileIO(storage));
        json = new StrictJsonHandler(storage, defaults.getJsonHandler());
        parquet = new StorageParquetHandler(storage, defaults.getParquetHandler());
    }

    @Override
    public ExpressionHandler getExpressionHandler() {
        return defaults.getExpressionHandler();
    }

    @Override
    public JsonHandler getJsonHandler() {
        return json;
    }

    @Override
    public FileSystemClient getFileSystemClient() {
        return defaults.getFileSystemClient();
    }

    @Override
    public ParquetHandler getParquetHandler() {
        return parquet;
    }

    @Override
    public List<MetricsReporter> getMetricsReporters() {
        // Kernel's reports repeat what we log ourselves, and their start-up is slow.
        return List.of();
    }
}
