package io.tidemark.delta.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogListingTest {
    @TempDir
    Path folder;

    @Test
    void entriesThatAListingMissedAreFoundByName() {
        for (long version : List.of(3L, 4L, 5L, 6L)) {
            write(LogFiles.commitName(version));
        }
        write(LogFiles.prefix(4) + ".checkpoint.parquet");
        assertThat(names(Set.of(LogFiles.commitName(5)))).contains(LogFiles.commitName(5));
        assertThat(names(Set.of(LogFiles.commitName(3))))
                .as("what lies below the first entry or checkpoint may be gone")
                .doesNotContain(LogFiles.commitName(3));
        assertThat(names(Set.of(LogFiles.commitName(5), LogFiles.commitName(4))))
                .containsSubsequence(LogFiles.commitName(4), LogFiles.commitName(5), LogFiles.commitName(6));
    }

    @Test
    void theEntryOfACheckpointIsFoundEvenIfNothingFollows() {
        write(LogFiles.commitName(7));
        write(LogFiles.prefix(7) + ".checkpoint.parquet");
        assertThat(names(Set.of(LogFiles.commitName(7)))).contains(LogFiles.commitName(7));
    }

    private void write(String name) {
        new LocalStorage().write(folder.resolve(name).toString(), "{}".getBytes(StandardCharsets.UTF_8));
    }

    private List<String> names(Set<String> missed) {
        Storage storage = (Storage) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Storage.class}, (proxy, method, arguments) -> {
                    LocalStorage disk = new LocalStorage();
                    if (!method.getName().equals("list")) {
                        return method.invoke(disk, arguments);
                    }
                    return disk.list((String) arguments[0], (String) arguments[1]).stream()
                            .filter(file -> !missed.contains(file.name()))
                            .toList();
                });
        return LogListing.list(storage, folder.toString(), "").stream()
                .map(FileInfo::name)
                .toList();
    }
}
