package io.tidemark.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** Measures what this process spends on a piece of work. */
final class Meter {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path IO = Path.of("/proc/self/io");
    private static final Path CLEAR = Path.of("/proc/self/clear_refs");
    /** What resets the peak of resident memory, see proc(5). */
    private static final String RESET_PEAK = "5";

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private Meter() {}

    /** Something to measure. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    /**
     * What a piece of work cost.
     *
     * @param wallSeconds elapsed time
     * @param cpuSeconds processor time of all threads of the process
     * @param peakMegabytes greatest resident memory during the work, in 2^20 bytes; -1 where the system does not tell
     * @param writtenMegabytes bytes handed to write calls, in 2^20 bytes; -1 where the system does not tell
     */
    record Cost(double wallSeconds, double cpuSeconds, long peakMegabytes, long writtenMegabytes) {}

    /** Runs the work once. */
    static Cost measure(Work work) throws Exception {
        System.gc();
        try {
            Files.writeString(CLEAR, RESET_PEAK);
        } catch (IOException e) {
            // Elsewhere the peak is that of the whole process so far, which is no less than that of the work.
        }
        long written = number(IO, "wchar:");
        long cpu = SYSTEM.getProcessCpuTime();
        long begin = System.nanoTime();
        work.run();
        double wall = (System.nanoTime() - begin) / NANOS_PER_SECOND;
        double spent = (SYSTEM.getProcessCpuTime() - cpu) / NANOS_PER_SECOND;
        long peakKilobytes = number(STATUS, "VmHWM:");
        long after = number(IO, "wchar:");
        return new Cost(
                wall, spent, peakKilobytes < 0 ? -1 : peakKilobytes >> 10, after < 0 ? -1 : (after - written) >> 20);
    }

    private static long number(Path file, String key) {
        try {
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith(key)) {
                    return Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
        } catch (IOException e) {
            return -1;
        }
        return -1;
    }
}
