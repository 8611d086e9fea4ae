package io.tidemark.spark.engine;

import io.tidemark.core.engine.EngineSettings;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.files.FileRows;
import java.io.IOException;
import java.io.Reader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import scala.Option;

/** Starts Spark in this process, which becomes the driver. */
final class SparkStart {
    /** The releases that the engine runs on: it uses parts of Spark that change between minor releases. */
    static final String VERSION = "4.1";

    private static final String MASTER = "spark.master";
    private static final int PARTITIONS_PER_THREAD = 4;

    private SparkStart() {}

    static SparkEngine open(EngineSettings settings) {
        String version = org.apache.spark.package$.MODULE$.SPARK_VERSION();
        if (!version.equals(VERSION) && !version.startsWith(VERSION + ".")) {
            throw TidemarkException.of(
                            ErrorCode.ENGINE_UNAVAILABLE, "Spark " + version + " cannot be used; it must be " + VERSION)
                    .hint("set SPARK_HOME to an installation of Spark " + VERSION)
                    .build();
        }
        Option<SparkSession> running = SparkSession.getDefaultSession();
        if (running.isDefined() && !running.get().sparkContext().isStopped()) {
            return SparkEngine.open(running.get());
        }
        SparkConf conf = conf(settings, System.getenv());
        try {
            return SparkEngine.openOwning(SparkSession.builder().config(conf).getOrCreate());
        } catch (Exception e) {
            // Spark throws checked exceptions without declaring them, and does not throw if no master answers: it
            // stops.
            throw TidemarkException.of(
                            ErrorCode.ENGINE_UNAVAILABLE,
                            "Spark could not be started with the master " + conf.get(MASTER))
                    .detail(String.valueOf(e.getMessage()).lines().findFirst().orElse(""))
                    .hint("check --master, and the settings in Spark's conf/spark-defaults.conf")
                    .cause(e)
                    .build();
        }
    }

    /** Settings: the command line's, then those of {@code spark-defaults.conf}, then what suits a command. */
    static SparkConf conf(EngineSettings settings, Map<String, String> environment) {
        SparkConf conf = new SparkConf();
        defaults(environment).forEach((name, value) -> conf.setIfMissing(String.valueOf(name), String.valueOf(value)));
        if (settings.threads().isPresent()) {
            conf.set(MASTER, "local[" + settings.threads().get() + "]");
        }
        settings.master().ifPresent(master -> conf.set(MASTER, master));
        conf.setIfMissing(MASTER, "local[*]");
        conf.setIfMissing("spark.app.name", "tidemark");
        conf.setIfMissing("spark.ui.enabled", "false");
        conf.setIfMissing("spark.ui.showConsoleProgress", "false");
        Path folder = Path.of(settings.temporaryFolder());
        conf.setIfMissing("spark.local.dir", folder.resolve("spark").toString());
        conf.setIfMissing(
                "spark.sql.warehouse.dir", folder.resolve("spark-warehouse").toString());
        if (conf.get(MASTER).equals("local") || conf.get(MASTER).startsWith("local[")) {
            // Nobody outside of this process has business with the driver.
            conf.setIfMissing("spark.driver.host", "127.0.0.1");
            conf.setIfMissing("spark.driver.bindAddress", "127.0.0.1");
            // Updates are many small queries, and each shuffle costs its number of parts; Spark's 200 are for a
            // cluster.
            int threads = settings.threads().orElse(Runtime.getRuntime().availableProcessors());
            conf.setIfMissing("spark.sql.shuffle.partitions", String.valueOf(PARTITIONS_PER_THREAD * threads));
        } else {
            String jars = ownJars();
            conf.set("spark.jars", conf.contains("spark.jars") ? conf.get("spark.jars") + "," + jars : jars);
        }
        return conf;
    }

    /** What executors need of this program. */
    private static String ownJars() {
        return Stream.of(SparkEngine.class, FileRows.class, DataType.class)
                .map(SparkStart::jar)
                .flatMap(Optional::stream)
                .distinct()
                .collect(Collectors.joining(","));
    }

    private static Optional<String> jar(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        try {
            return source == null
                    ? Optional.empty()
                    : Optional.of(Path.of(source.getLocation().toURI()).toString());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("a class of ours comes from " + source.getLocation(), e);
        }
    }

    /** What only {@code spark-submit} would read. */
    private static Properties defaults(Map<String, String> environment) {
        Properties defaults = new Properties();
        @Nullable String folder = environment.get("SPARK_CONF_DIR");
        @Nullable String home = environment.get("SPARK_HOME");
        for (Path file : Stream.of(
                        Optional.ofNullable(folder).map(Path::of),
                        Optional.ofNullable(home).map(each -> Path.of(each, "conf")))
                .flatMap(Optional::stream)
                .map(each -> each.resolve("spark-defaults.conf"))
                .filter(Files::isRegularFile)
                .limit(1)
                .toList()) {
            try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                defaults.load(reader);
            } catch (IOException | IllegalArgumentException e) {
                throw TidemarkException.of(ErrorCode.IO_FAILED, "file " + file + " cannot be read")
                        .detail(String.valueOf(e.getMessage()))
                        .cause(e)
                        .build();
            }
        }
        return defaults;
    }
}
