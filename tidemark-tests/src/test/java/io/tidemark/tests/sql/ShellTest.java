package io.tidemark.tests.sql;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test with a fresh shell. */
abstract class ShellTest {
    @TempDir
    Path folder = Path.of("");

    Shell shell;

    @BeforeEach
    void open() {
        shell = new Shell(folder);
    }

    @AfterEach
    void close() {
        shell.close();
    }
}
