package io.tidemark.compile;

import java.util.List;

/**
 * A named reference from one partition to partitions of a layer, which may have references of their own.
 *
 * @param name its name, of letters, digits, {@code -} and {@code _}
 * @param catalog id under which the target's catalog is bound
 * @param layer the target's layer
 * @param nested references that the targets have
 */
public record Reference(String name, String catalog, String layer, List<Reference> nested) {
    /** Copies the list. */
    public Reference {
        nested = List.copyOf(nested);
        if (!name.matches("[A-Za-z0-9_-]+")) {
            throw Errors.invalidTask("'" + name + "' cannot be the name of a reference");
        }
    }

    /** A reference to partitions that have no references, or given ones. */
    public static Reference to(String name, String catalog, String layer, Reference... nested) {
        return new Reference(name, catalog, layer, List.of(nested));
    }
}
