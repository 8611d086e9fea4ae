package io.tidemark.dbt.run;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
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
            String value = versions.cast("(" + constant + ")");
            engine.stream("SELECT " + versions.text(value) + " AS v, " + versions.isOutside(value) + " AS o", row -> {
                @Nullable Object end = row.get(0);
                text[0] = end == null ? null : end.toString();
                if (Boolean.TRUE.equals(row.get(1))) {
                    throw outside(end);
                }
                return true;
            });
        } catch (TidemarkException e) {
            throw ProjectQueries.asUserError(e, settings.location());
        }
        return Optional.ofNullable(text[0]);
    }

    private TidemarkException outside(@Nullable Object end) {
        return TidemarkException.of(
                        ErrorCode.SNAPSHOT_CONFIG_INVALID,
                        "dbt_valid_to_current is " + end + ", which is outside of the years 1 to 9999")
                .at(settings.location())
                .hint("tables have no place for infinite times: dbt_valid_to_current=\"timestamp '9999-12-31'\"")
                .build();
    }
}
