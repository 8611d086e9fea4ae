package io.tidemark.sql.grammar;

import org.antlr.v4.runtime.DefaultErrorStrategy;
import org.antlr.v4.runtime.InputMismatchException;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.atn.ATNState;
import org.antlr.v4.runtime.misc.ParseCancellationException;
import org.jspecify.annotations.Nullable;

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
        InputMismatchException fault = nextTokensContext == null
                ? new InputMismatchException(recognizer)
                : new InputMismatchException(recognizer, nextTokensState, nextTokensContext);
        throw new ParseCancellationException(fault);
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

    @Override
    public void sync(Parser recognizer) {
        ATNState state = recognizer.getInterpreter().atn.states.get(recognizer.getState());
        boolean loopsBack =
                state.getStateType() == ATNState.STAR_LOOP_BACK || state.getStateType() == ATNState.PLUS_LOOP_BACK;
        var next = recognizer.getATN().nextTokens(state);
        boolean fits = next.contains(recognizer.getInputStream().LA(1)) || next.contains(Token.EPSILON);
        if (loopsBack && !fits) {
            throw new ParseCancellationException(new InputMismatchException(recognizer));
        }
        super.sync(recognizer);
    }

    @Override
    protected @Nullable Token singleTokenDeletion(Parser recognizer) {
        // nothing is deleted: returning null makes the caller raise the mismatch
        return null;
    }
}
