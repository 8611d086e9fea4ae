package io.tidemark.delta.log;

import java.nio.charset.StandardCharsets;

/** Paths of data files as a Delta log writes them: percent-encoded parts of a URI. */
public final class LogPath {
    private static final String PLAIN = "-_.~!$&'()*+,;=:@/";
    private static final String HEX = "0123456789ABCDEF";

    private LogPath() {}

    /** Encodes a relative path of plain names. */
    public static String encode(String relativePath) {
        StringBuilder encoded = new StringBuilder();
        for (byte value : relativePath.getBytes(StandardCharsets.UTF_8)) {
            char character = (char) (value & 0xff);
            boolean plain = isLetterOrDigit(character) || PLAIN.indexOf(character) >= 0;
            if (plain) {
                encoded.append(character);
            } else {
                encoded.append('%').append(HEX.charAt(character >> 4)).append(HEX.charAt(character & 0xf));
            }
        }
        // A colon in the first part would read as the scheme of a URI.
        int colon = encoded.indexOf(":");
        int slash = encoded.indexOf("/");
        if (colon >= 0 && (slash < 0 || colon < slash)) {
            encoded.replace(colon, colon + 1, "%3A");
        }
        return encoded.toString();
    }

    private static boolean isLetterOrDigit(char character) {
        return (character >= 'a' && character <= 'z')
                || (character >= 'A' && character <= 'Z')
                || (character >= '0' && character <= '9');
    }
}
