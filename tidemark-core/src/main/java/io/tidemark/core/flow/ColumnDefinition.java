package io.tidemark.core.flow;

import io.tidemark.core.error.TextLocation;
import io.tidemark.core.type.DataType;
import java.util.Optional;

/**
 * A declared column of a table.
 *
 * @param name the name
 * @param type the type
 * @param nullable false for {@code NOT NULL}
 * @param comment the comment, if given
 * @param location where it stands
 */
public record ColumnDefinition(
        String name, DataType type, boolean nullable, Optional<String> comment, TextLocation location) {}
