package io.tidemark.tests.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Limits and small habits over the whole source tree; a habit that nobody checks is a wish. */
class TidyTest {
    private static final int FILE_LINES_MAX = 600;
    private static final int METHOD_LINES_MAX = 70;
    private static final int LINE_CHARACTERS_MAX = 120;
    /** The formatter does not wrap comments, and a word that hangs over is no reason to wrap a paragraph anew. */
    private static final int COMMENT_CHARACTERS_MAX = 125;

    /** Files that may break a limit, each with a reason: one sentence of the engine's contract has no place to break. */
    private static final Set<String> EXEMPT = Set.of("Dialect.java");

    /** Written in two parts, so that this file does not find itself. */
    private static final Pattern OPEN_ENDS = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|X" + "XX)\\b");

    private static final Pattern DISABLED = Pattern.compile("@Dis" + "abled\\b");
    private static final Pattern SIGNATURE = Pattern.compile("^ {4,12}[A-Za-z@<].*\\(.*");
    private static final Pattern NO_METHOD =
            Pattern.compile("^ *((if|for|while|switch|try|else|do|case|default|synchronized|return|catch)\\b"
                    + "|([a-z-]+ )*(class|record|interface|enum) ).*");
    private static final Pattern CLOSING = Pattern.compile("^( {4,12})}$");
    private static final Pattern TYPE = Pattern.compile("\\b(?:class|record|interface|enum|@interface) ([A-Z]\\w*)");
    private static final Pattern CODE_NAME = Pattern.compile("`([A-Z][a-z]+[A-Za-z0-9]*(?:\\.[A-Z]\\w*)?)`");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
    /** Words in backticks of the architecture page that are no classes of ours. */
    private static final Set<String> NO_CLASSES = Set.of("Serializable", "WriteSerializable", "Optional");

    @Test
    void filesAreShort() {
        check(
                SourceTree.files(".java", ".g4"),
                (file, lines) -> lines.size() > FILE_LINES_MAX && !isExempt(file)
                        ? List.of(lines.size() + " lines, at most " + FILE_LINES_MAX)
                        : List.of());
    }

    @Test
    void methodsAreShort() {
        check(SourceTree.files(".java"), (file, lines) -> {
            List<String> faults = new ArrayList<>();
            for (int end = 0; end < lines.size(); end++) {
                Matcher closing = CLOSING.matcher(lines.get(end));
                if (!closing.matches()) {
                    continue;
                }
                int start = signatureBefore(lines, end, closing.group(1).length());
                int length = end - start + 1;
                if (start >= 0 && length > METHOD_LINES_MAX && !isExempt(file) && isMethod(lines.get(start))) {
                    faults.add("method of " + length + " lines at line " + (start + 1));
                }
            }
            return faults;
        });
    }

    /** The formatter indents all of a body deeper than its signature, so the nearest line as shallow as the brace is it. */
    private static int signatureBefore(List<String> lines, int end, int indent) {
        for (int i = end - 1; i >= 0; i--) {
            String line = lines.get(i);
            boolean deeper = line.isBlank() || line.startsWith(" ".repeat(indent + 1));
            if (!deeper) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isMethod(String line) {
        return SIGNATURE.matcher(line).matches() && !NO_METHOD.matcher(line).matches();
    }

    /** Text in quotes may be longer: cutting it makes it harder to read and to find. */
    @Test
    void linesAreNarrow() {
        check(SourceTree.files(".java"), (file, lines) -> {
            List<String> faults = new ArrayList<>();
            boolean inTextBlock = false;
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                boolean comment = line.strip().startsWith("*") || line.strip().startsWith("/");
                int max = comment ? COMMENT_CHARACTERS_MAX : LINE_CHARACTERS_MAX;
                boolean quoted = !comment && (inTextBlock || line.contains("\""));
                if (line.length() > max && !quoted && !isExempt(file)) {
                    faults.add("line " + (i + 1) + " has " + line.length() + " characters, at most " + max);
                }
                if (line.split("\"\"\"", -1).length % 2 == 0) {
                    inTextBlock = !inTextBlock;
                }
            }
            return faults;
        });
    }

    private static boolean isExempt(Path file) {
        return EXEMPT.contains(file.getFileName().toString());
    }

    @Test
    void noOpenEnds() {
        checkLines(
                SourceTree.files(".java", ".g4", ".md", ".xml", ".properties", ".sql"),
                line -> OPEN_ENDS.matcher(line).find() ? "an open end" : "");
    }

    /** Documents may hold tabs: they show what the program prints. */
    @Test
    void noTabsAndNoTrailingSpaces() {
        checkLines(
                SourceTree.files(".java", ".g4", ".xml", ".properties", ".sql"),
                line -> line.indexOf('\t') >= 0 ? "a tab" : "");
        checkLines(
                SourceTree.files(".java", ".g4", ".md", ".xml", ".properties", ".sql"),
                line -> line.endsWith(" ") ? "a trailing space" : "");
    }

    @Test
    void noTestIsSwitchedOff() {
        checkLines(SourceTree.files(".java"), line -> DISABLED.matcher(line).find() ? "a test is switched off" : "");
    }

    @Test
    void everyPackageIsDescribed() {
        Set<String> described = new HashSet<>();
        Set<String> used = new TreeSet<>();
        for (Path file : SourceTree.files(".java")) {
            // A package of tests that bears the name of the tested one shares its description.
            String folder = SourceTree.name(Objects.requireNonNull(file.getParent()))
                    .replaceFirst("src/(main|test)/java", "src/java");
            if (folder.startsWith("tidemark-")) {
                used.add(folder);
            }
            if (file.getFileName().toString().equals("package-info.java")) {
                described.add(folder);
            }
        }
        used.removeAll(described);
        assertThat(used).as("packages without package-info.java").isEmpty();
    }

    @Test
    void publicTypesHaveJavadoc() {
        check(SourceTree.files(".java"), (file, lines) -> {
            List<String> faults = new ArrayList<>();
            for (int i = 1; i < lines.size(); i++) {
                boolean type = lines.get(i).startsWith("public ")
                        && TYPE.matcher(lines.get(i)).find();
                int above = i - 1;
                // Annotations may stand between, over several lines.
                while (above > 0
                        && !lines.get(above).isBlank()
                        && !lines.get(above).endsWith("*/")) {
                    above--;
                }
                if (type && !lines.get(above).endsWith("*/")) {
                    faults.add("public type without Javadoc at line " + (i + 1));
                }
            }
            return faults;
        });
    }

    @Test
    void theArchitecturePageNamesExistingClasses() {
        Path page = SourceTree.root().resolve("docs/ARCHITECTURE.md");
        if (!Files.exists(page)) {
            return;
        }
        Set<String> types = new HashSet<>(NO_CLASSES);
        for (Path file : SourceTree.files(".java")) {
            Matcher type = TYPE.matcher(SourceTree.text(file));
            while (type.find()) {
                types.add(type.group(1));
            }
        }
        Set<String> missing = new TreeSet<>();
        Matcher name = CODE_NAME.matcher(SourceTree.text(page));
        while (name.find()) {
            for (String part : name.group(1).split("\\.")) {
                if (!types.contains(part)) {
                    missing.add(part);
                }
            }
        }
        assertThat(missing)
                .as("names in docs/ARCHITECTURE.md that are no classes")
                .isEmpty();
    }

    @Test
    void linksInDocumentsResolve() {
        check(SourceTree.files(".md"), (file, lines) -> {
            List<String> faults = new ArrayList<>();
            for (String line : lines) {
                Matcher link = LINK.matcher(line);
                while (link.find()) {
                    String target = link.group(1).replaceFirst("#.*", "");
                    boolean outside = target.isEmpty() || target.contains(":");
                    if (!outside && !Files.exists(file.resolveSibling(target))) {
                        faults.add("link to " + target);
                    }
                }
            }
            return faults;
        });
    }

    private interface LineCheck {
        /** Returns what is wrong with a line, or an empty text. */
        String fault(String line);
    }

    private static void checkLines(List<Path> files, LineCheck check) {
        check(files, (file, lines) -> {
            List<String> faults = new ArrayList<>();
            for (int i = 0; i < lines.size(); i++) {
                String fault = check.fault(lines.get(i));
                if (!fault.isEmpty()) {
                    faults.add("line " + (i + 1) + ": " + fault);
                }
            }
            return faults;
        });
    }

    private static void check(List<Path> files, BiFunction<Path, List<String>, List<String>> check) {
        assertThat(files).isNotEmpty();
        List<String> faults = new ArrayList<>();
        for (Path file : files) {
            for (String fault : check.apply(file, SourceTree.lines(file))) {
                faults.add(SourceTree.name(file) + ": " + fault);
            }
        }
        assertThat(faults).isEmpty();
    }
}
