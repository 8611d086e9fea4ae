package io.tidemark.tests.readback;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;

/** A multiset of rows as texts. Of large ones only the number and a sum of hashes is kept. */
public final class RowBag {
    private static final int TEXTS_MAX = 20_000;

    private final Map<String, Integer> texts = new TreeMap<>();
    private long count;
    private long sum;

    void add(String text) {
        count++;
        sum += hash(text);
        if (count <= TEXTS_MAX) {
            texts.merge(text, 1, Integer::sum);
        } else {
            texts.clear();
        }
    }

    long count() {
        return count;
    }

    /** Rows and how often each is there, empty if there are too many. */
    Map<String, Integer> texts() {
        return texts;
    }

    /** Checks that both hold the same rows equally often. */
    public void assertSameAs(RowBag expected, String description) {
        assertThat(count).as(description + ": number of rows").isEqualTo(expected.count);
        assertThat(texts).as(description).isEqualTo(expected.texts);
        assertThat(sum).as(description + ": sum of hashes").isEqualTo(expected.sum);
    }

    private static long hash(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        return hash ^ (hash >>> 29);
    }
}
