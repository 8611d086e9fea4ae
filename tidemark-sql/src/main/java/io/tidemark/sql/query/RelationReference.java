package io.tidemark.sql.query;

import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructType;
import io.tidemark.sql.parse.DataTypeParser;
import java.util.Map;
import java.util.Optional;

/** A relation that a query reads and that engines do not know by name. */
public sealed interface RelationReference {
    /** The name, without quotes, that stands for the relation in the scanned text. */
    String placeholder();

    /** Whether it is read as a stream. */
    boolean streaming();

    /** Where it stands in the user's text. */
    TextLocation location();

    /**
     * A table or view that is read as a stream, at a version, or by its old name {@code LIVE.t}.
     *
     * @param placeholder its stand-in
     * @param table the name, without LIVE
     * @param streaming whether it is read as a stream
     * @param version the version; the latest if absent
     * @param location where it stands
     */
    record TableReference(
            String placeholder,
            TableName table,
            boolean streaming,
            Optional<VersionSpec> version,
            TextLocation location)
            implements RelationReference {}

    /**
     * Source files: {@code read_files('path', format => 'json', …)}.
     *
     * @param placeholder its stand-in
     * @param path the path or pattern as written
     * @param options the named arguments, keys in lower case, {@code format} and {@code schema} among them; the entries
     *     of {@code options => map(…)}, too
     * @param optionPlaces where the value of each option begins
     * @param streaming whether only new files are read in each update
     * @param location where it stands
     */
    record FilesReference(
            String placeholder,
            String path,
            Map<String, String> options,
            Map<String, TextLocation> optionPlaces,
            boolean streaming,
            TextLocation location)
            implements RelationReference {
        private static final String SCHEMA = "schema";

        /** Copies the maps. */
        public FilesReference {
            options = Map.copyOf(options);
            optionPlaces = Map.copyOf(optionPlaces);
        }

        /** The declared columns, if the option {@code schema} is given. */
        public Optional<StructType> schema() {
            String text = options.get(SCHEMA);
            return text == null
                    ? Optional.empty()
                    : Optional.of(DataTypeParser.parseSchema(text, optionPlaces.getOrDefault(SCHEMA, location)));
        }
    }

    /**
     * The change data feed of a table: {@code table_changes('t', from, to)}.
     *
     * @param placeholder its stand-in
     * @param table the table
     * @param from first version or time, included; the start of the feed if absent
     * @param to last version or time, included; the latest if absent
     * @param streaming whether only new changes are read in each update
     * @param location where it stands
     */
    record ChangesReference(
            String placeholder,
            TableName table,
            Optional<VersionSpec> from,
            Optional<VersionSpec> to,
            boolean streaming,
            TextLocation location)
            implements RelationReference {}
}
