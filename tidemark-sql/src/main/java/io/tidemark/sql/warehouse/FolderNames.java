package io.tidemark.sql.warehouse;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Names of schemas and tables as names of folders: letters, digits and underscores of ASCII stay, every other byte of the
 * name's UTF-8 form is written {@code %XX}. So any name is safe, and the usual ones look like themselves.
 */
final class FolderNames {
    private static final int HEX = 16;

    private FolderNames() {}

    static String encode(String name) {
        StringBuilder folder = new StringBuilder();
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xFF);
            boolean plain = c == '_' || (c < 128 && Character.isLetterOrDigit(c));
            folder.append(plain ? String.valueOf(c) : String.format("%%%02X", b & 0xFF));
        }
        return folder.toString();
    }

    /** A schema's folder; a leading underscore is written {@code %5F} to stay apart from folders of our own. */
    static String encodeSchema(String name) {
        String folder = encode(name);
        return folder.startsWith("_") ? "%5F" + folder.substring(1) : folder;
    }

    static String decode(String folder) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] text = folder.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < text.length; i++) {
            boolean escape = text[i] == '%' && i + 2 < text.length && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0;
            if (escape) {
                bytes.write(hex(text[i + 1]) * HEX + hex(text[i + 2]));
                i += 2;
            } else {
                bytes.write(text[i]);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static int hex(byte b) {
        return Character.digit(b, HEX);
    }
}
