package io.tidemark.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.app.storage.ObjectStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tidemark catalog}, as a person uses it. */
class CatalogCommandTest {
    @TempDir
    Path folder;

    private String location = "";
    private Path files = Path.of("");
    private String output = "";
    private String errors = "";

    @BeforeEach
    void create() throws IOException {
        location = folder.resolve("maps").toString();
        files = Files.createDirectories(folder.resolve("files"));
        assertThat(catalog("create", "--layer", "docs:inline=8B", "--layer", "tiles:levels=1-2+4:digest=MD5:empty"))
                .isZero();
    }

    private int catalog(String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of("catalog", command, location));
        all.addAll(List.of(arguments));
        return run(all);
    }

    private int run(List<String> arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(new PrintWriter(out), new PrintWriter(err), arguments.toArray(String[]::new));
        output = out.toString();
        errors = err.toString();
        return code;
    }

    private void write(String name, String content) throws IOException {
        Files.writeString(files.resolve(name), content);
    }

    @Test
    void aCatalogIsFilledReadAndCompared() throws Exception {
        assertThat(output)
                .contains("docs")
                .contains("HERE tiles of levels [1, 2, 4]")
                .contains("generic names");
        write("a", "the first text");
        write("b", "short");
        assertThat(catalog("put", "docs", "--from", files.toString(), "--format", "csv"))
                .isZero();
        assertThat(output).isEqualToNormalizingNewlines("""
                        version,committed,layer,candidates,added,changed,deleted,unchanged,bytes
                        1,true,docs,2,2,0,0,0,19
                        """);
        assertThat(catalog("put", "docs", "--from", files.toString(), "--format", "csv"))
                .isZero();
        assertThat(output).contains("1,false,docs,2,0,0,0,2,0");
        write("a", "another text");
        assertThat(catalog("put", "docs", "a=" + files.resolve("a"), "b=", "--format", "csv"))
                .isZero();
        assertThat(output).contains("2,true,docs,2,0,1,1,0,12");

        assertThat(catalog("list", "docs", "--format", "csv")).isZero();
        assertThat(output).contains("docs,a,2,12,").doesNotContain("docs,b");
        assertThat(catalog("list", "docs", "--version-number", "1", "--format", "csv"))
                .isZero();
        assertThat(output).contains("docs,b,1,5,").contains("SHA-256");
        assertThat(catalog("diff", "1", "--format", "csv")).isZero();
        assertThat(output).isEqualToNormalizingNewlines("""
                        layer,partition,kind
                        docs,a,changed
                        docs,b,deleted
                        """);
        assertThat(catalog("diff", "2", "0", "--format", "json")).isZero();
        assertThat(output.strip()).isEqualTo("{\"layer\":\"docs\",\"partition\":\"a\",\"kind\":\"deleted\"}");
        assertThat(catalog("log", "--format", "csv")).isZero();
        assertThat(output.lines().map(line -> line.replaceAll(",\\d{4}-[^,]*", ",TIME")))
                .containsExactly(
                        "version,time,added,changed,deleted,unchanged,bytes,layers,dependencies",
                        "2,TIME,0,1,1,0,12,docs,\"\"",
                        "1,TIME,2,0,0,0,19,docs,\"\"");

        Path copy = folder.resolve("copy");
        assertThat(catalog("get", "docs", "a", "--version-number", "1", "--to", copy.toString()))
                .isZero();
        assertThat(copy).hasContent("the first text");
    }

    @Test
    void aSnapshotReplacesItsLayerAfterADryRun() throws Exception {
        write("5", "x");
        write("16", "");
        assertThat(catalog("put", "tiles", "--from", files.toString())).isZero();
        Files.delete(files.resolve("5"));
        assertThat(catalog("put", "tiles", "--from", files.toString(), "--snapshot", "--dry-run", "--format", "csv"))
                .isZero();
        assertThat(output).contains("1,false,tiles,1,0,0,1,1,0");
        assertThat(catalog("put", "tiles", "--from", files.toString(), "--snapshot", "--base", "1"))
                .isZero();
        assertThat(catalog("list", "--format", "csv")).isZero();
        assertThat(output)
                .contains("tiles,16,1,0,d41d8cd98f00b204e9800998ecf8427e,MD5,0,")
                .doesNotContain("tiles,5,");
        assertThat(catalog("put", "tiles", "--from", files.toString(), "--base", "1"))
                .isEqualTo(1);
        assertThat(errors).contains("BASE_VERSION_CONFLICT").contains("hint:");
    }

    @Test
    void layersAreAddedAndChanged() {
        assertThat(catalog(
                        "layers", "--layer", "tiles:levels=1-5:digest=SHA-256", "--layer", "more", "--format", "csv"))
                .isZero();
        assertThat(output)
                .contains("tiles,\"HERE tiles of levels [1, 2, 3, 4, 5]\",SHA-256,")
                .contains("more,generic names,SHA-256,");
        assertThat(catalog("layers", "--layer", "tiles:levels=1")).isEqualTo(1);
        assertThat(errors).contains("LAYER_INVALID");
        assertThat(catalog("layers", "--layer", "tiles:color=red")).isEqualTo(2);
        assertThat(errors).contains("USAGE").contains("color");
        assertThat(catalog("layers", "--layer", "tiles:levels=high")).isEqualTo(2);
        assertThat(catalog("layers", "--layer", "state")).isEqualTo(1);
    }

    @Test
    void damageIsFoundAndNeverWrittenToAFile() throws Exception {
        write("a", "a text that has a file");
        assertThat(catalog("put", "docs", "--from", files.toString())).isZero();
        assertThat(catalog("verify", "--format", "csv")).isZero();
        assertThat(output).contains("1,1,22,0");
        Path payload;
        try (var found = Files.walk(Path.of(location, "_payloads"))) {
            payload = found.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
        Files.writeString(payload, "A text that has a file");
        assertThat(catalog("verify", "--format", "csv")).isEqualTo(1);
        assertThat(output).contains("1,1,22,1");
        assertThat(errors).contains("CORRUPT_PAYLOAD").contains("docs/a");
        Path copy = folder.resolve("copy");
        assertThat(catalog("get", "docs", "a", "--to", copy.toString())).isEqualTo(1);
        assertThat(copy).doesNotExist();
    }

    @Test
    void catalogsMayLieOnAnObjectStore() throws Exception {
        write("a", "a text that has a file");
        write("b", "short");
        try (ObjectStore server = new ObjectStore()) {
            location = server.root() + "/maps";
            String[] store = {
                "--s3-endpoint",
                server.endpoint(),
                "--s3-region",
                "us-east-1",
                "--cache",
                folder.resolve("cache").toString(),
                "--format",
                "csv"
            };
            assertThat(catalog("create", with(store, "--layer", "docs:inline=8B")))
                    .as(errors)
                    .isZero();
            assertThat(catalog("put", with(store, "docs", "--from", files.toString())))
                    .as(errors)
                    .isZero();
            assertThat(catalog("put", with(store, "docs", "b=", "c=" + files.resolve("a"))))
                    .as(errors)
                    .isZero();
            assertThat(output).contains("2,true,docs,2,1,0,1,0,22");
            assertThat(catalog("verify", store)).as(errors).isZero();
            assertThat(output).contains("2,2,44,0");
            assertThat(catalog("diff", with(store, "1"))).as(errors).isZero();
            assertThat(output).contains("docs,b,deleted").contains("docs,c,added");
            Path copy = folder.resolve("copy");
            assertThat(catalog("get", with(store, "docs", "c", "--to", copy.toString())))
                    .as(errors)
                    .isZero();
            assertThat(copy).hasContent("a text that has a file");
            assertThat(catalog("clean", store)).as(errors).isZero();
        }
    }

    private static String[] with(String[] options, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(options));
        return all.toArray(String[]::new);
    }

    @Test
    void wrongUseIsExplained() {
        assertThat(catalog("create", "--layer", "docs")).isEqualTo(1);
        assertThat(errors).contains("TABLE_EXISTS");
        assertThat(catalog("get", "docs", "nothing")).isEqualTo(1);
        assertThat(errors).contains("UNKNOWN_PARTITION");
        assertThat(catalog("list", "nothing")).isEqualTo(1);
        assertThat(errors).contains("UNKNOWN_LAYER").contains("docs, tiles");
        assertThat(catalog("log", "--limit", "none")).isEqualTo(2);
        assertThat(catalog("put", "docs")).isEqualTo(2);
        assertThat(catalog("put", "docs", "a=" + files.resolve("missing"))).isEqualTo(1);
        assertThat(errors).contains("FILE_NOT_FOUND").contains("missing");
        assertThat(catalog("clean", "--grace", "1 hour")).isEqualTo(1);
        assertThat(errors).contains("INVALID_SETTING");
        assertThat(catalog("clean", "--format", "csv")).isZero();
        assertThat(output.strip()).isEqualTo("file");
        assertThat(run(List.of("catalog", "log", folder.resolve("elsewhere").toString())))
                .isEqualTo(1);
        assertThat(errors).contains("TABLE_NOT_FOUND");
        assertThat(run(List.of("catalog"))).isZero();
        assertThat(output).contains("create").contains("verify");
    }
}
