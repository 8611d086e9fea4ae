package io.tidemark.core.change;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The set does what a tree does. */
class RankSetTest {
    private static final int STEPS = 4_000;

    @Test
    void equalsATreeSet() {
        // Ranges that stay within one word, within one word of the summary, and beyond it.
        for (int range : new int[] {5, 64, 65, 4_000, 300_000}) {
            RankSet set = new RankSet();
            NavigableSet<Integer> tree = new TreeSet<>();
            Random random = new Random(range);
            for (int step = 0; step < STEPS; step++) {
                change(set, tree, random, range);
                search(set, tree, random.nextInt(range + 1));
            }
        }
    }

    private static void change(RankSet set, NavigableSet<Integer> tree, Random random, int range) {
        int number = random.nextInt(range);
        int kind = random.nextInt(200);
        if (kind == 0) {
            set.clear();
            tree.clear();
        } else if (kind < 110) {
            assertThat(set.add(number)).isEqualTo(tree.add(number));
        } else {
            Integer near = tree.floor(number);
            int removed = near == null ? number : near;
            assertThat(set.remove(removed)).isEqualTo(tree.remove(removed));
        }
    }

    private static void search(RankSet set, NavigableSet<Integer> tree, int number) {
        assertThat(set.contains(number)).isEqualTo(tree.contains(number));
        assertThat(set.floor(number)).isEqualTo(orNone(tree.floor(number)));
        assertThat(set.lower(number)).isEqualTo(orNone(tree.lower(number)));
        assertThat(set.ceiling(number)).isEqualTo(orNone(tree.ceiling(number)));
        assertThat(set.higher(number)).isEqualTo(orNone(tree.higher(number)));
    }

    private static int orNone(@Nullable Integer number) {
        return number == null ? RankSet.NONE : number;
    }
}
