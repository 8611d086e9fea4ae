package io.tidemark.app.storage;

import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;

class LocalStorageContractTest extends StorageContract {
    @Override
    Storage storage() {
        return new LocalStorage();
    }

    @Override
    String root() {
        return scratch.toString();
    }
}
