package io.tidemark.compile.codec;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds the forms of types, by reflection. */
final class Forms {
    private static final Map<Class<?>, Form> SCALARS = scalars();

    /** Forms that are known or being made: a type may hold itself. */
    private final Map<Class<?>, Form> known = new HashMap<>();

    private Forms() {}

    /** The form of a type. */
    static Form of(Class<?> type) {
        return new Forms().find(type, type.getSimpleName());
    }

    /**
     * Finds a form.
     *
     * @param where the component that has the type, for errors
     */
    Form find(Type type, String where) {
        if (type instanceof Class<?> plain) {
            return find(plain, where);
        }
        if (type instanceof ParameterizedType generic && generic.getRawType() instanceof Class<?> raw) {
            Type[] arguments = generic.getActualTypeArguments();
            if (raw == List.class) {
                return list(find(arguments[0], where));
            }
            if (raw == Set.class) {
                return set(find(arguments[0], where));
            }
            if (raw == Map.class) {
                return map(find(arguments[0], where), find(arguments[1], where));
            }
            if (raw == Optional.class) {
                Form value = find(arguments[0], where);
                return nullable(
                        "optional<" + value.schema() + ">",
                        (optional, output) -> value.write(((Optional<?>) optional).orElse(null), output),
                        input -> Optional.ofNullable(value.read(input)));
            }
        }
        throw unsupported(type, where);
    }

    private Form find(Class<?> type, String where) {
        Form scalar = SCALARS.get(type);
        if (scalar != null) {
            return scalar;
        }
        Form before = known.get(type);
        if (before != null) {
            return before;
        }
        if (type.isEnum()) {
            return enumeration(type);
        }
        if (!type.isRecord() && !type.isSealed()) {
            throw unsupported(type, where);
        }
        Later later = new Later(type.getName());
        known.put(type, later);
        Form form = type.isRecord() ? RecordForm.of(type, this, where) : SealedForm.of(type, this, where);
        later.form = form;
        known.put(type, form);
        return form;
    }

    static TidemarkException unsupported(Type type, String where) {
        return TidemarkException.of(
                        ErrorCode.INTERMEDIATE_TYPE,
                        where + " has the type " + type.getTypeName() + ", of which no canonical bytes can be derived")
                .hint(
                        "use records of plain values, strings, lists, sets and maps, or give the task a Codec of your own")
                .build();
    }

    /** Writes a value that is not null. */
    @FunctionalInterface
    interface Writer {
        void write(Object value, ByteOutput output);
    }

    /** A form of a type that may be null. */
    static Form nullable(String schema, Writer writer, Function<ByteInput, Object> reader) {
        return new Form() {
            @Override
            public void write(@Nullable Object value, ByteOutput output) {
                output.writeByte(value == null ? 0 : 1);
                if (value != null) {
                    writer.write(value, output);
                }
            }

            @Override
            public @Nullable Object read(ByteInput input) {
                return switch (input.readByte()) {
                    case 0 -> null;
                    case 1 -> reader.apply(input);
                    default -> throw new ByteInput.CorruptBytesException("a mark is neither 0 nor 1");
                };
            }

            @Override
            public String schema() {
                return schema;
            }
        };
    }

    private static Map<Class<?>, Form> scalars() {
        Map<Class<?>, Form> forms = new HashMap<>();
        number(forms, boolean.class, Boolean.class, "boolean", value -> (Boolean) value ? 1L : 0L, bits -> bits != 0);
        number(forms, byte.class, Byte.class, "byte", value -> ((Byte) value).longValue(), bits -> (byte) bits);
        number(forms, short.class, Short.class, "short", value -> ((Short) value).longValue(), bits -> (short) bits);
        number(forms, char.class, Character.class, "char", value -> (long) (Character) value, bits -> (char) bits);
        number(forms, int.class, Integer.class, "int", value -> ((Integer) value).longValue(), bits -> (int) bits);
        number(forms, long.class, Long.class, "long", value -> (Long) value, bits -> bits);
        number(
                forms,
                float.class,
                Float.class,
                "float",
                value -> (long) Float.floatToIntBits((Float) value),
                bits -> Float.intBitsToFloat((int) bits));
        number(
                forms,
                double.class,
                Double.class,
                "double",
                value -> Double.doubleToLongBits((Double) value),
                Double::longBitsToDouble);
        forms.put(
                String.class,
                nullable("string", (value, output) -> output.writeText((String) value), ByteInput::readText));
        forms.put(
                byte[].class,
                nullable("bytes", (value, output) -> output.writeBytes((byte[]) value), ByteInput::readBytes));
        text(forms, BigInteger.class, BigInteger::new);
        text(forms, BigDecimal.class, BigDecimal::new);
        text(forms, UUID.class, UUID::fromString);
        text(forms, Instant.class, Instant::parse);
        text(forms, LocalDate.class, LocalDate::parse);
        text(forms, LocalTime.class, LocalTime::parse);
        text(forms, LocalDateTime.class, LocalDateTime::parse);
        text(forms, Duration.class, Duration::parse);
        return forms;
    }

    /** A number in eight bytes. */
    private static void number(
            Map<Class<?>, Form> forms,
            Class<?> primitive,
            Class<?> boxed,
            String name,
            Function<Object, Long> toBits,
            java.util.function.LongFunction<Object> ofBits) {
        Form form = nullable(
                name,
                (value, output) -> output.writeLong(toBits.apply(value)),
                input -> ofBits.apply(input.readLong()));
        forms.put(primitive, form);
        forms.put(boxed, form);
    }

    /** A value whose text says all of it. */
    private static <T> void text(Map<Class<?>, Form> forms, Class<T> type, Function<String, T> parse) {
        forms.put(type, nullable(type.getName(), (value, output) -> output.writeText(value.toString()), input -> {
            try {
                return parse.apply(input.readText());
            } catch (IllegalArgumentException | java.time.DateTimeException e) {
                throw new ByteInput.CorruptBytesException("a text is no " + type.getSimpleName());
            }
        }));
    }

    private static Form enumeration(Class<?> type) {
        Map<String, Object> constants = new LinkedHashMap<>();
        for (Object constant : type.getEnumConstants()) {
            constants.put(((Enum<?>) constant).name(), constant);
        }
        return nullable(
                "enum " + type.getName(), (value, output) -> output.writeText(((Enum<?>) value).name()), input -> {
                    String name = input.readText();
                    Object constant = constants.get(name);
                    if (constant == null) {
                        throw new ByteInput.CorruptBytesException("there is no " + type.getSimpleName() + " " + name);
                    }
                    return constant;
                });
    }

    private static Form list(Form element) {
        return nullable(
                "list<" + element.schema() + ">",
                (value, output) -> {
                    List<?> elements = (List<?>) value;
                    output.writeCount(elements.size());
                    elements.forEach(each -> element.write(each, output));
                },
                input -> {
                    int count = input.readCount();
                    List<@Nullable Object> elements = new java.util.ArrayList<>(count);
                    for (int i = 0; i < count; i++) {
                        elements.add(element.read(input));
                    }
                    return Collections.unmodifiableList(elements);
                });
    }

    /** Elements stand in the order of their bytes: a set has no order of its own. */
    private static Form set(Form element) {
        return nullable(
                "set<" + element.schema() + ">",
                (value, output) -> {
                    List<byte[]> encoded = ((Set<?>) value)
                            .stream()
                                    .map(each -> bytes(element, each))
                                    .sorted(java.util.Arrays::compareUnsigned)
                                    .toList();
                    output.writeCount(encoded.size());
                    encoded.forEach(output::writeBytes);
                },
                input -> {
                    int count = input.readCount();
                    Set<@Nullable Object> elements = new LinkedHashSet<>();
                    for (int i = 0; i < count; i++) {
                        elements.add(element.read(new ByteInput(input.readBytes())));
                    }
                    return Collections.unmodifiableSet(elements);
                });
    }

    private static Form map(Form key, Form value) {
        return nullable(
                "map<" + key.schema() + ", " + value.schema() + ">",
                (map, output) -> {
                    Map<?, ?> entries = (Map<?, ?>) map;
                    // In the order of the keys' bytes: a map has no order of its own.
                    Map<byte[], @Nullable Object> sorted = new java.util.TreeMap<>(java.util.Arrays::compareUnsigned);
                    entries.forEach((each, mapped) -> sorted.put(bytes(key, each), mapped));
                    output.writeCount(sorted.size());
                    sorted.forEach((each, mapped) -> {
                        output.writeBytes(each);
                        value.write(mapped, output);
                    });
                },
                input -> {
                    int count = input.readCount();
                    Map<@Nullable Object, @Nullable Object> entries = new LinkedHashMap<>();
                    for (int i = 0; i < count; i++) {
                        Object found = key.read(new ByteInput(input.readBytes()));
                        entries.put(found, value.read(input));
                    }
                    return Collections.unmodifiableMap(entries);
                });
    }

    private static byte[] bytes(Form form, @Nullable Object value) {
        ByteOutput output = new ByteOutput();
        form.write(value, output);
        return output.toByteArray();
    }

    /** Stands for a type while its form is made. */
    private static final class Later implements Form {
        private final String name;
        private @Nullable Form form;

        Later(String name) {
            this.name = name;
        }

        private Form form() {
            return java.util.Objects.requireNonNull(form);
        }

        @Override
        public void write(@Nullable Object value, ByteOutput output) {
            form().write(value, output);
        }

        @Override
        public @Nullable Object read(ByteInput input) {
            return form().read(input);
        }

        @Override
        public String schema() {
            return name;
        }
    }
}
