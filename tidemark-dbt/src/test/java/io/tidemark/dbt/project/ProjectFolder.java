package io.tidemark.dbt.project;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A folder in which a test writes a project. */
public final class ProjectFolder {
    private final Path folder;
    private final Map<String, String> environment = new LinkedHashMap<>();

    /** A project called {@code shop} for DuckDB. */
    public ProjectFolder(Path folder) {
        this.folder = folder;
        file("dbt_project.yml", "name: shop", "version: '1.0'", "profile: shop");
        file(
                "profiles.yml",
                "shop:",
                "  target: dev",
                "  outputs:",
                "    dev: {type: duckdb, path: ':memory:', schema: analytics}",
                "    prod: {type: duckdb, path: 'lake.duckdb', schema: live}");
    }

    /** Writes a file. */
    public ProjectFolder file(String name, String... lines) {
        try {
            Path file = folder.resolve(name);
            Path parent = file.getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Files.writeString(file, String.join("\n", lines) + "\n");
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets a variable of the environment. */
    public ProjectFolder set(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** The folder. */
    public Path folder() {
        return folder;
    }

    /** How the project is read: not seeing the environment of the tests. */
    public ProjectOptions options() {
        return ProjectOptions.of(folder).withEnvironment(environment);
    }

    /** Reads the project. */
    public Project read() {
        return Project.read(options());
    }

    /** Reads the project with variables. */
    public Project read(Map<String, @Nullable Object> variables) {
        return Project.read(options().withVariables(variables));
    }
}
