package io.tidemark.sql.query;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.sql.grammar.Brackets;
import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.query.RelationReference.ChangesReference;
import io.tidemark.sql.query.RelationReference.FilesReference;
import io.tidemark.sql.query.RelationReference.TableReference;
import io.tidemark.sql.query.VersionSpec.AtTime;
import io.tidemark.sql.query.VersionSpec.AtVersion;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.text.LocatedText;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads one relation of a query; plain names and unknown functions are none of its business. */
final class RelationReader {
    private static final String READ_FILES = "read_files";
    private static final String TABLE_CHANGES = "table_changes";
    private static final Set<String> FUNCTIONS = Set.of(READ_FILES, TABLE_CHANGES, "cloud_files");
    private static final int VERSION_DIGITS_MAX = 18;

    private final LocatedText text;
    private final TokenCursor cursor;
    private final ZoneId zone;

    RelationReader(LocatedText text, TokenCursor cursor, ZoneId zone) {
        this.text = text;
        this.cursor = cursor;
        this.zone = zone;
    }

    /**
     * Reads the relation at the cursor, whose next token is a name.
     *
     * @param number the number of the placeholder
     * @param followers words that are no table behind STREAM
     * @return nothing if the engine knows the relation; then only its name is taken
     */
    Optional<RelationReference> read(int number, Set<String> followers) {
        TextLocation place = cursor.place();
        String placeholder = "~" + Integer.toString(number, Character.MAX_RADIX);
        boolean isWord = cursor.word(0).equals("stream");
        if (isWord && cursor.type(1) == StatementLexer.LPAREN) {
            return Optional.of(streamInParentheses(placeholder, place));
        }
        boolean streaming = isWord && cursor.isName(1) && !followers.contains(cursor.word(1)) && !isVersion(1);
        if (streaming) {
            cursor.take();
        }
        return relation(placeholder, streaming, place);
    }

    private RelationReference streamInParentheses(String placeholder, TextLocation place) {
        cursor.take();
        int end = cursor.index() + cursor.closing();
        cursor.take();
        Optional<RelationReference> inner = cursor.isName(0) ? relation(placeholder, true, place) : Optional.empty();
        if (inner.isEmpty() || cursor.index() != end) {
            throw cursor.fault(
                    ErrorCode.SYNTAX_ERROR,
                    "STREAM(...) takes one table, read_files(...) or table_changes(...)",
                    "write STREAM(table)");
        }
        cursor.take();
        return inner.get();
    }

    private Optional<RelationReference> relation(String placeholder, boolean streaming, TextLocation place) {
        if (cursor.type(1) == StatementLexer.LPAREN && FUNCTIONS.contains(cursor.word(0))) {
            return Optional.of(function(placeholder, streaming, place));
        }
        boolean isFunction = cursor.type(1) == StatementLexer.LPAREN;
        if (isFunction && streaming) {
            throw cursor.fault(
                    ErrorCode.UNSUPPORTED_FEATURE,
                    "the function " + cursor.token(0).getText() + " cannot be streamed",
                    "tables, read_files(...) and table_changes(...) can");
        }
        if (isFunction) {
            cursor.take();
            return Optional.empty();
        }
        int start = cursor.offset();
        List<String> parts = nameParts();
        boolean live = parts.size() > 1 && parts.get(0).equalsIgnoreCase("live");
        List<String> name = live ? parts.subList(1, parts.size()) : parts;
        Optional<VersionSpec> version = version();
        if (!streaming && !live && version.isEmpty()) {
            return Optional.empty();
        }
        if (streaming && version.isPresent()) {
            throw text.error(ErrorCode.UNSUPPORTED_FEATURE, "a stream cannot be read at a version", start)
                    .hint("remove STREAM or the version")
                    .build();
        }
        return Optional.of(new TableReference(placeholder, table(name, start), streaming, version, place));
    }

    private List<String> nameParts() {
        List<String> parts = new ArrayList<>();
        parts.add(Literals.name(cursor.token(0).getText()));
        cursor.take();
        while (cursor.type(0) == StatementLexer.DOT && cursor.isName(1)) {
            parts.add(Literals.name(cursor.token(1).getText()));
            cursor.take();
            cursor.take();
        }
        return parts;
    }

    private TableName table(List<String> parts, int offset) {
        if (parts.size() > 2) {
            throw text.error(
                            ErrorCode.UNSUPPORTED_FEATURE,
                            "the name " + String.join(".", parts) + " has more than two parts",
                            offset)
                    .hint("a warehouse has schemas and tables, no catalogs: write table or schema.table")
                    .build();
        }
        return parts.size() == 1 ? TableName.of(parts.get(0)) : new TableName(parts.get(0), parts.get(1));
    }

    // ---- versions

    private Optional<VersionSpec> version() {
        if (cursor.type(0) == StatementLexer.AT && !cursor.atEnd()) {
            return Optional.of(versionBehindAt());
        }
        int skip = cursor.word(0).equals("for") && isVersion(1) ? 1 : 0;
        if (!isVersion(skip)) {
            return Optional.empty();
        }
        boolean byNumber = cursor.word(skip).endsWith("version");
        cursor.moveTo(cursor.index() + skip + 3);
        return Optional.of(byNumber ? number() : time());
    }

    /** Whether {@code VERSION AS OF} or {@code TIMESTAMP AS OF} stands at a distance. */
    private boolean isVersion(int distance) {
        boolean axis =
                Set.of("version", "timestamp", "system_version", "system_time").contains(cursor.word(distance));
        return axis
                && cursor.type(distance + 1) == StatementLexer.AS
                && cursor.word(distance + 2).equals("of");
    }

    private VersionSpec number() {
        boolean isNumber = cursor.type(0) == StatementLexer.INTEGER || cursor.type(0) == StatementLexer.STRING;
        String digits = isNumber ? cursor.token(0).getText().replaceAll("['\"]", "") : "";
        if (!digits.matches("\\d{1," + VERSION_DIGITS_MAX + "}")) {
            throw cursor.fault(ErrorCode.SYNTAX_ERROR, "expected the number of a version", "write VERSION AS OF 3");
        }
        cursor.take();
        return new AtVersion(Long.parseLong(digits));
    }

    private VersionSpec time() {
        boolean typed = Set.of("timestamp", "date").contains(cursor.word(0));
        int at = typed ? 1 : 0;
        int length = cursor.expression();
        if (length == 0 || Brackets.step(cursor.type(0)) < 0) {
            throw cursor.fault(
                    ErrorCode.SYNTAX_ERROR,
                    "expected a timestamp behind TIMESTAMP AS OF",
                    "write TIMESTAMP AS OF '2026-01-31 12:00:00'");
        }
        if (cursor.type(at) != StatementLexer.STRING || length > at + 1) {
            int start = cursor.offset();
            cursor.moveTo(cursor.index() + length);
            return new VersionSpec.AtExpression(text.part(start, cursor.endOfLast()));
        }
        VersionSpec spec = timeOf(Literals.string(cursor.token(at).getText()));
        cursor.moveTo(cursor.index() + at + 1);
        return spec;
    }

    private VersionSpec timeOf(String said) {
        return Timestamps.parse(said, zone)
                .map(AtTime::new)
                .orElseThrow(() -> cursor.fault(
                        ErrorCode.SYNTAX_ERROR,
                        "'" + said + "' is not a timestamp",
                        "write '2026-01-31' or '2026-01-31 12:00:00'"));
    }

    private VersionSpec versionBehindAt() {
        cursor.take();
        String said = cursor.atEnd() || !cursor.isAdjacent(0)
                ? ""
                : Literals.fold(cursor.token(0).getText());
        Optional<VersionSpec> found = Optional.empty();
        if (said.matches("v\\d{1," + VERSION_DIGITS_MAX + "}")) {
            found = Optional.of(new AtVersion(Long.parseLong(said.substring(1))));
        } else if (said.matches("\\d{" + Timestamps.COMPACT_LENGTH + "}")) {
            found = Timestamps.parseCompact(said, zone).map(AtTime::new);
        }
        VersionSpec spec = found.orElseThrow(() -> cursor.fault(
                ErrorCode.SYNTAX_ERROR,
                "expected a version behind @",
                "write table@v3, or table@yyyyMMddHHmmssSSS for a time"));
        cursor.take();
        return spec;
    }

    // ---- functions

    private RelationReference function(String placeholder, boolean streaming, TextLocation place) {
        String name = cursor.word(0);
        if (!name.equals(READ_FILES) && !name.equals(TABLE_CHANGES)) {
            throw cursor.fault(ErrorCode.UNSUPPORTED_FEATURE, name + " is not supported", "write read_files(...)");
        }
        int start = cursor.offset();
        cursor.take();
        ArgumentReader arguments = new ArgumentReader(text, cursor, name);
        arguments.read();
        return name.equals(READ_FILES)
                ? files(arguments, placeholder, streaming, place, start)
                : changes(arguments, placeholder, streaming, place, start);
    }

    private FilesReference files(
            ArgumentReader arguments, String placeholder, boolean streaming, TextLocation place, int start) {
        Map<String, ArgumentReader.Value> named = new HashMap<>(arguments.named);
        ArgumentReader.Value path = arguments.positional.isEmpty() ? named.remove("path") : arguments.positional.get(0);
        if (path == null || !path.isString() || arguments.positional.size() > 1) {
            throw text.error(ErrorCode.SYNTAX_ERROR, "read_files takes one path and named options", start)
                    .hint("write read_files('folder/*.json', format => 'json')")
                    .build();
        }
        Map<String, String> options = new HashMap<>();
        Map<String, TextLocation> places = new HashMap<>();
        named.forEach((key, value) -> {
            options.put(key, value.text());
            places.put(key, value.place());
        });
        return new FilesReference(placeholder, path.text(), options, places, streaming, place);
    }

    private ChangesReference changes(
            ArgumentReader arguments, String placeholder, boolean streaming, TextLocation place, int start) {
        List<ArgumentReader.Value> values = arguments.positional;
        boolean fits = !values.isEmpty() && values.size() <= 3 && values.get(0).isString() && arguments.named.isEmpty();
        if (!fits) {
            throw changesFault("table_changes takes a table, and two versions or timestamps at most", start);
        }
        if (!streaming && values.size() == 1) {
            throw changesFault("table_changes needs the first version", start);
        }
        String name = values.get(0).text();
        List<String> parts = new ArrayList<>();
        for (String part : name.split("\\.", -1)) {
            parts.add(Literals.name(part.strip()));
        }
        return new ChangesReference(
                placeholder, table(parts, start), bound(values, 1), bound(values, 2), streaming, place);
    }

    private Optional<VersionSpec> bound(List<ArgumentReader.Value> values, int index) {
        if (values.size() <= index) {
            return Optional.empty();
        }
        ArgumentReader.Value value = values.get(index);
        if (!value.isString() && value.text().matches("\\d{1," + VERSION_DIGITS_MAX + "}")) {
            return Optional.of(new AtVersion(Long.parseLong(value.text())));
        }
        Optional<VersionSpec> time =
                value.isString() ? Timestamps.parse(value.text(), zone).map(AtTime::new) : Optional.empty();
        if (time.isEmpty()) {
            throw changesFault("'" + value.text() + "' is neither a version nor a timestamp", value.offset());
        }
        return time;
    }

    private TidemarkException changesFault(String primary, int offset) {
        return text.error(ErrorCode.SYNTAX_ERROR, primary, offset)
                .hint("write table_changes('table', 0) or table_changes('table', 0, 5)")
                .build();
    }
}
