package io.tidemark.spark.engine.scan;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/** Places of files as Hadoop's file systems take them. */
public final class FileLocations {
    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*", Pattern.DOTALL);

    private FileLocations() {}

    /** The URI of an absolute local path or of a URI. */
    public static String uri(String location) {
        return SCHEME.matcher(location).matches()
                ? location
                : Path.of(location).toUri().toString();
    }

    /** The size of a file in bytes. */
    static long size(org.apache.hadoop.fs.Path file, Configuration hadoop) {
        try {
            return file.getFileSystem(hadoop).getFileStatus(file).getLen();
        } catch (FileNotFoundException e) {
            throw TidemarkException.of(ErrorCode.DATA_FILE_MISSING, "data file " + file + " is not there")
                    .hint("The table's log names it: was the folder cleaned by hand, or the file vacuumed too early?")
                    .cause(e)
                    .build();
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "data file " + file + " cannot be looked up")
                    .cause(e)
                    .build();
        }
    }
}
