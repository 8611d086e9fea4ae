package io.tidemark.spark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.EngineSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparkStartTest {
    @TempDir
    Path folder;

    private SparkConf conf(Optional<String> master, Optional<Integer> threads, Map<String, String> environment) {
        return SparkStart.conf(new EngineSettings(master, threads, folder.toString()), environment);
    }

    @Test
    void withoutSettingsThisMachineComputesAndNobodyElseIsLetIn() {
        SparkConf conf = conf(Optional.empty(), Optional.empty(), Map.of());
        assertThat(conf.get("spark.master")).isEqualTo("local[*]");
        assertThat(conf.get("spark.driver.bindAddress")).isEqualTo("127.0.0.1");
        assertThat(conf.get("spark.ui.enabled")).isEqualTo("false");
        assertThat(conf.get("spark.local.dir")).startsWith(folder.toString());
        assertThat(conf.contains("spark.jars")).isFalse();
        SparkConf three = conf(Optional.empty(), Optional.of(3), Map.of());
        assertThat(three.get("spark.master")).isEqualTo("local[3]");
        assertThat(three.get("spark.sql.shuffle.partitions")).isEqualTo("12");
    }

    @Test
    void theCommandLineStandsAboveTheFileOfDefaults() throws IOException {
        Path home = Files.createDirectories(folder.resolve("home"));
        Files.createDirectories(home.resolve("conf"));
        Files.writeString(
                home.resolve("conf").resolve("spark-defaults.conf"),
                "# the cluster\nspark.master            spark://far:7077\nspark.executor.memory=3g\nspark.jars /x.jar\n");
        Map<String, String> environment = Map.of("SPARK_HOME", home.toString());
        SparkConf said = conf(Optional.empty(), Optional.empty(), environment);
        assertThat(said.get("spark.master")).isEqualTo("spark://far:7077");
        assertThat(said.get("spark.executor.memory")).isEqualTo("3g");
        assertThat(said.contains("spark.driver.bindAddress")).isFalse();
        SparkConf other = conf(Optional.of("local-cluster[1,1,512]"), Optional.empty(), environment);
        assertThat(other.get("spark.master")).isEqualTo("local-cluster[1,1,512]");
        Map<String, String> elsewhere = Map.of("SPARK_HOME", home.toString(), "SPARK_CONF_DIR", folder.toString());
        Files.writeString(folder.resolve("spark-defaults.conf"), "spark.master local[7]\n");
        assertThat(conf(Optional.empty(), Optional.empty(), elsewhere).get("spark.master"))
                .isEqualTo("local[7]");
    }

    /** Executors of a cluster have nothing of ours: the engine, the readers of files and the types go along. */
    @Test
    void executorsGetWhatTheyRun() throws IOException {
        Files.writeString(folder.resolve("spark-defaults.conf"), "spark.jars /x.jar\n");
        SparkConf conf =
                conf(Optional.of("spark://far:7077"), Optional.empty(), Map.of("SPARK_CONF_DIR", folder.toString()));
        assertThat(conf.get("spark.jars").split(","))
                .hasSize(4)
                .contains("/x.jar")
                .anyMatch(jar -> jar.contains("tidemark-core"))
                .anyMatch(jar -> jar.contains("tidemark-files"))
                .anyMatch(jar -> jar.contains("tidemark-spark"));
    }
}
