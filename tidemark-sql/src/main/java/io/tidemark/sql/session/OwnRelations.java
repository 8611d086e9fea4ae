package io.tidemark.sql.session;

import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.TableName;
import io.tidemark.sql.warehouse.RelationSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The relations that a statement makes for itself and that its queries read beside those of the warehouse. */
final class OwnRelations implements RelationSource {
    private final Set<String> names = new HashSet<>();

    /** Makes a relation of the engine known to queries by its name. */
    void add(String name) {
        names.add(name);
    }

    @Override
    public Optional<String> relation(TableName name, TextLocation location) {
        boolean own = name.schema().equals(TableName.DEFAULT_SCHEMA) && names.contains(name.name());
        return own ? Optional.of(name.name()) : Optional.empty();
    }
}
