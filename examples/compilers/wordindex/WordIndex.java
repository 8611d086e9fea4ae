import io.tidemark.compile.Driver;
import io.tidemark.compile.Job;
import io.tidemark.compile.Payload;
import io.tidemark.compile.Plan;
import io.tidemark.compile.Task;
import io.tidemark.compile.catalog.Candidates;
import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogDefinition;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.catalog.PayloadStager;
import io.tidemark.compile.catalog.PublishMode;
import io.tidemark.core.engine.Engine;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An index of words: one partition for each word, with the documents that hold it and how often. A document changes, one
 * is added, and the plan tells what is made anew and why.
 */
public final class WordIndex {
    /** How often a document holds a word: what the front end gives to the partition of the word. */
    record Count(String document, int number) {}

    private WordIndex() {}

    static Task task() {
        return Task.named("wordindex")
                .version("1")
                .in("docs", "text")
                .out("index")
                .mapGroup(Count.class)
                .compileIn((document, emit, c) -> words(c.payload(document).text())
                        .forEach((word, number) ->
                                emit.to(c.out("index", word), new Count(document.partition(), number))))
                .compileOut((word, counts) -> Payload.some(counts.toList().stream()
                        .map(count -> count.document() + " " + count.number() + "\n")
                        .collect(Collectors.joining())))
                .build();
    }

    private static Map<String, Integer> words(String text) {
        Map<String, Integer> words = new TreeMap<>();
        for (String word : text.split("\\s+")) {
            words.merge(word, 1, Integer::sum);
        }
        return words;
    }

    /** Arguments: a folder for the catalogs, which must not exist, then folders of documents, one for each version. */
    public static void main(String[] arguments) throws IOException {
        Storage storage = new LocalStorage();
        Path work = Files.createDirectories(Path.of(arguments[0]));
        Catalog docs = Catalog.create(
                storage, work.resolve("docs").toString(), CatalogDefinition.of("docs", LayerDefinition.generic("text")));
        Catalog index = Catalog.create(
                storage, work.resolve("index").toString(), CatalogDefinition.of("index", LayerDefinition.generic("index")));
        try (Engine engine = DuckDbEngine.open(DuckDbSettings.defaults(Files.createTempDirectory("tidemark-")))) {
            Driver driver = Driver.on(index).bind("docs", docs).tasks(task()).engine(engine);
            for (String folder : List.of(arguments).subList(1, arguments.length)) {
                publish(docs, Path.of(folder), engine);
                Plan plan = driver.plan(Job.latest());
                System.out.println("plan    " + plan.toString().replace("\n", "\n        "));
                System.out.println("report  " + driver.run(plan).toString().replace("\n", "\n        "));
            }
        }
    }

    /** Makes the files of a folder the whole layer; what is published already is not written again. */
    private static void publish(Catalog docs, Path folder, Engine engine) throws IOException {
        CatalogVersion base = docs.latest();
        List<Path> files;
        try (Stream<Path> found = Files.list(folder)) {
            files = found.sorted().toList();
        }
        try (PayloadStager stager = docs.stager(base, Files.createTempDirectory("tidemark-"))) {
            engine.load("documents", Candidates.COLUMNS, rows -> {
                for (Path file : files) {
                    String name = file.getFileName().toString();
                    rows.accept(Candidates.row("text", name, stager.stage("text", name, read(file))));
                }
            });
            docs.publish(base)
                    .candidates("documents", Map.of("text", PublishMode.SNAPSHOT))
                    .commit(engine);
        }
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
