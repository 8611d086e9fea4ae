package io.tidemark.core.engine;

import java.util.List;

/**
 * Lets an engine that reads and writes local files only work on tables that lie elsewhere. Files of tables are never
 * changed once they are written, so a local copy stays right for as long as it is kept.
 *
 * <p>Whole files are copied; failures are {@link io.tidemark.core.error.TidemarkException}s that name the remote file.
 * Safe for use by many threads.
 */
public interface RemoteFiles {
    /** For engines of which all tables are local: every location is taken for a local one. */
    RemoteFiles NONE = new RemoteFiles() {
        @Override
        public boolean isRemote(String location) {
            return false;
        }

        @Override
        public LocalCopies copies(List<FileScan.DataFile> files) {
            throw new IllegalStateException("there are no remote files");
        }

        @Override
        public String stagingFolder() {
            throw new IllegalStateException("there are no remote files");
        }

        @Override
        public void store(String stagingFolder, List<String> names, String directory) {
            throw new IllegalStateException("there are no remote files");
        }
    };

    /** Whether a file or folder cannot be used as a local path. */
    boolean isRemote(String location);

    /** Plans local copies of files, local files among them. Nothing is copied yet. */
    LocalCopies copies(List<FileScan.DataFile> files);

    /** Makes an empty local folder in which files can be written that {@link #store} takes. */
    String stagingFolder();

    /**
     * Copies finished files to their place, and takes the local folder away in any case. If that fails, none of the
     * files stays at its place, as far as the store can still be reached.
     *
     * @param stagingFolder what {@link #stagingFolder} returned
     * @param names paths of the files within the folder, separated by {@code /}
     * @param directory the remote folder in which the files get the same names
     */
    void store(String stagingFolder, List<String> names, String directory);

    /** Local copies of some files. They stay until this is closed, however long that takes. */
    interface LocalCopies extends AutoCloseable {
        /** The path of each file's copy, in the order of the files. There is nothing at it before {@link #fetch}. */
        List<String> paths();

        /**
         * Copies what is not here yet; does nothing the second time.
         *
         * @param check called now and then; what it throws ends the copying
         */
        void fetch(Runnable check);

        @Override
        void close();
    }
}
