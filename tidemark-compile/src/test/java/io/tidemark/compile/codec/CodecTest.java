package io.tidemark.compile.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CodecTest {
    private enum Colour {
        RED,
        GREEN
    }

    private sealed interface Shape permits Circle, Square {}

    private record Circle(double radius) implements Shape {}

    private record Square(int side, Colour colour) implements Shape {}

    private record Tree(String name, List<Tree> children) {}

    private record All(
            boolean flag,
            byte tiny,
            short small,
            char letter,
            int number,
            long big,
            float half,
            double whole,
            @Nullable Integer boxed,
            String text,
            BigDecimal decimal,
            Instant time,
            LocalDate day,
            Optional<String> maybe,
            List<@Nullable String> list,
            Set<Integer> set,
            Map<String, Shape> map,
            Tree tree) {}

    private static All all(@Nullable Integer boxed, Set<Integer> set, Map<String, Shape> map) {
        return new All(
                true,
                (byte) -1,
                (short) 300,
                'ß',
                -7,
                Long.MIN_VALUE,
                1.5f,
                -0.0,
                boxed,
                "ä\uD83D\uDE00",
                new BigDecimal("1.20"),
                Instant.parse("2024-02-29T12:00:00.123456789Z"),
                LocalDate.of(2024, 2, 29),
                Optional.empty(),
                new ArrayList<>(Arrays.asList("a", null)),
                set,
                map,
                new Tree("root", List.of(new Tree("leaf", List.of()))));
    }

    @Test
    void valuesComeBack() {
        Codec<All> codec = Codec.of(All.class);
        for (Integer boxed : new Integer[] {null, 5}) {
            All value = all(boxed, Set.of(3, 1, 2), Map.of("c", new Circle(2), "s", new Square(3, Colour.GREEN)));
            assertThat(codec.decode(codec.encode(value))).isEqualTo(value);
        }
        assertThat(Codec.of(String.class).decode(Codec.of(String.class).encode("x")))
                .isEqualTo("x");
        assertThat(Codec.of(Shape.class).decode(Codec.of(Shape.class).encode(new Circle(Double.NaN))))
                .isEqualTo(new Circle(Double.NaN));
    }

    @Test
    void orderOfHashTablesDoesNotCount() {
        Codec<All> codec = Codec.of(All.class);
        Map<String, Shape> forwards = new LinkedHashMap<>();
        forwards.put("a", new Circle(1));
        forwards.put("b", new Circle(2));
        Map<String, Shape> backwards = new LinkedHashMap<>();
        backwards.put("b", new Circle(2));
        backwards.put("a", new Circle(1));
        assertThat(codec.encode(all(1, new LinkedHashSet<>(List.of(1, 2, 300)), forwards)))
                .isEqualTo(codec.encode(all(1, new LinkedHashSet<>(List.of(300, 2, 1)), backwards)));
    }

    @Test
    void differentValuesHaveDifferentBytes() {
        Codec<Tree> codec = Codec.of(Tree.class);
        assertThat(codec.encode(new Tree("a", List.of(new Tree("b", List.of())))))
                .isNotEqualTo(codec.encode(new Tree("ab", List.of())));
    }

    @Test
    void otherFormsHaveOtherSchemas() {
        record Before(int a, String b) {}
        record After(String b, int a) {}
        assertThat(Codec.of(Before.class).schema()).contains("a: int, b: string");
        assertThat(Codec.of(After.class).schema()).contains("b: string, a: int");
    }

    @Test
    void unsupportedTypesAreNamed() {
        record Wrong(int number, List<Thread> threads) {}
        TidemarkException failure = catchThrowableOfType(TidemarkException.class, () -> Codec.of(Wrong.class));
        assertThat(failure.code()).isEqualTo(ErrorCode.INTERMEDIATE_TYPE);
        assertThat(failure.primary()).contains("Wrong.threads").contains("java.lang.Thread");
    }

    @Test
    void damagedBytesAreReported() {
        Codec<Tree> codec = Codec.of(Tree.class);
        byte[] bytes = codec.encode(new Tree("root", List.of(new Tree("leaf", List.of()))));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThat(catchThrowableOfType(TidemarkException.class, () -> codec.decode(cut))
                            .code())
                    .isEqualTo(ErrorCode.STATE_CORRUPT);
        }
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        assertThat(catchThrowableOfType(TidemarkException.class, () -> codec.decode(longer))
                        .code())
                .isEqualTo(ErrorCode.STATE_CORRUPT);
    }

    @Test
    void halfOfACharacterIsRefused() {
        assertThatThrownBy(() -> Codec.of(String.class).encode("\uD83D")).isInstanceOf(IllegalArgumentException.class);
    }
}
