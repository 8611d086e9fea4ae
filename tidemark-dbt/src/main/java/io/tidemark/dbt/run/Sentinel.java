package io.tidemark.dbt.run;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.project.SnapshotSettings;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The value that ends current rows, if it is not NULL. */
record Sentinel(Engine engine, ProjectSql sql, SnapshotSettings settings) {
    /** The value of the option's expression as canonical text. */
    Optional<String> text(VersionSql versions) {
        if (settings.validToCurrent().isEmpty()) {
            return Optional.empty();
        }
        String constant = sql.constant(settings.validToCurrent().get(), settings.location());
        @Nullable String[] text = new String[1];
        try {
            engine.stream("SELECT " + versions.text(versions.cast("(" + constant + ")")) + " AS v", row -> {
                Object value = row.get(0);
                text[0] = value == null ? null : value.toString();
                return true;
            });
        } catch (TidemarkException e) {
            throw ProjectQueries.asUserError(e, settings.location());
        }
        return Optional.ofNullable(text[0]);
    }
}
