package io.tidemark.bench;

import java.nio.file.Files;
import java.nio.file.Path;

/** The process of one contestant of the snapshot benchmark: prints a line for each step, the digest with the last one. */
final class SnapshotProcess {
    private SnapshotProcess() {}

    /**
     * Runs.
     *
     * @param arguments contestant, scenario, keys, closed rows of each key, folder of the input, folder to work in, memory
     */
    public static void main(String[] arguments) throws Exception {
        String name = arguments[0];
        SnapshotScenario scenario = SnapshotScenario.valueOf(arguments[1]);
        int history = Integer.parseInt(arguments[3]);
        SnapshotInput input = new SnapshotInput(Path.of(arguments[4]), Long.parseLong(arguments[2]));
        Path place = Path.of(arguments[5]);
        String memory = arguments[6];
        SnapshotContestant contestant = name.equals(SnapshotBench.PRODUCT)
                ? new TidemarkSnapshots(input, scenario, Long.parseLong(memory.replace("MB", "")) * 1_000_000)
                : new DbtDuckDb(input, scenario, memory);
        Run.delete(place);
        Files.createDirectories(place);
        contestant.begin(place, history);
        if (history == 0) {
            print(name, scenario, 1, SnapshotBench.FIRST, Meter.measure(() -> contestant.run(0)), "");
        }
        for (int round = 1; round <= SnapshotInput.ROUNDS; round++) {
            int each = round;
            Meter.Cost cost = Meter.measure(() -> contestant.run(each));
            if (round > 1) {
                print(name, scenario, round - 1, SnapshotBench.CHANGED, cost, "");
            }
        }
        Meter.Cost nothing = Meter.measure(() -> contestant.run(SnapshotInput.ROUNDS));
        print(name, scenario, 1, SnapshotBench.NOTHING, nothing, "");
        input.touch(SnapshotInput.ROUNDS);
        Meter.Cost touched = Meter.measure(() -> contestant.run(SnapshotInput.ROUNDS));
        print(name, scenario, 1, SnapshotBench.TOUCHED, touched, contestant.digest());
        Run.delete(place);
    }

    private static void print(
            String name, SnapshotScenario scenario, int repetition, String step, Meter.Cost cost, String digest)
            throws Exception {
        Run.print(new Run.Measured(name, scenario.label(), repetition, step, cost, digest));
    }
}
