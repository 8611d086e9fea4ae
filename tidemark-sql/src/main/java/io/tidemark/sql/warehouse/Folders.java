package io.tidemark.sql.warehouse;

import io.tidemark.delta.storage.Storage;
import java.util.List;

/** The folders of a warehouse. */
final class Folders {
    private Folders() {}

    /** The names of the folders in a folder, sorted; none if it does not exist. */
    static List<String> in(Storage storage, String folder) {
        return storage.folders(folder).stream().sorted().toList();
    }
}
