package io.tidemark.spark.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.sql.warehouse.Warehouse;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Tidemark's catalog in a session of Spark.
 *
 * @param name its name, with which names of tables begin
 * @param warehouse the warehouse behind it
 */
public record CatalogSettings(String name, Warehouse warehouse) {
    private static final String PREFIX = "spark.sql.catalog.";
    private static final String CATALOG_CLASS = "io.tidemark.spark.TidemarkCatalog";
    private static final String WAREHOUSE = "warehouse";

    /** The catalog of a session, if it has one; of several, the first by name. */
    public static Optional<CatalogSettings> of(SparkSession session) {
        Map<String, String> settings =
                CollectionConverters.asJava(session.conf().getAll());
        return settings.entrySet().stream()
                .filter(entry ->
                        entry.getKey().startsWith(PREFIX) && entry.getValue().equals(CATALOG_CLASS))
                .map(entry -> entry.getKey().substring(PREFIX.length()))
                .sorted()
                .findFirst()
                .map(name -> new CatalogSettings(name, warehouse(name, settings.get(PREFIX + name + "." + WAREHOUSE))));
    }

    /**
     * The warehouse of a folder.
     *
     * @param location what the setting says
     * @throws TidemarkException {@code INVALID_SETTING}
     */
    public static Warehouse warehouse(String catalog, @org.jspecify.annotations.Nullable String location) {
        if (location == null || location.isBlank()) {
            throw TidemarkException.of(
                            ErrorCode.INVALID_SETTING, "the catalog " + catalog + " does not say where its tables are")
                    .hint("set " + PREFIX + catalog + "." + WAREHOUSE + " to the warehouse's folder")
                    .build();
        }
        String plain =
                location.startsWith("file:") ? java.net.URI.create(location).getPath() : location;
        if (plain.toLowerCase(Locale.ROOT).matches("[a-z][a-z0-9+.-]+:.*")) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE, "the warehouse " + location + " is not on a file system")
                    .hint("name a folder that the driver and all executors see under the same path")
                    .build();
        }
        return Warehouse.at(new LocalStorage(), plain);
    }
}
