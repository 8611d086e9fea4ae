package io.tidemark.sql.grammar;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.List;
import java.util.Locale;

/** Which settings of Tidemark's own {@code SET} knows. A misspelled one would silently do nothing. */
public final class SettingNames {
    /** Those of a pipeline. */
    public static final List<String> OF_PIPELINES = List.of("tidemark.pipeline.id", "tidemark.skipChangeCommits");
    /** Those of a session. */
    public static final List<String> OF_SESSIONS = List.of("tidemark.commit.attempts", "tidemark.commit.maxWaitMillis");

    private static final String OWN_PREFIX = "tidemark.";

    private SettingNames() {}

    /**
     * Checks a name; settings of others pass.
     *
     * @param known {@link #OF_PIPELINES} or {@link #OF_SESSIONS}
     * @throws TidemarkException {@code INVALID_SETTING}
     */
    public static void check(String name, List<String> known) {
        boolean own = name.toLowerCase(Locale.ROOT).startsWith(OWN_PREFIX);
        if (!own || known.stream().anyMatch(name::equalsIgnoreCase)) {
            return;
        }
        throw TidemarkException.of(ErrorCode.INVALID_SETTING, "the setting " + name + " is not known here")
                .hint(Words.nearest(name, known)
                        .map(near -> "did you mean " + near + "?")
                        .orElse("known are " + String.join(", ", known)))
                .build();
    }
}
