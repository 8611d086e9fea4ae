package io.tidemark.spark.session;

import io.tidemark.pipeline.run.FlowResult;
import java.util.Locale;

/** The result of a flow's update as a line for people. */
public final class ResultLine {
    private ResultLine() {}

    /** Says what the update did. */
    public static String of(FlowResult result) {
        StringBuilder line = new StringBuilder(result.target())
                .append(": ")
                .append(result.status().name().toLowerCase(Locale.ROOT).replace('_', ' '))
                .append(", ")
                .append(result.rowsRead())
                .append(" rows read");
        result.metrics()
                .forEach((name, count) -> line.append(", ")
                        .append(count)
                        .append(' ')
                        .append(name.replace("num_", "").replace('_', ' ')));
        result.version().ifPresent(version -> line.append(", version ").append(version));
        return line.append(" (").append(result.millis()).append(" ms)").toString();
    }
}
