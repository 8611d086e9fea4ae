package io.tidemark.files;

import io.tidemark.core.engine.InputScan;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The options of {@code read_files}, checked when they are asked for. */
final class InputOptions {
    private static final Map<InputScan.Format, Set<String>> KNOWN = Map.of(
            InputScan.Format.CSV,
            Set.of(
                    "header",
                    "sep",
                    "delimiter",
                    "quote",
                    "escape",
                    "nullvalue",
                    "dateformat",
                    "timestampformat",
                    "encoding",
                    "charset",
                    "multiline",
                    "mode"),
            InputScan.Format.JSON,
            Set.of("dateformat", "timestampformat", "encoding", "charset", "multiline", "mode"),
            InputScan.Format.PARQUET,
            Set.of(),
            InputScan.Format.DEBEZIUM,
            Set.of("keycolumns", "timeprecision", "unavailablevalue", "table", "encoding", "charset"));

    private final Map<String, String> options;
    private final TextLocation location;
    private final String folder;

    /** Checks that all options are known. */
    InputOptions(InputScan scan) {
        this.options = scan.options();
        this.location = scan.location();
        this.folder = scan.folder();
        Set<String> known = KNOWN.getOrDefault(scan.format(), Set.of());
        for (String option : new TreeSet<>(options.keySet())) {
            if (!known.contains(option.toLowerCase(Locale.ROOT))) {
                String format = scan.format().name().toLowerCase(Locale.ROOT);
                throw invalid("the format " + format + " has no option " + option)
                        .hint("It has: " + (known.isEmpty() ? "none" : String.join(", ", new TreeSet<>(known))) + ".")
                        .build();
            }
        }
    }

    /** The folder that all files lie in or below; may be empty. */
    String folder() {
        return folder;
    }

    TidemarkException.Builder invalid(String message) {
        return TidemarkException.of(ErrorCode.INVALID_SETTING, message).at(location);
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(options.get(name));
    }

    boolean flag(String name, boolean otherwise) {
        String text = options.get(name);
        if (text == null) {
            return otherwise;
        }
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default ->
                throw invalid("option " + name + " must be true or false, not '" + text + "'")
                        .build();
        };
    }

    /** An option of one character; empty text switches it off. */
    Optional<Character> character(String name, char otherwise) {
        String text = options.get(name);
        if (text == null) {
            return Optional.of(otherwise);
        }
        String unescaped = text.equals("\\t") ? "\t" : text;
        if (unescaped.length() > 1) {
            throw invalid("option " + name + " must be one character, not '" + text + "'")
                    .build();
        }
        return unescaped.isEmpty() ? Optional.empty() : Optional.of(unescaped.charAt(0));
    }

    <T extends Enum<T>> T choice(String name, Class<T> type, T otherwise) {
        String text = options.get(name);
        if (text == null) {
            return otherwise;
        }
        for (T constant : type.getEnumConstants()) {
            if (constant.name().equalsIgnoreCase(text.strip())) {
                return constant;
            }
        }
        throw invalid("option " + name + " cannot be '" + text + "'")
                .hint("Choose one of " + List.of(type.getEnumConstants()) + ".")
                .build();
    }

    Charset charset() {
        String name = options.getOrDefault("encoding", options.getOrDefault("charset", "UTF-8"));
        try {
            return Charset.forName(name);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            throw invalid("there is no encoding '" + name + "'").cause(e).build();
        }
    }

    List<String> names(String name) {
        return text(name).stream()
                .flatMap(list -> List.of(list.split(",")).stream())
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .toList();
    }

    /** What happens to rows that are not as declared. */
    enum Mode {
        FAILFAST,
        PERMISSIVE,
        DROPMALFORMED
    }

    Mode mode() {
        return choice("mode", Mode.class, Mode.FAILFAST);
    }
}
