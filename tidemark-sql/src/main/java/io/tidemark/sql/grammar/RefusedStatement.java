package io.tidemark.sql.grammar;

import io.tidemark.core.error.ErrorCode;
import org.antlr.v4.runtime.Token;

/** Ends the parsing of one statement: it is understood and not accepted. The reader makes the user's error of it. */
public final class RefusedStatement extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final int offset;
    private final String hint;

    RefusedStatement(ErrorCode code, Token place, String primary, String hint) {
        super(primary);
        this.code = code;
        this.offset = place.getStartIndex();
        this.hint = hint;
    }

    /** The code of the error. */
    public ErrorCode code() {
        return code;
    }

    /** Where in the text. */
    public int offset() {
        return offset;
    }

    /** What to do. */
    public String hint() {
        return hint;
    }
}
