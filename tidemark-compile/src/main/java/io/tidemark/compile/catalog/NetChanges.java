package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.ChangeColumns;
import io.tidemark.delta.Commit;
import io.tidemark.delta.feed.Bound;
import io.tidemark.delta.feed.ChangeFeed;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.DomainMetadata;
import io.tidemark.delta.log.RemoveFile;
import io.tidemark.delta.rows.ChangeImages;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The net changes between two versions of a catalog, by its table's change feed: the effort follows the changes. */
final class NetChanges {
    static final String ADDED = "added";
    static final String CHANGED = "changed";
    static final String DELETED = "deleted";

    private static final Set<ErrorCode> GONE =
            Set.of(ErrorCode.CHANGE_LOG_GONE, ErrorCode.CHANGE_FILE_GONE, ErrorCode.CHANGE_FEED_OFF);

    private final CatalogTable table;
    private final Engine engine;
    private final Dialect dialect;

    NetChanges(CatalogTable table, Engine engine) {
        this.table = table;
        this.engine = engine;
        this.dialect = engine.dialect();
    }

    /** Materializes the changes from an older version that is not the empty one to a newer version. */
    void materialize(
            String relation, CatalogVersion older, CatalogVersion newer, Collection<String> layers, boolean back) {
        String feedName = relation + " feed";
        try {
            Optional<OnePublication> only = checkWriters(older, newer);
            Optional<OnePublication.Additions> additions =
                    only.flatMap(publication -> publication.additions(table, newer, layers));
            if (additions.isPresent()) {
                engine.registerFiles(feedName, additions.get().files());
                engine.materialize(
                        relation, additions.get().sql(dialect, dialect.name(feedName), back), Optional.empty());
                return;
            }
            ChangeFeed feed = ChangeFeed.between(
                    table.table(), Bound.version(older.tableVersion() + 1), Bound.version(newer.tableVersion()));
            feed.register(engine, feedName);
            engine.materialize(relation, sql(dialect.name(feedName), layers, back), Optional.empty());
        } catch (TidemarkException e) {
            throw GONE.contains(e.code()) ? unavailable(older, newer, e.primary(), e) : e;
        } finally {
            ChangeFeed.drop(engine, feedName);
        }
    }

    /**
     * A partition's content before is that of the row which went first, if one went in its first version; its content
     * after is that of the row which came last, if one came in its last version.
     */
    private String sql(String feed, Collection<String> layers, boolean back) {
        String type = dialect.name(ChangeColumns.CHANGE_TYPE);
        String version = dialect.name(ChangeColumns.COMMIT_VERSION);
        String layer = dialect.name(CatalogTable.LAYER);
        String partition = dialect.name(CatalogTable.PARTITION);
        String went =
                "c.type IN (" + dialect.string(ChangeImages.DELETE) + ", " + dialect.string(ChangeImages.BEFORE) + ")";
        String key = layer + ", " + partition;
        return "SELECT " + key + ", kind FROM (SELECT " + key
                + ", CASE WHEN old IS NULL AND new IS NULL THEN NULL WHEN old"
                + " IS NULL THEN " + dialect.string(back ? DELETED : ADDED) + " WHEN new IS NULL THEN "
                + dialect.string(back ? ADDED : DELETED) + " WHEN old <> new THEN " + dialect.string(CHANGED)
                + " END AS kind FROM (SELECT " + key + ", max(CASE WHEN " + went
                + " AND c.at = c.earliest THEN c.content END) AS old, max(CASE WHEN NOT (" + went
                + ") AND c.at = c.latest THEN c.content END) AS new FROM (SELECT " + key + ", " + type + " AS type, "
                + version + " AS at, " + dialect.name(CatalogTable.DIGEST) + " || ':' || "
                + dialect.name(CatalogTable.CHECKSUM) + " AS content, min(" + version + ") OVER (PARTITION BY " + key
                + ") AS earliest, max(" + version + ") OVER (PARTITION BY " + key + ") AS latest FROM " + feed
                + " WHERE "
                + layer + " IN (" + strings(dialect, layers) + ")) AS c GROUP BY " + key
                + ") AS n) AS k WHERE kind IS NOT NULL";
    }

    static String strings(Dialect dialect, Collection<String> values) {
        return values.isEmpty() ? "NULL" : values.stream().map(dialect::string).collect(Collectors.joining(", "));
    }

    /**
     * Changes are told by version only if all of them were published. Other programs can change the table's rows without
     * a new version, and a restore brings old versions back.
     *
     * @return the publication, if there is just one
     */
    private Optional<OnePublication> checkWriters(CatalogVersion older, CatalogVersion newer) {
        long[] known = {older.number()};
        OnePublication[] last = new OnePublication[1];
        int[] publications = {0};
        table.table().commits(older.tableVersion() + 1, newer.tableVersion(), commit -> {
            Optional<CatalogEntry> entry = published(commit);
            Optional<Long> published = entry.map(CatalogEntry::version);
            boolean foreign = published.isEmpty() && commit.actions().stream().anyMatch(NetChanges::changesRows);
            if (foreign) {
                throw unavailable(
                        older,
                        newer,
                        "version " + commit.version()
                                + " of the table changed rows without being a version of the catalog",
                        null);
            }
            boolean next = entry.isPresent() && entry.get().follows(known[0]);
            if (published.isPresent() && published.get() != known[0] && !next) {
                throw unavailable(
                        older,
                        newer,
                        "version " + commit.version() + " of the table went from catalog version " + known[0] + " to "
                                + published.get(),
                        null);
            }
            if (next) {
                publications[0]++;
                last[0] = new OnePublication(commit, entry.get());
            }
            published.ifPresent(version -> known[0] = version);
        });
        return publications[0] == 1 ? Optional.ofNullable(last[0]) : Optional.empty();
    }

    private Optional<CatalogEntry> published(Commit commit) {
        return commit.actions().stream()
                .filter(DomainMetadata.class::isInstance)
                .map(DomainMetadata.class::cast)
                .filter(domain -> domain.domain().equals(CatalogEntry.DOMAIN) && !domain.removed())
                .map(domain -> CatalogEntry.parse(domain.configuration(), table.location()))
                .findFirst();
    }

    private static boolean changesRows(Action action) {
        return (action instanceof AddFile add && add.dataChange())
                || (action instanceof RemoveFile remove && remove.dataChange());
    }

    private TidemarkException unavailable(
            CatalogVersion older, CatalogVersion newer, String why, @Nullable TidemarkException cause) {
        TidemarkException.Builder error = TidemarkException.of(
                        ErrorCode.CHANGES_UNAVAILABLE,
                        "what changed in catalog " + table.location() + " between versions " + older.number() + " and "
                                + newer.number() + " is not known any more")
                .detail("The reason: " + why + ".")
                .hint("compare the versions as wholes, or compile everything anew");
        if (cause != null) {
            error.cause(cause);
        }
        return error.build();
    }
}
