package io.tidemark.dbt.source;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.project.Target;
import io.tidemark.dbt.yaml.YamlNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The database files of a DuckDB profile: its own and those that it attaches. They are opened when they are needed. */
final class DatabaseFiles implements AutoCloseable {
    private static final String PREFIX = "__project_";

    private final Engine engine;
    /** Files by the name of the database, in lower case. */
    private final Map<String, Path> files = new LinkedHashMap<>();

    private final Set<String> attached = new LinkedHashSet<>();
    /** What tells whether a file has changed, as it was when it was opened, by the name of the database. */
    private final Map<String, Optional<String>> marks = new LinkedHashMap<>();

    private final String own;

    DatabaseFiles(Engine engine, Project project) {
        this.engine = engine;
        Target target = project.target();
        this.own = target.database().toLowerCase(Locale.ROOT);
        if (target.adapter() != Target.Adapter.DUCKDB) {
            return;
        }
        YamlNode settings = target.settings();
        settings.get("settings").ifPresent(DatabaseFiles::refuseOtherZones);
        settings.text("path")
                .filter(path -> !path.startsWith(":memory:"))
                .ifPresent(path -> add(own, path, settings, project.folder()));
        for (YamlNode entry : settings.get("attach").map(YamlNode::items).orElse(List.of())) {
            String path = entry.required("path");
            entry.text("type").filter(type -> !type.equalsIgnoreCase("duckdb")).ifPresent(type -> {
                throw TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE, "databases of type " + type + " cannot be attached")
                        .at(entry.location())
                        .hint("read their tables as sources with meta: {" + JdbcSource.URL + ": jdbc:…}")
                        .build();
            });
            String file = path.substring(path.replace('\\', '/').lastIndexOf('/') + 1);
            int dot = file.lastIndexOf('.');
            add(entry.text("alias").orElse(dot <= 0 ? file : file.substring(0, dot)), path, entry, project.folder());
        }
    }

    /** The other settings of an engine change how fast it is, not what it gives. */
    private static void refuseOtherZones(YamlNode settings) {
        settings.entries().forEach((name, value) -> {
            if (name.equalsIgnoreCase("timezone") && !value.text().equalsIgnoreCase("UTC")) {
                throw TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE, "the time zone " + value.text() + " is not supported")
                        .at(value.location())
                        .hint("times of snapshots are in UTC; convert others in the query")
                        .build();
            }
        });
    }

    private void add(String name, String path, YamlNode place, Path folder) {
        if (path.contains("://") || path.startsWith("md:")) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE, "the database " + path + " is no file of this machine")
                    .at(place.location())
                    .hint("copy it, or declare its tables as files with external_location")
                    .build();
        }
        files.put(name.toLowerCase(Locale.ROOT), folder.resolve(path));
    }

    /** Whether the profile attaches a database of that name beside its own. */
    boolean isAttached(String database) {
        String name = database.toLowerCase(Locale.ROOT);
        return files.containsKey(name) && !name.equals(own);
    }

    /** SQL of a table, if a file has it. */
    Optional<String> find(Optional<String> database, String schema, String identifier) {
        String name = database.map(each -> each.toLowerCase(Locale.ROOT)).orElse(own);
        Path file = files.get(name);
        // The profile's own file comes to be only when dbt has run; there is nothing to read before.
        if (file == null || (name.equals(own) && !Files.exists(file))) {
            return Optional.empty();
        }
        if (attached.add(name)) {
            marks.put(name, mark(file));
            engine.attach(PREFIX + name, file.toString());
        }
        String table = engine.dialect().name(PREFIX + name) + "."
                + engine.dialect().name(schema) + "." + engine.dialect().name(identifier);
        try {
            engine.describe("SELECT * FROM " + table);
            return Optional.of(table);
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.INTERNAL) {
                // What the engine says when it finds no table of that name.
                return Optional.empty();
            }
            throw e;
        }
    }

    /** What tells whether a database's file has changed, once a table was found in it; nothing if that is uncertain. */
    Optional<String> mark(Optional<String> database) {
        String name = database.map(each -> each.toLowerCase(Locale.ROOT)).orElse(own);
        return marks.getOrDefault(name, Optional.empty());
    }

    /** What was written lately may still stand in a log beside the file. */
    private static Optional<String> mark(Path file) {
        Path log = Path.of(file + ".wal");
        return FileMarks.of(Files.exists(log) ? List.of(file, log) : List.of(file));
    }

    /** The files, for people. */
    Optional<String> shown() {
        return files.isEmpty()
                ? Optional.empty()
                : Optional.of(String.join(
                        ", ", files.values().stream().map(Path::toString).toList()));
    }

    @Override
    public void close() {
        attached.forEach(name -> engine.detach(PREFIX + name));
        attached.clear();
    }
}
