package io.tidemark.compile.fingerprint;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;

/** Reads the names of the classes that a class file refers to, from its table of constants. */
final class ClassReferences {
    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int CLASS = 7;
    private static final int STRING = 8;
    private static final int METHOD_HANDLE = 15;
    private static final int METHOD_TYPE = 16;
    private static final int MODULE = 19;
    private static final int PACKAGE = 20;
    private static final int HEADER_BYTES = 8;

    private ClassReferences() {}

    /** The names with slashes, as class files spell them; arrays stand for their elements. */
    static Set<String> of(byte[] classFile) {
        try (DataInputStream input = new DataInputStream(new ByteArrayInputStream(classFile))) {
            input.skipNBytes(HEADER_BYTES);
            int count = input.readUnsignedShort();
            String[] texts = new String[count];
            int[] classes = new int[count];
            for (int i = 1; i < count; i++) {
                int tag = input.readUnsignedByte();
                switch (tag) {
                    case UTF8 -> texts[i] = input.readUTF();
                    case CLASS -> classes[i] = input.readUnsignedShort();
                    case STRING, METHOD_TYPE, MODULE, PACKAGE -> input.skipNBytes(2);
                    case METHOD_HANDLE -> input.skipNBytes(3);
                    case LONG, DOUBLE -> {
                        input.skipNBytes(Long.BYTES);
                        // These take two places of the table.
                        i++;
                    }
                    default -> input.skipNBytes(Integer.BYTES);
                }
            }
            Set<String> names = new TreeSet<>();
            for (int index : classes) {
                if (index > 0 && texts[index] != null) {
                    names.add(element(texts[index]));
                }
            }
            return names;
        } catch (IOException e) {
            throw new IllegalArgumentException("the bytes are no class file", e);
        }
    }

    private static String element(String name) {
        if (!name.startsWith("[")) {
            return name;
        }
        String element = name.replaceFirst("^\\[+", "");
        return element.startsWith("L") ? element.substring(1, element.length() - 1) : element;
    }
}
