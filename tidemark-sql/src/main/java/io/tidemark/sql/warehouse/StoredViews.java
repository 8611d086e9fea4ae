package io.tidemark.sql.warehouse;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.Storage;
import io.tidemark.sql.parse.PipelineParser;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.text.Literals;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The files of stored views. A file holds one CREATE VIEW statement, so that people can read and keep it. */
final class StoredViews {
    private static final String FOLDER = "_views";
    private static final String SUFFIX = ".sql";

    private final Storage storage;
    private final String folder;

    StoredViews(Storage storage, String root) {
        this.storage = storage;
        this.folder = storage.child(root, FOLDER);
    }

    List<String> schemas() {
        return Folders.in(storage, folder).stream().map(FolderNames::decode).toList();
    }

    List<TableName> names(String schema) {
        return storage.list(schemaFolder(schema), "").stream()
                .map(FileInfo::name)
                .filter(StoredViews::isView)
                .map(name ->
                        new TableName(schema, FolderNames.decode(name.substring(0, name.length() - SUFFIX.length()))))
                .toList();
    }

    Optional<View> read(TableName name) {
        String path = path(name);
        if (storage.info(path).isEmpty()) {
            return Optional.empty();
        }
        String text = new String(storage.read(path), StandardCharsets.UTF_8);
        PipelineDefinition parsed =
                PipelineParser.parse(List.of(new SourceText(path, text))).orThrow();
        if (parsed.datasets().size() == 1 && parsed.datasets().get(0) instanceof View view && !view.temporary()) {
            return Optional.of(new View(name, false, view.columns(), view.comment(), view.query(), view.location()));
        }
        throw TidemarkException.of(ErrorCode.SYNTAX_ERROR, "the file " + path + " does not hold one CREATE VIEW")
                .hint("define the view anew: CREATE OR REPLACE VIEW " + name + " AS ...")
                .build();
    }

    boolean write(View view, boolean replace) {
        storage.createFolders(schemaFolder(view.name().schema()));
        byte[] content = text(view).getBytes(StandardCharsets.UTF_8);
        String path = path(view.name());
        if (replace) {
            storage.write(path, content);
            return true;
        }
        return storage.createIfAbsent(path, content);
    }

    boolean delete(TableName name) {
        return storage.delete(path(name));
    }

    /** The statement that makes the view again. */
    private static String text(View view) {
        String columns = view.columns().isEmpty()
                ? ""
                : view.columns().stream().map(Literals::quote).collect(Collectors.joining(", ", " (", ")"));
        String comment = view.comment()
                .map(said -> "\nCOMMENT '" + said.replace("\\", "\\\\").replace("'", "''") + "'")
                .orElse("");
        return "CREATE OR REPLACE VIEW " + Literals.quote(view.name().schema()) + "."
                + Literals.quote(view.name().name()) + columns + comment + "\nAS "
                + view.query().sql() + "\n";
    }

    private String path(TableName name) {
        String schema = schemaFolder(name.schema());
        List<String> files = storage.list(schema, "").stream()
                .map(FileInfo::name)
                .filter(StoredViews::isView)
                .toList();
        return storage.child(schema, Warehouse.existing(files, FolderNames.encode(name.name()) + SUFFIX));
    }

    private String schemaFolder(String schema) {
        return storage.child(folder, Warehouse.existing(Folders.in(storage, folder), FolderNames.encode(schema)));
    }

    private static boolean isView(String file) {
        return file.endsWith(SUFFIX) && !file.startsWith(".");
    }
}
