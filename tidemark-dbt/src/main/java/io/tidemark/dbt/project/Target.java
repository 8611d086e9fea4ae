package io.tidemark.dbt.project;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.yaml.YamlNode;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The chosen output of a profile.
 *
 * @param profile name of the profile
 * @param name name of the output
 * @param adapter what it writes to in dbt, which decides the dialect of the project's SQL
 * @param schema default schema
 * @param database default database
 * @param settings all settings
 */
public record Target(String profile, String name, Adapter adapter, String schema, String database, YamlNode settings) {
    private static final String DEFAULT_SCHEMA = "main";

    /** The adapters whose SQL is understood. */
    public enum Adapter {
        /** SQL of DuckDB, which the embedded engine runs as it is written. */
        DUCKDB,
        /** SQL of PostgreSQL, which runs there. */
        POSTGRES,
        /** Spark SQL, which is translated. */
        SPARK
    }

    static Target read(String profile, String name, YamlNode settings) {
        String type = settings.required("type");
        Adapter adapter = switch (type.toLowerCase(Locale.ROOT)) {
            case "duckdb" -> Adapter.DUCKDB;
            case "postgres" -> Adapter.POSTGRES;
            case "spark", "databricks" -> Adapter.SPARK;
            default ->
                throw TidemarkException.of(ErrorCode.ADAPTER_UNSUPPORTED, "the adapter " + type + " is not supported")
                        .at(settings.get("type").orElse(settings).location())
                        .detail("Its SQL can neither be run by the embedded engine nor be sent to a database.")
                        .hint("the adapters duckdb, postgres, spark and databricks are supported; choose another"
                                + " output with --target")
                        .build();
        };
        String schema = settings.text("schema").orElse(DEFAULT_SCHEMA);
        String database = switch (adapter) {
            case DUCKDB -> settings.text("database").orElseGet(() -> databaseOf(settings.text("path")));
            case POSTGRES ->
                settings.text("dbname")
                        .or(() -> settings.text("database"))
                        .orElseThrow(
                                () -> settings.invalid("there is no dbname").build());
            case SPARK -> settings.text("catalog").orElse("");
        };
        return new Target(profile, name, adapter, schema, database, settings);
    }

    /** DuckDB names a database after its file. */
    private static String databaseOf(Optional<String> path) {
        if (path.isEmpty() || path.get().startsWith(":memory:")) {
            return "memory";
        }
        String file = path.get().substring(path.get().replace('\\', '/').lastIndexOf('/') + 1);
        int dot = file.lastIndexOf('.');
        return dot <= 0 ? file : file.substring(0, dot);
    }

    /** What templates see as {@code target}. */
    Map<String, @Nullable Object> variables() {
        Map<String, @Nullable Object> variables = new LinkedHashMap<>();
        if (settings.plain() instanceof Map<?, ?> plain) {
            plain.forEach((key, value) -> {
                // As in dbt: what gives access is not for templates.
                if (!String.valueOf(key).matches("(?i).*(pass|password|token|secret).*")) {
                    variables.put(String.valueOf(key), value);
                }
            });
        }
        variables.put("profile_name", profile);
        variables.put("name", name);
        variables.put("target_name", name);
        variables.put("schema", schema);
        variables.put("database", database);
        variables.put("dbname", database);
        variables.putIfAbsent("threads", 1L);
        return variables;
    }
}
