package io.tidemark.compile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pattern RefTree. A payload {@code r1 r2|text} refers to r1 and r2. A subject's value is its text and the texts of what it
 * refers to, up to a semicolon. Numbers in comments are the cases of the specification.
 */
class RefTreeTest {
    private static final AtomicInteger RESOLVED = new AtomicInteger();

    @TempDir
    Path folder;

    private Compilation compilation;

    @BeforeEach
    void catalogs() {
        compilation = new Compilation(folder)
                .input("A", "s", "r", "g", "z")
                .output("O")
                .with(builder -> builder.threads(2).checkDeterminism(0));
    }

    private static void resolveNames(
            String names, String reference, String layer, ReferenceResolver.Found found, Context c) {
        for (String name : names.split(" ")) {
            if (!name.isEmpty()) {
                found.add(reference, c.in("A", layer, name));
            }
        }
    }

    private static String names(String payload) {
        return payload.substring(0, payload.indexOf('|'));
    }

    private static String shown(String payload) {
        return payload.substring(payload.indexOf('|') + 1).split(";", -1)[0];
    }

    /** Subjects refer to partitions of layer r. */
    private static Task flat() {
        return Task.named("t")
                .in("A", "s")
                .reading("A", "r")
                .out("O")
                .refTree(String.class, Reference.to("r", "A", "r"))
                .resolve((partition, found, c) -> {
                    RESOLVED.incrementAndGet();
                    resolveNames(names(c.payload(partition).text()), "r", "r", found, c);
                })
                .compileIn((subject, references, emit, c) -> {
                    StringBuilder text =
                            new StringBuilder(shown(c.payload(subject).text()));
                    references
                            .get("r")
                            .forEach(each -> text.append('+')
                                    .append(shown(c.payload(each).text())));
                    references.dangling().forEach(each -> text.append('?').append(each.partition()));
                    emit.to(c.out("O", subject.partition().replace('s', 'o')), text.toString());
                })
                .compileOut((out, values) -> Payload.some(values.first()))
                .build();
    }

    /** Partitions of layer r refer to partitions of layer g. */
    private static Task nested() {
        return Task.named("t")
                .in("A", "s")
                .reading("A", "r", "g")
                .out("O")
                .refTree(String.class, Reference.to("r", "A", "r", Reference.to("g", "A", "g")))
                .resolve((partition, found, c) -> {
                    String next = found.path().isEmpty() ? "r" : "g";
                    resolveNames(names(c.payload(partition).text()), next, next, found, c);
                })
                .compileIn((subject, references, emit, c) -> {
                    StringBuilder text =
                            new StringBuilder(shown(c.payload(subject).text()));
                    references.get("r").forEach(each -> {
                        text.append('+').append(shown(c.payload(each).text()));
                        references
                                .of(each, "g")
                                .forEach(deep -> text.append('/')
                                        .append(shown(c.payload(deep).text())));
                    });
                    emit.to(c.out("O", subject.partition().replace('s', 'o')), text.toString());
                })
                .compileOut((out, values) -> Payload.some(values.first()))
                .build();
    }

    private void flatCatalog() {
        compilation
                .put("A", "r", "r1", "|R1;", "r2", "|R2;")
                .put("A", "s", "s1", "r1|S1", "s2", "r1 r2|S2", "s3", "|S3");
        compilation.run(flat()).full(Reason.EMPTY_OUTPUT, 3, 3, 3, 0, 0);
        assertThat(compilation.content("O")).containsEntry("o2", "S2+R1+R2").containsEntry("o3", "S3");
        RESOLVED.set(0);
    }

    private void nestedCatalog() {
        compilation
                .put("A", "g", "g1", "|G1", "g2", "|G2")
                .put("A", "r", "r1", "g1|R1", "r2", "g1|R2", "r3", "g2|R3")
                .put("A", "s", "s1", "r1|S1", "s2", "r2|S2", "s3", "r3|S3");
        compilation.run(nested()).full(Reason.EMPTY_OUTPUT, 3, 3, 3, 0, 0);
        assertThat(compilation.content("O")).containsEntry("o1", "S1+R1/G1").containsEntry("o3", "S3+R3/G2");
    }

    @Test
    void changedReferenceReachesItsSubjects() { // 23
        flatCatalog();
        compilation.put("A", "r", "r1", "|RR1;").run(flat()).incremental(2, 2, 2, 0, 0);
        assertThat(compilation.content("O")).containsEntry("o1", "S1+RR1").containsEntry("o2", "S2+RR1+R2");
        assertThat(RESOLVED)
                .as("references of subjects that did not change are not resolved")
                .hasValue(0);
    }

    @Test
    void equalValueIsCutOff() { // 24
        flatCatalog();
        compilation
                .put("A", "r", "r2", "|R2;other")
                .run(flat())
                .incremental(1, 0, 0, 0, 0)
                .committed();
    }

    @Test
    void unreferencedPartition() { // 25
        flatCatalog();
        compilation
                .put("A", "r", "r3", "|R3;")
                .run(flat())
                .incremental(0, 0, 0, 0, 0)
                .committed();
        assertThat(compilation.dependency("A")).isEqualTo(3);
    }

    @Test
    void newReference() { // 26
        flatCatalog();
        compilation.put("A", "s", "s3", "r2|S3").run(flat()).incremental(1, 1, 1, 0, 0);
        assertThat(RESOLVED).hasValue(1);
        compilation.put("A", "r", "r2", "|RR2;").run(flat()).incremental(2, 2, 2, 0, 0);
        assertThat(compilation.content("O")).containsEntry("o3", "S3+RR2");
    }

    @Test
    void droppedReference() { // 27
        flatCatalog();
        compilation.put("A", "s", "s1", "|S1").run(flat()).incremental(1, 1, 1, 0, 0);
        compilation.put("A", "r", "r1", "|RR1;").run(flat()).incremental(1, 1, 1, 0, 0);
        assertThat(compilation.content("O")).containsEntry("o1", "S1").containsEntry("o2", "S2+RR1+R2");
    }

    @Test
    void danglingReferenceIsRemembered() { // 28
        flatCatalog();
        compilation.put("A", "s", "s1", "r9|S1").run(flat()).incremental(1, 1, 1, 0, 0);
        assertThat(compilation.content("O")).containsEntry("o1", "S1?r9");
        compilation.put("A", "r", "r9", "|R9;").run(flat()).incremental(1, 1, 1, 0, 0);
        assertThat(compilation.content("O")).containsEntry("o1", "S1+R9");
    }

    @Test
    void deletedReference() { // 29
        flatCatalog();
        compilation.put("A", "r", "r1", null).run(flat()).incremental(2, 2, 2, 0, 0);
        assertThat(compilation.content("O")).containsEntry("o1", "S1?r1").containsEntry("o2", "S2+R2?r1");
    }

    @Test
    void deletedSubject() {
        flatCatalog();
        compilation.put("A", "s", "s2", null).run(flat()).incremental(0, 0, 0, 1, 0);
        compilation.put("A", "r", "r2", "|RR2;").run(flat()).incremental(0, 0, 0, 0, 0);
    }

    @Test
    void nestedReferenceReachesSubjects() { // 30
        nestedCatalog();
        compilation.put("A", "g", "g1", "|GG1").run(nested()).incremental(2, 2, 2, 0, 0);
        assertThat(compilation.content("O")).containsEntry("o2", "S2+R2/GG1");
    }

    @Test
    void redirectedNestedReference() { // 31
        nestedCatalog();
        compilation.put("A", "r", "r1", "g2|R1").run(nested()).incremental(1, 1, 1, 0, 0);
        assertThat(compilation.content("O")).containsEntry("o1", "S1+R1/G2");
        compilation.put("A", "g", "g1", "|GG1").run(nested()).incremental(1, 1, 1, 0, 0);
        assertThat(compilation.content("O")).containsEntry("o2", "S2+R2/GG1").containsEntry("o1", "S1+R1/G2");
    }

    @Test
    void newPartitionWithReferencesOfItsOwn() {
        nestedCatalog();
        compilation.put("A", "s", "s1", "r4|S1").run(nested()).incremental(1, 1, 1, 0, 0);
        compilation.put("A", "r", "r4", "g1|R4").run(nested()).incremental(1, 1, 1, 0, 0);
        assertThat(compilation.content("O")).containsEntry("o1", "S1+R4/G1");
        compilation
                .put("A", "g", "g1", "|GG1")
                .run(Job.latest().verified(), nested())
                .incremental(2, 2, 2, 0, 0);
    }

    private static Task withExtraRead(boolean records, boolean declared) {
        TaskBuilder builder = Task.named("t").in("A", "s").reading("A", "z").out("O");
        if (records) {
            builder.recordReads();
        }
        return builder.refTree(String.class)
                .resolve((partition, found, c) -> {})
                .compileIn((subject, references, emit, c) -> {
                    String name = names(c.payload(subject).text()).strip();
                    String read = "";
                    if (!name.isEmpty()) {
                        read = declared
                                ? c.read(c.in("A", "z", name))
                                        .map(Payload::text)
                                        .orElse("?")
                                : c.payload(c.in("A", "z", name)).text();
                    }
                    emit.to(
                            c.out("O", subject.partition()),
                            shown(c.payload(subject).text()) + read);
                })
                .compileOut((out, values) -> Payload.some(values.first()))
                .build();
    }

    @Test
    void extraReadIsRecorded() { // 32
        compilation.put("A", "z", "z7", "Z7").put("A", "s", "s1", "z7|S1", "s2", "|S2", "s3", "z8|S3");
        Task task = withExtraRead(false, true);
        compilation.run(task).full(Reason.EMPTY_OUTPUT, 3, 3, 3, 0, 0);
        assertThat(compilation.content("O")).containsEntry("s1", "S1Z7").containsEntry("s3", "S3?");
        compilation.put("A", "z", "z7", "ZZ7").run(task).incremental(1, 1, 1, 0, 0);
        assertThat(compilation.content("O")).containsEntry("s1", "S1ZZ7");
        compilation.put("A", "z", "z8", "Z8").run(Job.latest().verified(), task).incremental(1, 1, 1, 0, 0);
        assertThat(compilation.content("O")).containsEntry("s3", "S3Z8");
        compilation.put("A", "s", "s1", "|S1").run(task).incremental(1, 1, 1, 0, 0);
        compilation
                .put("A", "z", "z7", "ZZZ7")
                .run(Job.latest().verified(), task)
                .incremental(0, 0, 0, 0, 0);
    }

    @Test
    void undeclaredReadIsRefused() { // 33
        compilation.put("A", "z", "z7", "Z7").put("A", "s", "s1", "z7|S1");
        assertThat(compilation
                        .fails(ErrorCode.UNDECLARED_READ, () -> compilation.run(withExtraRead(false, false)))
                        .primary())
                .contains("A:z/z7")
                .contains("A/s/s1");
    }

    @Test
    void undeclaredReadIsRecorded() { // 33
        compilation.put("A", "z", "z7", "Z7").put("A", "s", "s1", "z7|S1");
        compilation.run(withExtraRead(true, false)).full(Reason.EMPTY_OUTPUT, 1, 1, 1, 0, 0);
        compilation.put("A", "z", "z7", "ZZ7").run(withExtraRead(true, false)).incremental(1, 1, 1, 0, 0);
    }

    @Test
    void referenceToALayerThatIsNoInput() { // 34
        compilation.fails(
                ErrorCode.UNKNOWN_LAYER,
                () -> Task.named("t")
                        .in("A", "s")
                        .out("O")
                        .refTree(String.class, Reference.to("r", "A", "r"))
                        .resolve((partition, found, c) -> {})
                        .compileIn((subject, references, emit, c) -> {})
                        .compileOut((out, values) -> Payload.none())
                        .build());
    }

    @Test
    void undeclaredReferenceIsRefused() {
        compilation.put("A", "s", "s1", "r1|S1");
        Task task = Task.named("t")
                .in("A", "s")
                .reading("A", "r", "g")
                .out("O")
                .refTree(String.class, Reference.to("r", "A", "r"))
                .resolve((partition, found, c) -> found.add("r", c.in("A", "g", "g1")))
                .compileIn((subject, references, emit, c) -> {})
                .compileOut((out, values) -> Payload.none())
                .build();
        assertThat(compilation
                        .fails(ErrorCode.UNDECLARED_REFERENCE, () -> compilation.run(task))
                        .primary())
                .contains("A:g/g1")
                .contains("A/s/s1");
    }
}
