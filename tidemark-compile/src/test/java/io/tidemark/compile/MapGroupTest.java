package io.tidemark.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pattern MapGroup: an input {@code p=1 q=2} contributes 1 to p and 2 to q; an output lists what it got from whom.
 * Numbers in comments are the cases of the specification.
 */
class MapGroupTest {
    @TempDir
    Path folder;

    private Compilation compilation;

    private record Part(String from, String value) {}

    @BeforeEach
    void catalogs() {
        compilation = new Compilation(folder)
                .input("A", "a")
                .output("X")
                .put("A", "a", "a1", "p=1 q=1", "a2", "q=2 r=2", "a3", "r=3");
        compilation.run(words()).full(Reason.EMPTY_OUTPUT, 3, 3, 3, 0, 0);
    }

    private static String listed(Contributors<Part> parts) {
        StringBuilder text = new StringBuilder();
        parts.forEach(part ->
                text.append(part.from()).append(':').append(part.value()).append(' '));
        return text.toString().strip();
    }

    private static Task words() {
        return Task.named("t")
                .in("A", "a")
                .out("X")
                .mapGroup(Part.class)
                .compileIn((in, emit, c) -> {
                    for (String word : c.payload(in).text().split(" ")) {
                        String[] parts = word.split("=");
                        emit.to(c.out("X", parts[0]), new Part(in.partition(), parts[1]));
                    }
                })
                .compileOut((out, parts) -> Payload.some(listed(parts)))
                .build();
    }

    @Test
    void contributorsAreGathered() {
        assertThat(compilation.content("X")).isEqualTo(Map.of("p", "a1:1", "q", "a1:1 a2:2", "r", "a2:2 a3:3"));
    }

    @Test
    void outputWithoutContributorsGoesAndEqualOnesAreCutOff() { // 19
        compilation.put("A", "a", "a1", "q=1").run(words()).incremental(1, 0, 0, 1, 0);
        assertThat(compilation.content("X")).containsOnlyKeys("q", "r");
    }

    @Test
    void newOutput() { // 20
        compilation
                .put("A", "a", "a3", "r=3 s=3")
                .run(words())
                .incremental(1, 1, 1, 0, 0)
                .added(1);
        assertThat(compilation.content("X")).containsEntry("s", "a3:3");
    }

    @Test
    void changedContributionAmongOthers() { // 21
        compilation.put("A", "a", "a2", "q=9 r=2").run(words()).incremental(1, 1, 1, 0, 0);
        assertThat(compilation.content("X")).containsEntry("q", "a1:1 a2:9");
    }

    @Test
    void lastContributorsLeave() { // 22
        compilation.put("A", "a", "a2", "q=2", "a3", "none").run(wordsOrNone()).full(Reason.FINGERPRINT, 3, 2, 0, 1, 2);
    }

    @Test
    void lastContributorsLeaveIncrementally() { // 22
        compilation.put("A", "a", "a3", "r=3 z=3").run(words());
        compilation.put("A", "a", "a2", "q=2", "a3", "z=3").run(words()).incremental(2, 0, 0, 1, 0);
        assertThat(compilation.content("X")).containsOnlyKeys("p", "q", "z");
    }

    /** As {@link #words}, for inputs that may hold no word. */
    private static Task wordsOrNone() {
        return Task.named("t")
                .in("A", "a")
                .out("X")
                .mapGroup(Part.class)
                .compileIn((in, emit, c) -> {
                    for (String word : c.payload(in).text().split(" ")) {
                        if (word.contains("=")) {
                            String[] parts = word.split("=");
                            emit.to(c.out("X", parts[0]), new Part(in.partition(), parts[1]));
                        }
                    }
                })
                .compileOut((out, parts) -> Payload.some(listed(parts)))
                .build();
    }

    @Test
    void severalValuesForOneOutputKeepTheirOrder() {
        compilation.put("A", "a", "a1", "p=2 p=1").run(words()).incremental(1, 2, 2, 0, 0);
        assertThat(compilation.content("X")).containsEntry("p", "a1:2 a1:1").containsEntry("q", "a2:2");
        compilation.put("A", "a", "a1", "p=1 p=2").run(words()).incremental(1, 1, 1, 0, 0);
        compilation.put("A", "a", "a1", "p=1 p=2 p=2").run(words()).incremental(1, 1, 1, 0, 0);
        assertThat(compilation.content("X")).containsEntry("p", "a1:1 a1:2 a1:2");
    }

    @Test
    void valuesThatAreNotKeptAreMadeAgain() {
        Task task = Task.named("t")
                .in("A", "a")
                .out("X")
                .mapGroup(String.class)
                .compileIn((in, emit, c) -> {
                    for (String word : c.payload(in).text().split(" ")) {
                        emit.to(c.out("X", word.substring(0, 1)), word);
                    }
                })
                .compileOut((out, words) -> Payload.some(String.join(" ", words.toList())))
                .keepIntermediates(false)
                .build();
        compilation.run(task).full(Reason.FINGERPRINT, 3, 3, 3, 0, 0);
        compilation.put("A", "a", "a1", "p=1 q=7").run(task).incremental(2, 1, 1, 0, 0);
        assertThat(compilation.content("X")).containsEntry("q", "q=7 q=2");
    }

    @Test
    void orderOfDeliveryDoesNotCount() { // 78
        Compilation shuffled = new Compilation(folder.resolve("shuffled"))
                .input("A", "a")
                .output("X")
                .put("A", "a", "a3", "r=3")
                .put("A", "a", "a2", "q=2 r=2")
                .put("A", "a", "a1", "p=1 q=1")
                .with(builder -> builder.threads(1));
        shuffled.run(words());
        assertThat(shuffled.content("X")).isEqualTo(compilation.content("X"));
    }
}
