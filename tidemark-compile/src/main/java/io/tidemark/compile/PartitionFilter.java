package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.io.Serializable;
import java.math.BigInteger;
import java.util.Set;
import java.util.TreeSet;

/** Chooses partitions of input layers by their keys. Its description is part of the task's fingerprint. */
public interface PartitionFilter extends Serializable {
    /** Whether a partition is read. */
    boolean accepts(PartitionKey key);

    /** A description that differs for filters that choose differently. */
    String description();

    /** Partitions of given names. */
    static PartitionFilter names(Set<String> names) {
        return new Names(new TreeSet<>(names));
    }

    /**
     * Map tiles that touch a box. Names that are no numbers of tiles are left out.
     *
     * @param south least latitude in degrees, -90 to 90
     * @param west least longitude in degrees, -180 to 180
     * @param north greatest latitude
     * @param east greatest longitude; not below {@code west}
     */
    static PartitionFilter boundingBox(double south, double west, double north, double east) {
        if (south > north || west > east) {
            throw Errors.invalidTask("a bounding box ends before it begins");
        }
        return new BoundingBox(south, west, north, east);
    }

    /** Partitions of given names. */
    record Names(TreeSet<String> names) implements PartitionFilter {
        @Override
        public boolean accepts(PartitionKey key) {
            return names.contains(key.partition());
        }

        @Override
        public String description() {
            return "names " + names;
        }
    }

    /** Map tiles that touch a box. */
    record BoundingBox(double south, double west, double north, double east) implements PartitionFilter {
        private static final double FULL_TURN = 360;

        @Override
        public boolean accepts(PartitionKey key) {
            String name = key.partition();
            if (name.isEmpty() || !name.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return false;
            }
            BigInteger tile = new BigInteger(name);
            int level = (tile.bitLength() - 1) / 2;
            long column = 0;
            long row = 0;
            for (int bit = level - 1; bit >= 0; bit--) {
                column = column << 1 | (tile.testBit(2 * bit) ? 1 : 0);
                row = row << 1 | (tile.testBit(2 * bit + 1) ? 1 : 0);
            }
            double width = FULL_TURN / (1L << level);
            double tileWest = column * width - FULL_TURN / 2;
            double tileSouth = row * width - FULL_TURN / 4;
            return tileWest <= east && tileWest + width >= west && tileSouth <= north && tileSouth + width >= south;
        }

        @Override
        public String description() {
            return "box " + south + " " + west + " " + north + " " + east;
        }
    }
}
