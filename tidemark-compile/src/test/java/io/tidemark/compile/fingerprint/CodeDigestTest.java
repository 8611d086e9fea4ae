package io.tidemark.compile.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class CodeDigestTest {
    private interface Function extends Serializable {
        Object apply();
    }

    private record Setting(String name, int value) {}

    private static Function capturing(Object value) {
        return () -> value;
    }

    private static String digest(Object function) {
        return CodeDigest.of(List.of(function));
    }

    @Test
    void sameLambdaAndSameValues() {
        assertThat(capturing("a").apply()).isEqualTo("a");
        assertThat(digest(capturing("a"))).isEqualTo(digest(capturing("a")));
        assertThat(digest(capturing(new Setting("a", 1)))).isEqualTo(digest(capturing(new Setting("a", 1))));
        assertThat(digest(capturing(new ArrayList<>(List.of(1, 2))))).isEqualTo(digest(capturing(List.of(1, 2))));
        assertThat(digest(capturing(new HashMap<>(Map.of("a", 1, "b", 2)))))
                .isEqualTo(digest(capturing(Map.of("b", 2, "a", 1))));
    }

    @Test
    void capturedValuesCount() {
        assertThat(digest(capturing("a"))).isNotEqualTo(digest(capturing("b")));
        assertThat(digest(capturing(1))).isNotEqualTo(digest(capturing(1L)));
        assertThat(digest(capturing(new Setting("a", 1)))).isNotEqualTo(digest(capturing(new Setting("a", 2))));
        assertThat(digest(capturing(List.of(1, 2)))).isNotEqualTo(digest(capturing(List.of(2, 1))));
        assertThat(digest(capturing(capturing("a")))).isNotEqualTo(digest(capturing(capturing("b"))));
    }

    @Test
    void otherLambdasDiffer() {
        Function first = () -> 1;
        Function second = () -> 2;
        assertThat(digest(first)).isNotEqualTo(digest(second));
        assertThat(CodeDigest.of(List.of(first, second))).isNotEqualTo(CodeDigest.of(List.of(second, first)));
    }

    @Test
    void countersDoNotCount() {
        AtomicInteger counter = new AtomicInteger();
        String before = digest(capturing(counter));
        counter.incrementAndGet();
        assertThat(digest(capturing(counter))).isEqualTo(before);
    }

    @Test
    void lambdasThatCannotBeWrittenDownHaveNoNameOfTheProcess() {
        Supplier<Integer> plain = () -> 1;
        assertThat(digest(plain)).isEqualTo(digest((Supplier<Integer>) () -> 2));
    }

    @Test
    void classesThatAreReferredToAreFound() throws Exception {
        String name = CodeDigestTest.class.getName().replace('.', '/');
        try (var stream = CodeDigestTest.class.getResourceAsStream("/" + name + ".class")) {
            assertThat(ClassReferences.of(
                            java.util.Objects.requireNonNull(stream).readAllBytes()))
                    .contains(name, name + "$Setting", "java/util/List", "java/lang/Object");
        }
    }
}
