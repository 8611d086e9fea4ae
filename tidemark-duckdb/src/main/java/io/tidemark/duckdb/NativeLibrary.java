package io.tidemark.duckdb;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * Unpacks DuckDB's native library beside its jar, where the driver looks for it first. Otherwise each start of a program
 * unpacks its seventy megabytes into the folder of temporary files, which takes a third of a second, and leaves them
 * there if the program is killed.
 */
public final class NativeLibrary {
    private NativeLibrary() {}

    /**
     * Unpacks the library of this machine, unless it is there.
     *
     * @param arguments none
     * @throws IOException if the folder of the jar cannot be written
     */
    public static void main(String[] arguments) throws IOException, URISyntaxException {
        String name = "libduckdb_java.so_" + system() + "_" + processor();
        URL resource = NativeLibrary.class.getResource("/" + name);
        if (resource == null || !(resource.openConnection() instanceof JarURLConnection connection)) {
            return;
        }
        Path jar = Path.of(new URI(connection.getJarFileURL().toString())).toAbsolutePath();
        Path library = jar.resolveSibling(name);
        if (Files.exists(library)) {
            return;
        }
        // Programs that start at once unpack each for itself, and see a whole library or none.
        Path unfinished =
                jar.resolveSibling(name + "." + ProcessHandle.current().pid() + ".unfinished");
        try (InputStream packed = resource.openStream()) {
            Files.copy(packed, unfinished, StandardCopyOption.REPLACE_EXISTING);
            Files.move(unfinished, library, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    private static String system() {
        String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        if (name.contains("windows")) {
            return "windows";
        }
        return name.contains("mac") ? "macos" : "linux";
    }

    private static String processor() {
        String name = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return name.equals("aarch64") || name.equals("arm64") ? "arm64" : "amd64";
    }
}
