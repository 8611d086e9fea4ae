package io.tidemark.core.change;

import java.util.Arrays;

/**
 * An ordered set of small non-negative numbers: a bitmap, and above it a bitmap of its words that are not empty. Searches
 * look at one word per 4,096 numbers at most, nothing is allocated for a member, and emptying it costs what was used.
 */
final class RankSet {
    /** What searches answer if there is no such number. */
    static final int NONE = -1;

    private static final int SHIFT = 6;
    private static final int INITIAL_WORDS = 4;

    private long[] words = new long[INITIAL_WORDS];
    private long[] summary = new long[1];
    private int usedWords;

    /** Adds a number, and tells whether it was missing. */
    boolean add(int number) {
        int word = number >> SHIFT;
        if (word >= words.length) {
            int length = Math.max(word + 1, 2 * words.length);
            words = Arrays.copyOf(words, length);
            summary = Arrays.copyOf(summary, (length >> SHIFT) + 1);
        }
        usedWords = Math.max(usedWords, word + 1);
        long bit = 1L << number;
        boolean missing = (words[word] & bit) == 0;
        words[word] |= bit;
        summary[word >> SHIFT] |= 1L << word;
        return missing;
    }

    /** Removes a number, and tells whether it was there. */
    boolean remove(int number) {
        int word = number >> SHIFT;
        if (!contains(number)) {
            return false;
        }
        words[word] &= ~(1L << number);
        if (words[word] == 0) {
            summary[word >> SHIFT] &= ~(1L << word);
        }
        return true;
    }

    boolean contains(int number) {
        int word = number >> SHIFT;
        return word < usedWords && (words[word] & (1L << number)) != 0;
    }

    /** The greatest number below the given one. */
    int lower(int number) {
        return floor(number - 1);
    }

    /** The greatest number that is not above the given one. */
    int floor(int number) {
        if (number < 0 || usedWords == 0) {
            return NONE;
        }
        int word = number >> SHIFT;
        if (word >= usedWords) {
            word = usedWords - 1;
        } else {
            long upTo = words[word] & (-1L >>> (63 - (number & 63)));
            if (upTo != 0) {
                return (word << SHIFT) + 63 - Long.numberOfLeadingZeros(upTo);
            }
            word--;
        }
        word = word < 0 ? NONE : floorWord(word);
        return word == NONE ? NONE : (word << SHIFT) + 63 - Long.numberOfLeadingZeros(words[word]);
    }

    private int floorWord(int word) {
        int block = word >> SHIFT;
        long upTo = summary[block] & (-1L >>> (63 - (word & 63)));
        while (upTo == 0) {
            if (--block < 0) {
                return NONE;
            }
            upTo = summary[block];
        }
        return (block << SHIFT) + 63 - Long.numberOfLeadingZeros(upTo);
    }

    /** The least number above the given one. */
    int higher(int number) {
        return ceiling(number + 1);
    }

    /** The least number that is not below the given one. */
    int ceiling(int number) {
        int word = number >> SHIFT;
        if (word >= usedWords) {
            return NONE;
        }
        long from = words[word] & (-1L << (number & 63));
        if (from != 0) {
            return (word << SHIFT) + Long.numberOfTrailingZeros(from);
        }
        word = ceilingWord(word + 1);
        return word == NONE ? NONE : (word << SHIFT) + Long.numberOfTrailingZeros(words[word]);
    }

    private int ceilingWord(int word) {
        if (word >= usedWords) {
            return NONE;
        }
        int block = word >> SHIFT;
        int last = (usedWords - 1) >> SHIFT;
        long from = summary[block] & (-1L << (word & 63));
        while (from == 0) {
            if (++block > last) {
                return NONE;
            }
            from = summary[block];
        }
        return (block << SHIFT) + Long.numberOfTrailingZeros(from);
    }

    /** Removes all numbers. */
    void clear() {
        if (usedWords > 0) {
            Arrays.fill(words, 0, usedWords, 0);
            Arrays.fill(summary, 0, ((usedWords - 1) >> SHIFT) + 1, 0);
            usedWords = 0;
        }
    }
}
