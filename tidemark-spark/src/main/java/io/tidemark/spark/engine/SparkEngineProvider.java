package io.tidemark.spark.engine;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.EngineProvider;
import io.tidemark.core.engine.EngineSettings;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;

/** Opens the distributed engine by its name. Nothing of Spark is loaded before {@link #open}. */
public final class SparkEngineProvider implements EngineProvider {
    /** Called by the service loader. */
    public SparkEngineProvider() {}

    @Override
    public String name() {
        return "spark";
    }

    /**
     * {@inheritDoc}
     *
     * <p>Uses the application's session if this process has one; otherwise starts Spark, which stops with the engine.
     */
    @Override
    public Engine open(EngineSettings settings) {
        try {
            return SparkStart.open(settings);
        } catch (NoClassDefFoundError e) {
            throw TidemarkException.of(ErrorCode.ENGINE_UNAVAILABLE, "Spark's libraries are not on the class path")
                    .detail("Missing: " + e.getMessage() + ".")
                    .hint("set SPARK_HOME to an installation of Spark " + SparkStart.VERSION)
                    .cause(e)
                    .build();
        }
    }
}
