package io.tidemark.delta;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The release of this program, for the log. */
final class Release {
    /** What commits say about their writer. */
    static final String ENGINE_INFO = "Tidemark/" + version();

    private Release() {}

    private static String version() {
        try (InputStream input = Release.class.getResourceAsStream("release.properties")) {
            Properties properties = new Properties();
            if (input != null) {
                properties.load(input);
            }
            return properties.getProperty("version", "unknown");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
