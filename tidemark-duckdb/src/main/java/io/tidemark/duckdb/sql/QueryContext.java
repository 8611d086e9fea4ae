package io.tidemark.duckdb.sql;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.function.BiFunction;

/**
 * What the writers of one query share.
 *
 * @param positions places in the user's text
 * @param respelled the text that was parsed
 * @param decimals functions on decimals
 * @param probes types of expressions
 * @param tables the relation to read for a table's name parts and the offset of the name in the user's text
 */
record QueryContext(
        Positions positions,
        Respelling.Result respelled,
        DecimalFunctions decimals,
        TypeProbes probes,
        BiFunction<List<String>, Integer, String> tables) {
    private static final int NOWHERE = -1;

    /** The offset in the user's text where a node begins; 0 if the parser does not say. */
    int offset(JsonNode node) {
        JsonNode location = node.path("query_location");
        boolean known = location.isNumber() && location.canConvertToInt() && location.asInt(NOWHERE) >= 0;
        return known ? respelled.original(location.asInt()) : 0;
    }
}
