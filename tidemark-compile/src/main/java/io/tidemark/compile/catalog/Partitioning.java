package io.tidemark.compile.catalog;

import java.math.BigInteger;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Which names the partitions of a layer may have. */
public sealed interface Partitioning {
    /**
     * Why a name is not allowed.
     *
     * @return an explanation that continues "the partition name … of layer …"; nothing if the name is allowed
     */
    Optional<String> objection(String name);

    /** Whether every name that another partitioning allows is allowed here. */
    boolean allowsAllOf(Partitioning other);

    /** Any name of 1 to {@value #NAME_LENGTH_MAX} characters without control characters. */
    record Generic() implements Partitioning {
        /** The longest name, in UTF-16 units. */
        public static final int NAME_LENGTH_MAX = 500;

        @Override
        public Optional<String> objection(String name) {
            if (name.isEmpty()) {
                return Optional.of("is empty");
            }
            if (name.length() > NAME_LENGTH_MAX) {
                return Optional.of("has " + name.length() + " characters, more than " + NAME_LENGTH_MAX);
            }
            boolean odd = name.codePoints()
                    .anyMatch(
                            point -> Character.isISOControl(point) || Character.getType(point) == Character.SURROGATE);
            return odd ? Optional.of("has a control character or half of a character") : Optional.empty();
        }

        @Override
        public boolean allowsAllOf(Partitioning other) {
            return true;
        }

        @Override
        public String toString() {
            return "generic names";
        }
    }

    /**
     * Numbers of HERE tiles in decimal: a 1, then two bits per level of the path from the root, as in quadkeys. The root,
     * level 0, is tile 1; the children of tile n are 4n to 4n+3.
     *
     * @param levels the allowed levels, 0 to {@value #LEVEL_MAX}; at least one
     */
    record HereTile(Set<Integer> levels) implements Partitioning {
        /** The deepest level whose numbers fit 64 bits. */
        public static final int LEVEL_MAX = 31;

        private static final int DIGITS_MAX = 20;

        /** Copies the levels, in order. */
        public HereTile {
            levels = Collections.unmodifiableSet(new TreeSet<>(levels));
            if (levels.isEmpty() || levels.stream().anyMatch(level -> level < 0 || level > LEVEL_MAX)) {
                throw new IllegalArgumentException("tile levels are 0 to " + LEVEL_MAX + ", at least one: " + levels);
            }
        }

        @Override
        public Optional<String> objection(String name) {
            boolean number = !name.isEmpty()
                    && name.length() <= DIGITS_MAX
                    && name.charAt(0) != '0'
                    && name.chars().allMatch(c -> c >= '0' && c <= '9');
            if (!number) {
                return Optional.of("is no number of a tile");
            }
            int bits = new BigInteger(name).bitLength();
            if (bits % 2 == 0 || bits / 2 > LEVEL_MAX) {
                return Optional.of("is a number that no tile has");
            }
            int level = bits / 2;
            return levels.contains(level)
                    ? Optional.empty()
                    : Optional.of("is a tile of level " + level + "; the layer has levels " + levels);
        }

        @Override
        public boolean allowsAllOf(Partitioning other) {
            return other instanceof HereTile tiles && levels.containsAll(tiles.levels);
        }

        @Override
        public String toString() {
            return "HERE tiles of levels " + levels;
        }
    }
}
