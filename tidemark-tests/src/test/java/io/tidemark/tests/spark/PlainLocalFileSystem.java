package io.tidemark.tests.spark;

import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local file system without permissions and checksum files. Where Hadoop's native library is missing it starts a
 * {@code chmod} process for every file, which costs more than the file itself.
 */
public final class PlainLocalFileSystem extends LocalFileSystem {
    /** Called by Hadoop. */
    public PlainLocalFileSystem() {
        super(new Raw());
        setWriteChecksum(false);
    }

    private static final class Raw extends RawLocalFileSystem {
        @Override
        public void setPermission(Path path, FsPermission permission) {
            // The process's own file mode is right for tests.
        }
    }
}
