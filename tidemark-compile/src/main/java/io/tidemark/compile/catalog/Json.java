package io.tidemark.compile.catalog;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.log.JsonValues;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An object of a JSON document that must have certain fields. */
final class Json {
    private final Map<?, ?> fields;
    private final String what;

    private Json(Map<?, ?> fields, String what) {
        this.fields = fields;
        this.what = what;
    }

    /**
     * Parses a document.
     *
     * @param what names it in errors
     * @throws TidemarkException {@code CATALOG_INVALID}
     */
    static Json parse(String text, String what) {
        try {
            return new Json(JsonValues.parseObject(text), what);
        } catch (IOException e) {
            throw invalid(what, "it is no JSON object", e);
        }
    }

    /** Checks the format of the document. */
    Json checkFormat(long known) {
        long format = number("formatVersion");
        if (format != known) {
            throw invalid(what, "it has format " + format + ", which this release does not know", null);
        }
        return this;
    }

    String text(String field) {
        if (fields.get(field) instanceof String text) {
            return text;
        }
        throw missing(field);
    }

    @Nullable
    String optionalText(String field) {
        return fields.get(field) instanceof String text ? text : null;
    }

    long number(String field) {
        if (fields.get(field) instanceof Long number) {
            return number;
        }
        throw missing(field);
    }

    boolean flag(String field) {
        return Boolean.TRUE.equals(fields.get(field));
    }

    /** The elements of an array, each of which is an object; none if there is no such field. */
    List<Json> objects(String field) {
        List<Json> objects = new ArrayList<>();
        for (Object element : list(field)) {
            if (!(element instanceof Map<?, ?> map)) {
                throw missing(field);
            }
            objects.add(new Json(map, what));
        }
        return objects;
    }

    /** The elements of an array; none if there is no such field. */
    List<?> list(String field) {
        return fields.get(field) instanceof List<?> list ? list : List.of();
    }

    /** The numbers of an array. */
    static List<Long> numbers(@Nullable Object list) {
        List<Long> numbers = new ArrayList<>();
        if (list instanceof List<?> elements) {
            elements.forEach(element -> numbers.add(element instanceof Long number ? number : 0L));
        }
        return numbers;
    }

    /** The entries of an object; none if there is no such field. */
    <T> Map<String, T> map(String field, Function<@Nullable Object, T> value) {
        Map<String, T> entries = new LinkedHashMap<>();
        if (fields.get(field) instanceof Map<?, ?> map) {
            map.forEach((name, each) -> entries.put(String.valueOf(name), value.apply(each)));
        }
        return entries;
    }

    private TidemarkException missing(String field) {
        return invalid(what, "its field " + field + " is missing or of another type", null);
    }

    static TidemarkException invalid(String what, String why, @Nullable Exception cause) {
        TidemarkException.Builder error = TidemarkException.of(
                        ErrorCode.CATALOG_INVALID, what + " cannot be read: " + why)
                .hint("a catalog is made by 'tidemark catalog create' and written by Tidemark only");
        if (cause != null) {
            error.cause(cause);
        }
        return error.build();
    }
}
