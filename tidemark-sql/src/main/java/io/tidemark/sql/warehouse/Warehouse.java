package io.tidemark.sql.warehouse;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.log.LogFiles;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.Storage;
import io.tidemark.sql.grammar.Words;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A root folder with tables and stored views. The table {@code s.t} is the Delta table in {@code <root>/s/t}; tables
 * without a schema are in {@code <root>/default}. The view {@code s.v} is the file {@code <root>/_views/s/v.sql}, which
 * holds its CREATE VIEW statement. Names are compared without regard to case: a folder or file that exists in another
 * spelling is used as it is.
 *
 * <p>Holds no state; safe for use by many threads.
 */
public final class Warehouse {
    private static final String LOG_FOLDER = "_delta_log";

    private final Storage storage;
    private final String root;
    private final StoredViews views;

    private Warehouse(Storage storage, String root) {
        this.storage = storage;
        this.root = root;
        this.views = new StoredViews(storage, root);
    }

    /** The warehouse in a folder, which need not exist yet. */
    public static Warehouse at(Storage storage, String root) {
        return new Warehouse(storage, storage.canonical(root));
    }

    /** Where the files are. */
    public Storage storage() {
        return storage;
    }

    /** The root folder. */
    public String root() {
        return root;
    }

    /** The schemas that have a table or view, and the default one; sorted. */
    public List<String> schemas() {
        TreeSet<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.add(TableName.DEFAULT_SCHEMA);
        for (String folder : Folders.in(storage, root)) {
            if (!folder.startsWith("_") && !folder.startsWith(".")) {
                names.add(FolderNames.decode(folder));
            }
        }
        names.addAll(views.schemas());
        return List.copyOf(names);
    }

    /** The tables of a schema, sorted. */
    public List<TableName> tables(String schema) {
        List<TableName> found = new ArrayList<>();
        String name = existing(Folders.in(storage, root), FolderNames.encodeSchema(schema));
        String folder = storage.child(root, name);
        for (String child : Folders.in(storage, folder)) {
            if (DeltaTable.at(storage, storage.child(folder, child)).exists()) {
                found.add(new TableName(FolderNames.decode(name), FolderNames.decode(child)));
            }
        }
        return found;
    }

    /** The stored views of a schema, sorted. */
    public List<TableName> views(String schema) {
        return views.names(schema);
    }

    /** The folder of a table, whether it exists or not. */
    public String location(TableName name) {
        String schema = schemaFolder(name.schema());
        String wanted = FolderNames.encode(name.name());
        return storage.child(schema, existing(Folders.in(storage, schema), wanted));
    }

    /** The place of a table, whether it exists or not. */
    public DeltaTable table(TableName name) {
        return DeltaTable.at(storage, location(name));
    }

    /** The definition of a stored view, if there is one of that name. */
    public Optional<View> view(TableName name) {
        return views.read(name);
    }

    /** What stands behind a name. */
    public WarehouseObject lookup(TableName name) {
        DeltaTable table = table(name);
        if (table.exists()) {
            return new WarehouseObject.Table(name, table);
        }
        return view(name)
                .<WarehouseObject>map(WarehouseObject.StoredView::new)
                .orElse(new WarehouseObject.Nothing(name));
    }

    /**
     * Stores a view.
     *
     * @param replace whether a view of that name may exist, which is then replaced
     * @return false if there is a view of that name and it may not be replaced
     * @throws TidemarkException with {@link ErrorCode#TABLE_EXISTS} if there is a table of that name
     */
    public boolean putView(View view, boolean replace) {
        if (table(view.name()).exists()) {
            throw TidemarkException.of(ErrorCode.TABLE_EXISTS, "there is a table called " + view.name())
                    .at(view.location())
                    .hint("give the view another name")
                    .build();
        }
        return views.write(view, replace);
    }

    /**
     * Removes a stored view.
     *
     * @return whether there was one
     */
    public boolean dropView(TableName name) {
        return views.delete(name);
    }

    /**
     * Removes a table with all of its versions. Checkpoints go first, then the entries of the log from the oldest on:
     * should the removal be cut short, the table is there as it was or cannot be read any more, but never an older
     * version of it that others would go on from. It can be dropped once more.
     *
     * @return whether there was one
     */
    public boolean dropTable(TableName name) {
        if (!table(name).exists()) {
            return false;
        }
        String location = location(name);
        String log = storage.child(location, LOG_FOLDER);
        List<FileInfo> entries = new ArrayList<>(storage.list(log, ""));
        // In order of names, which is that of versions, within each kind.
        entries.sort(Comparator.comparing(
                entry -> LogFiles.commitVersion(entry.name()).isPresent()));
        entries.forEach(entry -> storage.delete(storage.child(log, entry.name())));
        storage.deleteFolder(location);
        return true;
    }

    /** Names of tables and views that are near a name, for suggestions. */
    public List<String> near(TableName name) {
        List<String> names = new ArrayList<>();
        for (String schema : schemas()) {
            tables(schema).forEach(table -> names.add(table.toString()));
            views(schema).forEach(view -> names.add(view.toString()));
        }
        return Words.near(name.toString(), names);
    }

    private String schemaFolder(String schema) {
        return storage.child(root, existing(Folders.in(storage, root), FolderNames.encodeSchema(schema)));
    }

    /** The folder that exists under a name in any case, or the name itself. */
    static String existing(List<String> names, String wanted) {
        if (names.contains(wanted)) {
            return wanted;
        }
        return names.stream()
                .filter(name -> FolderNames.decode(name).equalsIgnoreCase(FolderNames.decode(wanted)))
                .findFirst()
                .orElse(wanted);
    }
}
