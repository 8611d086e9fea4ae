package io.tidemark.sql.parse;

import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.TableName;
import java.util.Optional;

/**
 * The table that a statement changes.
 *
 * @param name its name
 * @param alias the other name by which expressions call it, if any
 * @param location where the name stands
 */
public record TargetTable(TableName name, Optional<String> alias, TextLocation location) {
    /** The name by which expressions call it. */
    public String qualifier() {
        return alias.orElse(name.name());
    }
}
