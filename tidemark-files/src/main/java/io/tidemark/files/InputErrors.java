package io.tidemark.files;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.zip.ZipException;

/** Errors about source files. */
final class InputErrors {
    private static final int TEXT_CHARACTERS_MAX = 100;

    private InputErrors() {}

    /** A place in a source file. */
    record Place(String file, long line) {
        @Override
        public String toString() {
            return file + ":" + line;
        }
    }

    /** A file that is not of its format at a place. */
    static TidemarkException malformed(Place place, String what) {
        return TidemarkException.of(ErrorCode.FILE_UNREADABLE, place + ": " + what)
                .hint("correct the file, or leave such lines out with mode => 'DROPMALFORMED'")
                .build();
    }

    /** A value that is not of its column's type. */
    static TidemarkException wrongValue(Place place, String column, String text, DataType type) {
        return wrongValue(
                place,
                column,
                text,
                type,
                "correct the file, declare the column as STRING, or leave such rows out with mode => 'DROPMALFORMED'");
    }

    /** A value that is not of its column's type, and what to do about it. */
    static TidemarkException wrongValue(Place place, String column, String text, DataType type, String hint) {
        String shown = text.length() > TEXT_CHARACTERS_MAX ? text.substring(0, TEXT_CHARACTERS_MAX) + "…" : text;
        TidemarkException.Builder error = TidemarkException.of(
                ErrorCode.FILE_UNREADABLE,
                place + ": column " + column + " holds '" + shown + "', which is no " + type.sql());
        return hint.isEmpty() ? error.build() : error.hint(hint).build();
    }

    /** A NOT NULL column without a value. */
    static TidemarkException missing(Place place, String column) {
        return TidemarkException.of(
                        ErrorCode.NOT_NULL_VIOLATED, place + ": column " + column + " is NOT NULL but has no value")
                .build();
    }

    /** A failure of the file system. */
    static TidemarkException reading(String file, IOException failure) {
        ErrorCode code = ErrorCode.IO_FAILED;
        String what = "file " + file + " cannot be read";
        if (failure instanceof NoSuchFileException || failure instanceof FileNotFoundException) {
            code = ErrorCode.FILE_NOT_FOUND;
            what = "file " + file + " does not exist";
        } else if (failure instanceof AccessDeniedException) {
            code = ErrorCode.PERMISSION_DENIED;
        } else if (failure instanceof ZipException
                || failure instanceof EOFException
                || failure instanceof CharacterCodingException) {
            code = ErrorCode.FILE_UNREADABLE;
        }
        TidemarkException.Builder error = TidemarkException.of(code, what).cause(failure);
        if (failure instanceof CharacterCodingException) {
            return error.detail("It holds bytes that are no text in the declared encoding.")
                    .hint("name the encoding that it really has with encoding => '…', or convert it to UTF-8")
                    .build();
        }
        if (code == ErrorCode.FILE_UNREADABLE) {
            error.hint("the file is damaged or was not written to its end");
        }
        return error.detail(String.valueOf(failure.getMessage())).build();
    }
}
