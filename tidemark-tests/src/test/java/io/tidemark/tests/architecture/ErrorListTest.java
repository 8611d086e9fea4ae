package io.tidemark.tests.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCategory;
import io.tidemark.core.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The documentation's list of errors is made from the code; {@code -Dgolden.update=true} writes it anew. */
class ErrorListTest {
    private static final String PAGE = "docs/spec/errors.md";

    @Test
    void theListOfErrorsIsComplete() throws IOException {
        Path page = SourceTree.root().resolve(PAGE);
        String expected = render();
        if (Boolean.getBoolean("golden.update")) {
            Files.createDirectories(Objects.requireNonNull(page.getParent()));
            Files.writeString(page, expected);
        }
        assertThat(page).content().isEqualTo(expected);
    }

    private static String render() {
        StringBuilder text = new StringBuilder("""
                # Errors

                Every error has a stable code. Its category says who can mend it and whether trying again helps. Its text has
                a primary line, often a detail and a hint, and the place in the SQL text where there is one.

                This page is made from `ErrorCode` by a test; `-Dgolden.update=true` writes it anew.
                """);
        for (ErrorCategory category : ErrorCategory.values()) {
            text.append("\n## ")
                    .append(category)
                    .append("\n\n")
                    .append(about(category))
                    .append("\n\n");
            text.append("| Code | Meaning |\n| --- | --- |\n");
            for (ErrorCode code : ErrorCode.values()) {
                if (code.category() == category) {
                    text.append("| `")
                            .append(code)
                            .append("` | ")
                            .append(code.meaning().replace("|", "\\|").replace("<", "&lt;"))
                            .append(" |\n");
                }
            }
        }
        return text.toString();
    }

    private static String about(ErrorCategory category) {
        return switch (category) {
            case USER -> "The statement, definition or setting is wrong: change it.";
            case DATA -> "Data or files are not what they must be. Nothing was committed.";
            case CONFLICT -> "Another writer was faster. Running again may succeed.";
            case EXTERNAL -> "The world outside failed: file system, permission, disk, memory.";
            case BUG -> "A defect of Tidemark: please report it.";
        };
    }
}
