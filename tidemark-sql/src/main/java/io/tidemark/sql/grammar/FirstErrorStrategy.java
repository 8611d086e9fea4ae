package io.tidemark.sql.grammar;

import org.antlr.v4.runtime.DefaultErrorStrategy;
import org.antlr.v4.runtime.InputMismatchException;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.atn.ATNState;
import org.antlr.v4.runtime.misc.IntervalSet;
import org.antlr.v4.runtime.misc.ParseCancellationException;

/**
 * Stops at the first fault of a statement, keeping ANTLR's knowledge of what could have come next. The next statement
 * starts afresh, so nothing is guessed.
 */
final class FirstErrorStrategy extends DefaultErrorStrategy {
    @Override
    public void recover(Parser recognizer, RecognitionException fault) {
        throw new ParseCancellationException(fault);
    }

    @Override
    public Token recoverInline(Parser recognizer) {
        throw new ParseCancellationException(mismatch(recognizer));
    }

    @Override
    public void reportError(Parser recognizer, RecognitionException fault) {
        throw new ParseCancellationException(fault);
    }

    @Override
    public void reportMatch(Parser recognizer) {
        // what was optional before a token that matched cannot be what is missing behind it
        nextTokensContext = null;
        nextTokensState = ATNState.INVALID_STATE_NUMBER;
        super.reportMatch(recognizer);
    }

    /** Stops at a token that fits nowhere; notes the first place where something more could have stood. */
    @Override
    public void sync(Parser recognizer) {
        ATNState state = recognizer.getInterpreter().atn.states.get(recognizer.getState());
        IntervalSet next = recognizer.getATN().nextTokens(state);
        if (next.contains(recognizer.getInputStream().LA(1))) {
            return;
        }
        if (!next.contains(Token.EPSILON)) {
            throw new ParseCancellationException(mismatch(recognizer));
        }
        if (nextTokensContext == null) {
            nextTokensContext = recognizer.getContext();
            nextTokensState = recognizer.getState();
        }
    }

    private InputMismatchException mismatch(Parser recognizer) {
        return nextTokensContext == null
                ? new InputMismatchException(recognizer)
                : new InputMismatchException(recognizer, nextTokensState, nextTokensContext);
    }
}
