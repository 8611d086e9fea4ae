package io.tidemark.duckdb.sql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** DuckDB counts places in a query in bytes of UTF-8, Java in characters. */
final class CharacterOffsets {
    private static final String PLACE = "query_location";
    private static final int TWO_BYTES_FROM = 0x80;
    private static final int THREE_BYTES_FROM = 0x800;

    private final int[] characters;

    private CharacterOffsets(String sql) {
        this.characters = characters(sql);
    }

    /** Replaces the places in a parsed or bound query by offsets of characters. */
    static void replace(JsonNode tree, String sql) {
        if (sql.chars().anyMatch(character -> character >= TWO_BYTES_FROM)) {
            new CharacterOffsets(sql).replace(tree);
        }
    }

    /** The offset of the character at a byte. */
    static int of(int bytes, String sql) {
        return new CharacterOffsets(sql).character(bytes);
    }

    private void replace(JsonNode node) {
        JsonNode place = node.path(PLACE);
        if (node instanceof ObjectNode object && place.isNumber() && place.canConvertToInt()) {
            object.put(PLACE, character(place.asInt()));
        }
        for (JsonNode child : node) {
            replace(child);
        }
    }

    /** Places behind the text are in bodies of macros; they stay behind it. */
    private int character(int bytes) {
        return bytes < 0 || bytes >= characters.length ? bytes : characters[bytes];
    }

    private static int[] characters(String sql) {
        int length = 0;
        for (int i = 0; i < sql.length(); i++) {
            length += bytes(sql.charAt(i));
        }
        int[] characters = new int[length];
        int next = 0;
        for (int i = 0; i < sql.length(); i++) {
            for (int end = next + bytes(sql.charAt(i)); next < end; next++) {
                characters[next] = i;
            }
        }
        return characters;
    }

    /** Each half of a surrogate pair counts as two of the four bytes. */
    private static int bytes(char character) {
        if (character < TWO_BYTES_FROM) {
            return 1;
        }
        return character < THREE_BYTES_FROM || Character.isSurrogate(character) ? 2 : 3;
    }
}
